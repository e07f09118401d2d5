// MCP servers: their state, what they offer, and which of their tools the specs have.

import * as api from "../api.js";
import { fill, h, icon } from "../dom.js";
import { t } from "../i18n.js";
import { reason } from "../parts/edits.js";
import { session } from "../session.js";
import { serverView } from "./server.js";
import { addView } from "./add-server.js";

/** The place in the address for a server that is not there yet; no server has such an id. */
const NEW = "+";

export function serversView(main) {
  const list = h("div.list");
  const detail = h("div.detail");
  const split = h("div.split", h("section.aside", { "aria-label": t("nav.servers") },
    h("div.bar", h("h1", t("nav.servers")), session.readOnly ? h("span.badge", t("readonly")) : h("a.button.main", { href: `#/servers/${NEW}` }, icon("plus"), h("span", t("server.add")))), list), detail);
  fill(main, split);
  let servers = [];
  let name = "";
  let shown = null;

  const read = async () => {
    try {
      ({ servers } = await api.get("/api/mcp/servers"));
      draw();
      if (shown?.told) shown.told(servers.find((one) => one.id === name));
      if (!name && servers.length && matchMedia("(min-width: 900px)").matches) location.replace(`#/servers/${encodeURIComponent(servers[0].id)}`);
    } catch (error) {
      fill(list, h("p.wrong", reason(error)));
    }
  };
  const draw = () => {
    fill(list, servers.length ? h("ul", servers.map((one) => h("li", h("a", { href: `#/servers/${encodeURIComponent(one.id)}` },
      h("span.row", h("span", { class: `dot ${one.status}` }), h("span", one.name || one.id), h("span.count", t("summary.tools", { n: (one.selectedTools ?? []).filter((tool) => tool.enabled !== false).length }))),
      h("span.about", t(`status.${one.status}`), " · ", one.url ?? one.transport))))) : h("p.hint.empty", t("servers.none")));
    mark();
  };
  const mark = () => {
    for (const link of list.querySelectorAll("a")) {
      if (link.hash === `#/servers/${encodeURIComponent(name)}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  read();

  return {
    open(next) {
      if (next === name && shown) return;
      name = next;
      split.classList.toggle("opened", name !== "");
      shown?.close?.();
      shown = null;
      if (!name) fill(detail, h("p.hint.empty", t("servers.choose")));
      else if (name === NEW) shown = addView(detail);
      else shown = serverView(detail, name);
      mark();
    },
    changed() {
      read();
    },
    close() {
      shown?.close?.();
    },
  };
}
