// A running edge, by its admin listener: its state, tools, MCP servers, limits and the last calls. Nothing is changed.

import * as api from "../api.js";
import { fill, h, tabs } from "../dom.js";
import { clock, duration, number, size, t } from "../i18n.js";
import { reason } from "../parts/edits.js";

const PATHS = { status: "/api/studio/edge", tools: "/api/studio/edge/tools", limits: "/api/studio/edge/limits", calls: "/api/studio/edge/calls" };
const EVERY = 2000;

export function edgeView(main) {
  const state = h("p.validity", { role: "status" }, t("state.connecting"));
  const url = h("p.path", "\u00a0");
  const panels = Object.fromEntries(Object.keys(PATHS).map((name) => [name, h("div.pad")]));
  let open = "status";
  let timer = 0;
  let closed = false;
  let last = {};

  const read = async () => {
    clearTimeout(timer);
    try {
      const status = await api.get(PATHS.status);
      const given = open === "status" ? status.status : status.reachable && (await api.get(PATHS[open]));
      if (closed) return;
      url.textContent = status.url;
      state.className = `validity ${status.reachable ? "good" : "bad"}`;
      state.textContent = status.reachable ? t("edge.reachable") : `${t("edge.unreachable")}${status.error ? `: ${status.error.message ?? status.error}` : ""}`;
      draw(open, given);
    } catch (error) {
      if (closed) return;
      state.className = "validity bad";
      state.textContent = reason(error);
    }
    if (!closed) timer = setTimeout(read, document.hidden ? EVERY * 5 : EVERY);
  };
  // What has not changed is not drawn again: what one reads or has opened stays.
  const draw = (name, given) => {
    const text = JSON.stringify(given ?? null);
    if (last[name] === text || !given) return;
    last[name] = text;
    fill(panels[name], { status: statusPanel, tools: toolsPanel, limits: limitsPanel, calls: callsPanel }[name](given));
  };
  fill(main, h("div.single", h("header.head", h("h1", t("nav.edge")), url, state),
    tabs(t("nav.edge"), Object.keys(PATHS).map((name) => ({ id: name, label: t(name === "tools" ? "nav.tools" : `edge.${name}`), draw: () => panels[name] })), open, (id) => {
      open = id;
      read();
    })));
  return {
    open() {},
    changed: read,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** What one asks first, as cards; the servers with what they serve otherwise than reviewed. */
function statusPanel(status) {
  const { active, mcp_servers: servers = [] } = status;
  const error = status.last_error;
  const facts = [
    ["ready", t(status.ready ? "edge.yes" : "edge.no")], ["tools", active && number(active.tools)], ["activated_at", active?.activated_at],
    ["uptime_seconds", duration((status.uptime_seconds ?? 0) * 1000)], ["source", status.source], ["revision", active?.revision],
    ["last_error", error && `${error.message} (${error.at})`],
  ];
  const drift = servers.flatMap((one) => one.drift ?? []);
  return [
    h("dl.cards", facts.filter(([, value]) => value).map(([name, value]) => h("div", { class: String(value).length > 24 ? "long" : "" }, h("dt", t(`edge.fact.${name}`)), h("dd", String(value))))),
    servers.length ? [h("h2", t("nav.servers")), table(["upstream", "state", "error"], servers.map((one) => [one.upstream, h("span", { class: `badge ${one.state === "connected" ? "good" : one.error ? "bad" : ""}` }, one.state), one.error ? `${one.error.code} ${one.error.message}` : ""]))] : null,
    drift.length ? h("section.note", h("h3", t("edge.drift")), h("ul", drift.map((one) => h("li", h("code", one.tool), ` ${one.verdict}`)))) : null,
  ];
}

function toolsPanel({ tools = [] }) {
  if (!tools.length) return h("p.hint.empty", t("tools.none"));
  return table(["tool", "toolset", "upstream", "calls", "failed"], tools.map((one) => [h("code", one.name), one.toolset, one.upstream, number(one.calls ?? 0), one.failed ? h("span.error", number(one.failed)) : "0"]), 3);
}

function limitsPanel({ inFlight, hits = {}, upstreams = [] }) {
  return [
    h("dl.cards",
      inFlight ? h("div", h("dt", t("edge.inflight")), h("dd", `${number(inFlight.now)} / ${number(inFlight.most)}`)) : null,
      Object.entries(hits).map(([name, value]) => h("div", h("dt", t("edge.hits", { name })), h("dd", number(value))))),
    upstreams.length ? table(["upstream", "breaker", "waiting"], upstreams.map((one) => [one.name, h("span", { class: `badge ${one.breaker === "closed" ? "good" : "bad"}` }, one.breaker ?? "—"), number(one.waiting ?? 0)]), 2) : null,
  ];
}

function callsPanel({ kept, calls = [] }) {
  if (kept === 0) return h("p.hint.empty", t("edge.nocalls"));
  if (!calls.length) return h("p.hint.empty", t("edge.empty"));
  return table(["at", "tool", "outcome", "http", "time", "upstreamtime", "attempts", "bytes", "tenant", "principal"], calls.map((one) => [
    clock(one.at), h("code", one.tool), h("span", { class: `badge ${one.outcome === "ok" ? "good" : "bad"}`, title: one.reason ?? "" }, one.outcome), one.status ?? "", duration(one.milliseconds), one.upstreamMilliseconds === null || one.upstreamMilliseconds === undefined ? "" : duration(one.upstreamMilliseconds),
    one.attempts ?? "", `${size(one.requestBytes ?? 0)} / ${size(one.responseBytes ?? 0)}`, one.tenant ?? "", one.principal ?? "",
  ]));
}

function table(columns, rows, numbersFrom = Infinity) {
  return h("div.table", { role: "region", tabindex: "0", "aria-label": columns.map((name) => t(`column.${name}`)).join(", ") }, h("table",
    h("thead", h("tr", columns.map((name, index) => h("th", { scope: "col", class: index >= numbersFrom ? "right" : "" }, t(`column.${name}`))))),
    h("tbody", rows.map((row) => h("tr", row.map((cell, index) => h("td", { class: index >= numbersFrom ? "right" : "" }, cell ?? "")))))));
}
