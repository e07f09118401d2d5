// A running edge, by its admin listener: its state, tools, MCP servers, limits and the last calls. Nothing is changed.

import * as api from "../api.js";
import { fill, h, patch, tabs } from "../dom.js";
import { clock, duration, number, size, t, word } from "../i18n.js";
import { reason } from "../parts/edits.js";
import { facts } from "../parts/result.js";

const PATHS = { status: "/api/studio/edge", tools: "/api/studio/edge/tools", limits: "/api/studio/edge/limits", calls: "/api/studio/edge/calls" };
const EVERY = 2000;

export function edgeView(main) {
  const state = h("p.validity", { role: "status" }, t("state.connecting"));
  const url = h("p.path", "\u00a0");
  const panels = Object.fromEntries(Object.keys(PATHS).map((name) => [name, h("div.pad")]));
  let open = "status";
  let timer = 0;
  let closed = false;

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
  const draw = (name, given) => {
    const marked = getSelection();
    // What one is about to copy stays as it is.
    if (!given || (!marked.isCollapsed && panels[name].contains(marked.anchorNode))) return;
    patch(panels[name], h("div.pad", { statusPanel, toolsPanel, limitsPanel, callsPanel }[`${name}Panel`](given)));
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

/** A value of the status, in words. */
function shown(value) {
  if (typeof value === "boolean") return t(value ? "edge.yes" : "edge.no");
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.join(", ");
  if (value?.message) return `${value.message} (${shown(value.at)})`;
  return /^\d{4}-\d\d-\d\dT/.test(value) ? clock(value, "medium") : String(value ?? "");
}

const named = (values) => Object.entries(values).map(([name, value]) => [word("edge.fact", name), value === null || value === undefined ? null : shown(value)]);

/** What one asks first, as cards; then the source, the shared limits, and the servers with what differs from the review. */
function statusPanel(status) {
  const { active, remote, shared_limits: shared, mcp_servers: servers = [] } = status;
  const cards = named({
    ready: status.ready, tools: active?.tools, activated_at: active?.activated_at, uptime_seconds: duration((status.uptime_seconds ?? 0) * 1000),
    last_attempt: status.last_attempt, last_success: status.last_success, source: status.source, revision: active?.revision,
    needs_upgrade: status.needs_upgrade?.length ? status.needs_upgrade : null, last_error: status.last_error,
  });
  const drift = servers.flatMap((one) => one.drift ?? []);
  return [
    h("dl.cards", cards.filter(([, value]) => value).map(([name, value]) => h("div", { class: value.length > 24 ? "long" : "" }, h("dt", name), h("dd", value)))),
    [["remote", remote], ["shared", shared]].map(([name, values]) => values && h("section.about-edge", h("h2", t(`edge.${name}`)), facts(named(values)))),
    servers.length ? [h("h2", t("nav.servers")), table(["upstream", "state", "error"], servers.map((one) => [one.upstream, h("span", { class: `badge ${one.state === "connected" ? "good" : one.error ? "bad" : ""}` }, one.state), one.error ? `${one.error.code} ${one.error.message}` : ""]))] : null,
    drift.length ? h("section.note", h("h3", t("edge.drift")), h("ul", drift.map((one) => h("li", h("code", one.tool), ` ${one.verdict}`, one.difference ? h("p", h("code", one.difference)) : null)))) : null,
  ];
}

function toolsPanel({ tools = [] }) {
  if (!tools.length) return h("p.hint.empty", t("tools.none"));
  return table(["tool", "toolset", "upstream", "calls", "failed"], tools.map((one) => [h("code", one.name), one.toolset, one.upstream, number(one.calls ?? 0), one.failed ? h("span.error", number(one.failed)) : "0"]), 3);
}

function limitsPanel({ inFlight, hits = {}, upstreams = [] }) {
  return [
    inFlight ? h("dl.cards", h("div", h("dt", t("edge.inflight")), h("dd", `${number(inFlight.now)} / ${number(inFlight.most)}`))) : null,
    table(["limit", "refused"], Object.entries(hits).map(([name, value]) => [h("code", name), number(value)]), 1),
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
    h("thead", h("tr", columns.map((name, index) => h("th", { scope: "col", class: index >= numbersFrom ? "num" : "" }, t(`column.${name}`))))),
    h("tbody", rows.map((row) => h("tr", row.map((cell, index) => h("td", { class: index >= numbersFrom ? "num" : "" }, cell ?? "")))))));
}
