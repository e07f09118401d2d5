// Adding an MCP server. The key goes to the secrets file of the studio, never into a spec.

import * as api from "../api.js";
import { button, dialog, fill, fresh, h, say } from "../dom.js";
import { duration, t } from "../i18n.js";
import { adviceOf, reason } from "../parts/edits.js";
import { session } from "../session.js";

/** Makes labelled controls of a server's document, and keeps them in `known` by their names. */
const labels = (known) => (name, control, hint) => {
  const id = fresh();
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-h`);
  known[name] = control;
  return h("div.field", h("div.label", h("label.name", { for: id }, t(`server.${name}`))), control, hint ? h("p.hint", { id: `${id}-h` }, hint) : null);
};
const text = (more = {}) => h("input", { ...more });
const keyField = () => text({ type: "password", autocomplete: "new-password" });
const keyHint = () => t("server.apiKey.hint", { file: session.secretsFile ?? "" });
const milliseconds = (typed) => (Number.isFinite(Number(typed)) ? Math.round(Number(typed) * 1000) : typed);

export function addView({ detail, back }) {
  const known = {};
  const labelled = labels(known);
  const select = (prefix, values) => h("select", values.map((one) => h("option", { value: one }, t(`${prefix}.${one}`))));

  const headers = h("div.inside");
  const addHeader = (name = "", value = "") => {
    const row = h("div.control.header",
      text({ "aria-label": t("server.header.name"), placeholder: "x-region", value: name }), text({ "aria-label": t("server.header.value"), placeholder: "eu", value }),
      button(t("form.remove"), () => row.remove(), { kind: "quiet only small", picture: "close" }));
    headers.append(row);
    row.firstElementChild.focus();
  };
  const auth = select("auth", ["none", "bearer", "api-key"]);
  const key = labelled("apiKey", keyField(), keyHint());
  const keyHeader = labelled("apiKeyHeader", text({ placeholder: "x-api-key" }));
  const shown = () => {
    key.hidden = auth.value === "none";
    keyHeader.hidden = auth.value !== "api-key";
  };
  auth.addEventListener("change", shown);

  let preset = null;
  const presets = h("div.presets", { role: "group", "aria-label": t("server.presets") });
  const take = (one) => {
    preset = one;
    known.url.value = one.url;
    known.name.value = one.name;
    known.transport.value = one.transport === "sse" ? "sse" : "http";
    for (const card of presets.querySelectorAll("button")) card.setAttribute("aria-pressed", String(card.dataset.preset === one.id));
  };
  const offer = (list) => fill(presets, list.map((one) => h("button", { type: "button", class: "preset", "data-preset": one.id, "aria-pressed": "false", onclick: () => take(one) },
    h("strong", one.name), h("span", one.description), h("code", one.id))));

  const body = () => {
    const value = (name) => known[name].value.trim();
    const given = { url: value("url"), transport: value("transport"), authType: auth.value };
    for (const name of ["id", "name"]) if (value(name)) given[name] = value(name);
    if (auth.value !== "none") given.apiKey = known.apiKey.value;
    if (auth.value === "api-key" && value("apiKeyHeader")) given.apiKeyHeader = value("apiKeyHeader");
    if (value("timeout")) given.timeout = milliseconds(value("timeout"));
    const rows = [...headers.children].map((row) => [...row.querySelectorAll("input")].map((input) => input.value.trim())).filter(([name]) => name);
    if (rows.length) given.headers = Object.fromEntries(rows);
    if (preset && preset.url === given.url) given.preset = preset.id;
    return given;
  };
  const told = h("div.told", { role: "status" });
  const busy = async (act) => {
    for (const one of actions.children) one.disabled = true;
    fill(told, h("p.hint", t("server.connecting")));
    try {
      await act();
    } catch (error) {
      fill(told, h("p.wrong", reason(error)));
    }
    for (const one of actions.children) one.disabled = false;
  };
  const test = () => busy(async () => fill(told, tested(await api.post("/api/mcp/servers/test", body()))));
  const save = () => busy(async () => {
    const made = await api.post("/api/mcp/servers", body());
    say(t("server.added", { name: made.name || made.id }));
    location.hash = `#/servers/${encodeURIComponent(made.id)}`;
  });
  const actions = h("div.actions", button(t("server.test"), test), h("button.button.main", t("server.save")));
  const form = h("form.pad.narrow", { onsubmit: (event) => {
    event.preventDefault();
    save();
  } },
    labelled("url", text({ inputmode: "url", placeholder: "https://mcp.example.com/mcp", "aria-required": "true" })),
    h("div.two", labelled("name", text()), labelled("id", text({ placeholder: "wiki" }), t("server.id.hint"))),
    h("div.two", labelled("transport", select("transport", ["http", "sse"])), labelled("timeout", text({ inputmode: "decimal", placeholder: "30" }))),
    labelled("authType", auth), key, keyHeader,
    h("div.field", { role: "group", "aria-label": t("server.headers") }, h("div.label", h("span.name", t("server.headers"))), headers, button(t("server.header"), () => addHeader(), { kind: "quiet", picture: "plus" })),
    actions, told);
  let closed = false;
  // The presets stand above the form, so the form waits for them: nothing moves later.
  const draw = ({ presets: list }) => {
    if (closed) return;
    shown();
    offer(list);
    fill(detail, back(), h("header.head", h("h1", t("server.add")), h("p.description", t("server.add.hint"))), presets, form);
    known.url.focus();
  };
  fill(detail, back());
  api.get("/api/mcp/presets").then(draw, () => draw({ presets: [] }));
  return { close: () => { closed = true; } };
}

