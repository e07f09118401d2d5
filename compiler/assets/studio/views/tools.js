// The list of tools: by toolset, with search, findings and tokens; beside it the tool that is open.

import * as api from "../api.js";
import { button, calm, h, icon } from "../dom.js";
import { number, t } from "../i18n.js";
import { counts, entry, split } from "../parts/split.js";
import { session } from "../session.js";
import { showRun } from "./examples.js";
import { toolView } from "./tool.js";

let searched = "";

export function toolsView(main) {
  const search = h("input", { type: "search", value: searched, "aria-label": t("tools.search"), placeholder: `${t("tools.search")}  /` });
  const found = h("p.unseen", { role: "status" });
  const pane = split(main, "tools", t("nav.tools"), search, button(t("examples.all"), () => showRun({}), { kind: "only", picture: "play" }), found);
  let tools = [];
  let sets = [];
  let shown = null;
  let name = "";

  const heard = calm(300, (n) => { found.textContent = searched ? t("tools.found", { n }) : ""; });
  const draw = () => {
    const words = searched.toLowerCase().split(/\s+/);
    const matching = tools.filter((tool) => {
      const text = [tool.name, tool.title, tool.description, tool.toolset, tool.endpoint, tool.server].join(" ").toLowerCase();
      return words.every((one) => text.includes(one));
    });
    heard(matching.length);
    const groups = sets.map((set) => [set, matching.filter((tool) => tool.toolset === set.name)]).filter(([, some]) => some.length);
    pane.show(groups.length ? groups.map(([set, some]) => h("section",
      h("h2", h("span", set.title || set.name), h("span.count", t("summary.tokens", { n: set.tokens ?? 0 }))),
      h("ul", some.map(line)))) : tools.length ? h("p.hint.empty", t("tools.nomatch")) : h("div.empty", h("p.hint", t("tools.none")), session.readOnly ? null : h("a.button.main", { href: "#/servers/%2B" }, icon("plus"), t("server.add"))));
  };
  const line = (tool) => entry(pane.address(tool.name),
    [h("span.code-name", tool.name), counts(tool), h("span.count", { title: t("summary.tokens", { n: tool.tokens }) }, number(tool.tokens))],
    tool.title || tool.description, tool.usable ? "" : "unusable");
  search.addEventListener("input", () => {
    searched = search.value;
    draw();
  });
  search.addEventListener("keydown", (event) => {
    const first = pane.list.querySelector("a");
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Enter") first?.click();
    else return;
    event.preventDefault();
  });

  const read = async () => {
    try {
      const [given, specs] = await Promise.all([api.get("/api/studio/tools"), api.get("/api/studio/specs")]);
      tools = given.tools;
      sets = specs.toolsets;
      const known = new Set(sets.map((set) => set.name));
      for (const { toolset } of tools) if (!known.has(toolset)) sets.push({ name: toolset }) && known.add(toolset);
      draw();
      pane.begin((tools.find((tool) => tool.usable) ?? tools[0])?.name);
    } catch (error) {
      pane.failed(error);
    }
  };
  read();

  return {
    open(next) {
      if (next === name && shown) return;
      name = next;
      pane.open(name, t("choose"));
      shown?.close();
      shown = name ? toolView(pane, name) : null;
    },
    changed() {
      read();
      shown?.changed();
    },
    close: () => shown?.close(),
  };
}
