// One tool: call it, edit its texts, run its examples, see what clients see.

import * as api from "../api.js";
import { copier, fill, h, redraw, tabs } from "../dom.js";
import { t } from "../i18n.js";
import { write } from "../json.js";
import { block } from "../parts/code.js";
import { findingView, reason } from "../parts/edits.js";
import { session } from "../session.js";
import { callView } from "./call.js";
import { examplesView } from "./examples.js";
import { textsView } from "./texts.js";

let chosenTab = "call";

export function toolView({ detail, back }, name) {
  let closed = false;
  let parts = null;
  let seen = "";

  const read = async () => {
    let given;
    try {
      given = await api.getExact(api.toolPath(name));
    } catch (error) {
      if (!closed) fill(detail, back(), h("p.wrong.pad", error.code === "not_found" ? t("tool.gone", { name }) : reason(error)));
      seen = "";
      return;
    }
    const now = JSON.stringify(given.data);
    // An edit in another file changes nothing here: what one is typing stays.
    if (closed || now === seen) return;
    seen = now;
    redraw(detail, () => draw(given));
  };

  const draw = ({ data: tool, exact }) => {
    const whole = { tool, exact };
    parts?.close?.();
    parts = callView(whole);
    const list = [
      { id: "call", label: t("tab.call"), draw: () => parts.element },
      { id: "texts", label: t("tab.texts"), draw: () => textsView(whole) },
      { id: "examples", label: t("tab.examples", { n: tool.examples.length }), draw: () => examplesView(whole, (values) => {
        parts.fill(values);
        all.choose("call");
      }) },
      { id: "entry", label: t("tab.entry"), draw: () => entry(exact) },
    ];
    const all = tabs(name, list, chosenTab, (id) => { chosenTab = id; });
    fill(detail, back(), head(tool), all);
  };

  read();
  return {
    changed: read,
    close() {
      closed = true;
      parts?.close?.();
    },
  };
}

function head(tool) {
  const unset = tool.variables.filter((one) => !one.set);
  return h("header.head",
    h("h1.code-name", tool.name),
    tool.title ? h("p.title", tool.title) : null,
    h("p.description", tool.description),
    h("div.facts-line",
      backend(tool),
      h("span.badge", t("summary.tokens", { n: tool.tokens })),
      hints(tool.annotations),
      h("a.place", { href: `#/source/${encodeURIComponent(tool.file)}:${tool.line}` }, `${tool.file}:${tool.line}`)),
    unset.length && !session.mock ? h("p.note", t("tool.variables", { names: unset.map((one) => one.name).join(", ") })) : null,
    tool.findings.length ? h("details.findings", { open: tool.errors > 0 }, h("summary", t("tool.findings", { n: tool.findings.length })), h("ul", tool.findings.map((one) => findingView(one, session)))) : null);
}

function backend(tool) {
  switch (tool.backend) {
    case "http": return h("span.endpoint", h("b", tool.method), " ", h("code", tool.endpoint));
    case "mcp": return h("span.endpoint", h("b", "MCP"), " ", h("code", tool.server));
    default: return h("span.endpoint", h("b", t("source.fixed")));
  }
}

function hints(annotations) {
  const known = ["readOnlyHint", "destructiveHint", "idempotentHint"];
  return known.filter((key) => annotations?.[key] === true).map((key) => h("span", { class: `badge ${key === "destructiveHint" ? "warning" : ""}` }, t(`hint.${key}`)));
}

/** What `tools/list` gives to clients. */
function entry(exact) {
  const text = write(exact.get("entry"), "  ");
  return h("section.pad", h("div.section-head", h("h2", "tools/list"), copier(t("copy"), t("copied"), () => text)), block(text, t("tab.entry")));
}
