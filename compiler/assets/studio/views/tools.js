// The list of tools: by toolset, with search, findings and tokens; beside it the tool that is open.

import * as api from "../api.js";
import { button, calm, fill, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { reason } from "../parts/edits.js";
import { showRun } from "./examples.js";
import { toolView } from "./tool.js";

let searched = "";

export function toolsView(main) {
  const list = h("div.list", { id: "tools" });
  const detail = h("div.detail");
  const search = h("input", { type: "search", value: searched, "aria-label": t("tools.search"), placeholder: t("tools.search.hint"), autocomplete: "off", spellcheck: "false", oninput: () => {
    searched = search.value;
    draw();
  } });
  const found = h("p.unseen", { role: "status" });
  const split = h("div.split",
    h("section.aside", { "aria-label": t("nav.tools") },
      h("div.bar", search, button(t("examples.all"), () => showRun({}), { kind: "", picture: "play" })), found, list),
    detail);
  fill(main, split);
  let tools = [];
  let sets = [];
  let shown = null;
  let name = "";

  const heard = calm(300, (count) => { found.textContent = searched ? t("tools.found", { n: count }) : ""; });

  const draw = () => {
    const words = searched.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = tools.filter((tool) => {
      const text = [tool.name, tool.title, tool.description, tool.toolset, tool.endpoint, tool.server].join(" ").toLowerCase();
      return words.every((one) => text.includes(one));
    });
    heard(matching.length);
    const groups = sets.map((set) => [set, matching.filter((tool) => tool.toolset === set.name)]).filter(([, some]) => some.length);
    fill(list, groups.length ? groups.map(([set, some]) => group(set, some)) : h("p.hint.empty", t(tools.length ? "tools.nomatch" : "tools.none")));
    mark();
  };
  const group = (set, some) => h("section",
    h("h2", h("span", set.title || set.name), h("span.count", t("tools.tokens", { n: set.tokens ?? 0 }))),
    h("ul", some.map((tool) => h("li", entry(tool)))));
  const entry = (tool) => h("a", { href: `#/tools/${encodeURIComponent(tool.name)}`, class: tool.usable ? "" : "unusable" },
    h("span.row", h("span.code-name", tool.name),
      tool.errors ? h("span.count.error", h("span.dot.error"), t("summary.errors", { n: tool.errors })) : null,
      tool.warnings ? h("span.count.warning", h("span.dot.warning"), t("summary.warnings", { n: tool.warnings })) : null,
      h("span.count.tokens", { title: t("tools.tokens", { n: tool.tokens }) }, number(tool.tokens))),
    h("span.about", tool.title || tool.description));
  const mark = () => {
    for (const link of list.querySelectorAll("a")) {
      if (link.hash === `#/tools/${encodeURIComponent(name)}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    links[at + step]?.focus();
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") list.querySelector("a")?.focus();
    else if (event.key === "Enter") list.querySelector("a")?.click();
    else return;
    event.preventDefault();
  });

  const read = async () => {
    try {
      const [given, specs] = await Promise.all([api.get("/api/studio/tools"), api.get("/api/studio/specs")]);
      tools = given.tools;
      sets = specs.toolsets;
      const known = new Set(sets.map((set) => set.name));
      for (const tool of tools) {
        if (known.has(tool.toolset)) continue;
        known.add(tool.toolset);
        sets.push({ name: tool.toolset, title: null, tokens: null });
      }
      draw();
      if (!name && matchMedia("(min-width: 900px)").matches && tools.length && location.hash.length <= 8) {
        history.replaceState(null, "", `#/tools/${encodeURIComponent(tools.find((tool) => tool.usable)?.name ?? tools[0].name)}`);
        dispatchEvent(new HashChangeEvent("hashchange"));
      }
    } catch (error) {
      fill(list, h("p.wrong", reason(error)));
    }
  };
  read();

  return {
    open(next) {
      if (next === name && shown) return;
      name = next;
      split.classList.toggle("opened", name !== "");
      shown?.close();
      shown = name ? toolView(detail, name) : null;
      if (!name) fill(detail, h("p.hint.empty", t("tools.choose")));
      mark();
    },
    changed() {
      read();
      shown?.changed();
    },
    close() {
      shown?.close();
    },
  };
}
