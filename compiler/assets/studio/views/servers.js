// MCP servers: the list with their state; beside it the one that is open, or a form for another.

import * as api from "../api.js";
import { h, icon } from "../dom.js";
import { t } from "../i18n.js";
import { entry, split } from "../parts/split.js";
import { session } from "../session.js";
import { addView } from "./add-server.js";
import { serverView } from "./server.js";

/** The place in the address for a server that is not there yet; no server has such an id. */
const NEW = "+";

export function serversView(main) {
  const pane = split(main, "servers", t("nav.servers"), h("h1", t("nav.servers")),
    session.readOnly ? h("span.badge", t("readonly")) : h("a.button.main", { href: `#/servers/${encodeURIComponent(NEW)}` }, icon("plus"), t("server.add")));
  let name = "";
  let shown = null;

  const line = (one) => entry(pane.address(one.id),
    [h(`span.dot.${one.status}`), h("span", one.name || one.id), h("span.count", t("summary.tools", { n: (one.selectedTools ?? []).filter((tool) => tool.enabled !== false).length }))],
    `${t(`status.${one.status}`)} · ${one.url ?? one.transport}`);
  const read = async () => {
    try {
      const { servers } = await api.get("/api/mcp/servers");
      pane.show(servers.length ? h("ul", servers.map(line)) : h("p.hint.empty", t("servers.none")));
      shown?.told?.(servers.find((one) => one.id === name));
      pane.begin(servers[0]?.id ?? (session.readOnly ? "" : NEW));
    } catch (error) {
      pane.failed(error);
    }
  };

  return {
    open(next) {
      if (next === name && shown) return;
      name = next;
      pane.open(name, t("choose"));
      shown?.close?.();
      shown = !name ? null : name === NEW ? addView(pane) : serverView(pane, name);
      read();
    },
    changed: read,
    close: () => shown?.close?.(),
  };
}