/** Changes the URL, the timeout and the key of a server that is saved; `done` gets the server as it is then. */
export function editServer(server, done) {
  const known = {};
  const labelled = labels(known);
  const wrong = h("p.wrong", { role: "alert" });
  const seconds = server.timeout ? String(server.timeout / 1000) : "";
  const fields = [
    server.url ? labelled("url", text({ inputmode: "url", value: server.url })) : null,
    labelled("timeout", text({ inputmode: "decimal", value: seconds })),
    server.apiKeyVariable ? labelled("apiKey", keyField(), keyHint()) : null,
  ];
  const save = async (close) => {
    const given = { hash: server.hash };
    const value = (name) => known[name]?.value.trim();
    if (known.url && value("url") !== server.url) given.url = value("url");
    if (value("timeout") !== seconds) given.timeout = milliseconds(value("timeout"));
    if (known.apiKey?.value) given.apiKey = known.apiKey.value;
    if (Object.keys(given).length === 1) return close();
    try {
      done(await api.put(api.serverPath(server.id), given));
      close();
      say(t("server.changed", { name: server.name || server.id }));
    } catch (error) {
      wrong.textContent = reason(error);
    }
  };
  dialog(t("server.editing", { name: server.name || server.id }), (close) => h("form", { onsubmit: (event) => {
    event.preventDefault();
    save(close);
  } }, fields, wrong, h("div.actions", button(t("cancel"), close), h("button.button.main", t("server.keep")))));
  (server.hasApiKey ? known.url : known.apiKey ?? known.url)?.focus();
}

/** The outcome of a test. */
export function tested(given) {
  if (given.status !== "connected") return h("div.outcome.bad", h("strong", t("status.error")), " ", failure(given.error));
  const { serverInfo: info } = given;
  return h("div.outcome.good", h("strong", t("status.connected")), h("dl",
    info?.name ? h("div", h("dt", t("server.is")), h("dd", `${info.name} ${info.version ?? ""}`)) : null,
    h("div", h("dt", t("server.protocol")), h("dd", given.protocolVersion ?? "")),
    h("div", h("dt", t("nav.tools")), h("dd", String(given.tools ?? ""))),
    given.milliseconds === undefined ? null : h("div", h("dt", t("answer.time")), h("dd", duration(given.milliseconds)))));
}

/** An error of an MCP server: its code, words and advice. */
export function failure(error) {
  if (!error) return "";
  return [h("code.code-name", error.code), " ", error.message, h("p.hint", adviceOf(error.code) || error.advice)];
}
