// Calling a tool: the form, the request as it will be sent, and what comes back.

import * as api from "../api.js";
import { button, calm, copier, dialog, fill, h, region, tabs } from "../dom.js";
import { Form, canonical } from "../form/model.js";
import { formFor } from "../form/view.js";
import { duration, number, size, t, word } from "../i18n.js";
import { parse } from "../json.js";
import { edit, reason } from "../parts/edits.js";
import { rawView, resultView } from "../parts/result.js";
import { session } from "../session.js";

const PREVIEW_WAIT = 120;

// What was typed stays while one looks at other tools, and when a spec is read again.
const drafts = new Map();

function draft(tool, exact) {
  const schema = exact.get("inputSchema");
  const mine = drafts.get(tool.name) ?? { caller: { tenant: "", principal: "" }, flight: null };
  if (!mine.form || canonical(mine.form.schema) !== canonical(schema)) {
    const form = new Form(schema);
    const first = exact.get("examples")?.[0]?.get("arguments");
    if (mine.form) refill(form, mine.form.text);
    else if (first) form.fill(first);
    Object.assign(mine, { form, sent: null });
  }
  mine.form.secret = new Set(tool.parameters.filter((one) => one.sensitive).map((one) => one.name));
  drafts.set(tool.name, mine);
  return mine;
}

function isJson(text) {
  try {
    return parse(text) !== undefined;
  } catch {
    return false;
  }
}

function refill(form, text) {
  try {
    form.fill(parse(text));
  } catch {
    // It was no JSON: the form begins empty.
  }
}

export function callView({ tool, exact }) {
  const mine = draft(tool, exact);
  const form = formFor(mine.form);
  const state = h("p.validity", { role: "status" }, t("preview.waiting"));
  const http = h("pre.block", region("HTTP"));
  const curl = h("pre.block", region("curl"));
  const notes = h("div.notes");
  const answer = h("section.answer", { "aria-live": "polite", "aria-label": t("answer") });
  let asked = null;
  let problems = [];

  const preview = async () => {
    asked?.abort();
    asked = new AbortController();
    const { signal } = asked;
    try {
      show(await api.post(api.toolPath(tool.name, "preview"), { argumentsText: mine.form.text }, signal));
    } catch (error) {
      if (signal.aborted) return;
      state.className = "validity bad";
      state.textContent = reason(error);
    }
  };

  const show = (given) => {
    problems = given.problems;
    const others = form.show(problems);
    state.className = `validity ${given.valid ? "good" : "bad"}`;
    state.textContent = given.valid ? t("preview.valid") : t("preview.problems", { n: problems.length + (given.omitted ?? 0) });
    const lines = given.valid ? [] : problems.map((one) => h("li", { class: others.includes(one) ? "elsewhere" : "" }, one.message));
    fill(notes, lines.length ? h("ul.problems", lines) : null,
      (given.notes ?? []).map((note) => h("p.hint", note)));
    const message = given.http ?? (given.message === null || given.message === undefined ? null : typeof given.message === "string" ? given.message : JSON.stringify(given.message, null, 2));
    http.textContent = message ?? (given.valid ? t("preview.nothing") : t("preview.refused"));
    curl.textContent = given.curl ?? (given.valid ? t("preview.nothing") : t("preview.refused"));
    for (const one of [http, curl]) one.classList.toggle("faint", !given.valid);
  };

  const send = async () => {
    form.show(problems, true);
    if (mine.flight) return;
    if (!isJson(mine.form.text)) return void fill(answer, h("div.outcome.bad", t("form.nojson")));
    const { text } = mine.form;
    const { tenant, principal } = mine.caller;
    const flight = new AbortController();
    mine.flight = flight;
    showAnswer();
    try {
      const body = api.withArguments(text, { tenant: tenant || undefined, principal: principal || undefined });
      mine.sent = { text, ...(await api.postExact(api.toolPath(tool.name, "send"), body, flight.signal)) };
    } catch (error) {
      mine.sent = { error: flight.signal.aborted ? null : error };
    }
    mine.flight = null;
    // The view may be another one by now: that of the tool as it is open.
    mine.show();
  };

  const showAnswer = () => {
    if (mine.flight) return void fill(answer, h("div.actions", h("p.hint", t("answer.waiting")), button(t("answer.stop"), () => mine.flight?.abort(), { kind: "small" })));
    if (!mine.sent) return void fill(answer);
    const { text, data: given, exact: all, error } = mine.sent;
    if (!given) {
      // The problems themselves stand above, beside the request.
      const refused = error?.details?.problems?.length;
      const why = refused ? t("preview.problems", { n: refused }) : error && reason(error);
      return void fill(answer, h("div.outcome.bad", h("strong", t(error ? "answer.none" : "answer.stopped")), " ", why));
    }
    fill(answer, outcome(given), given.warning ? h("p.note", given.warning) : null,
      tabs(t("answer"), [
        { id: "result", label: t("answer.result"), draw: () => resultView(all.get("result")) },
        { id: "raw", label: t("answer.raw"), draw: () => rawView(given.raw) },
      ], "result"),
      h("div.actions.pad", button(t("example.save"), () => saveExample(tool, text, given), { disabled: session.readOnly || !tool.usable, title: session.readOnly ? t("error.read_only") : undefined })));
  };

  const go = button(session.mock ? t("send.mock") : t("send"), send, { kind: "main", picture: "play", disabled: !tool.usable, "aria-keyshortcuts": "Control+Enter" });
  const later = calm(PREVIEW_WAIT, preview);
  form.addEventListener("change", later);
  const element = h("div.call", { onkeydown: (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !go.disabled) {
      event.preventDefault();
      send();
    }
  } },
    h("section.form", { "aria-label": t("arguments") },
      h("div.section-head", h("h2", t("arguments")), h("div.actions", fillFrom(exact, (values) => refilled(values)),
        button("JSON", (event) => {
          const ok = form.toggleJson();
          if (ok) event.currentTarget.setAttribute("aria-pressed", String(mine.form.root.json));
          else form.show([{ argument: "", message: t("form.nojson") }], true);
        }, { kind: "quiet small", "aria-pressed": String(mine.form.root.json), "aria-label": t("form.json", { name: t("arguments") }) }),
        button(t("clear"), () => refilled(new Map()), { kind: "quiet small" }))),
      form,
      caller(mine.caller),
      h("div.go", go, h("kbd", "Ctrl ⏎"))),
    h("div.sent",
      h("section.request", { "aria-label": t("request") },
        h("div.section-head", h("h2", t("request")), state),
        h("div.with-copy", tabs(t("request"), [
          { id: "http", label: "HTTP", draw: () => http },
          { id: "curl", label: "curl", draw: () => curl },
        ], "http"), copier(t("copy.curl"), t("copied"), () => curl.textContent)),
        notes),
      answer));

  const refilled = (values) => {
    mine.form.fill(values);
    form.form = mine.form;
    later();
  };

  if (tool.usable) preview();
  else {
    state.className = "validity bad";
    state.textContent = t("tool.unusable");
  }
  mine.show = showAnswer;
  showAnswer();
  return { element, fill: refilled, close: () => asked?.abort() };
}

/** Fills the form from an example of the spec. */
function fillFrom(exact, act) {
  const examples = exact.get("examples") ?? [];
  if (!examples.length) return null;
  const choice = h("select.small", { "aria-label": t("example.fill"), onchange: () => {
    if (choice.value) act(examples[Number(choice.value)].get("arguments"));
    choice.value = "";
  } }, h("option", { value: "" }, t("example.fill")), examples.map((one, index) => h("option", { value: String(index) }, `${index + 1} ${one.get("title") ?? ""}`.trim())));
  return choice;
}

function caller(values) {
  const field = (name) => {
    const id = `caller-${name}`;
    return h("div.field", h("label.name", { for: id }, t(`caller.${name}`)), h("input", { id, value: values[name], oninput: (event) => { values[name] = event.target.value; } }));
  };
  return h("details.caller", { open: Boolean(values.tenant || values.principal) }, h("summary", t("caller")), h("p.hint", t("caller.hint")), field("tenant"), field("principal"));
}

function outcome(given) {
  const failed = given.result?.isError === true;
  const { before, after } = given.tokens ?? {};
  const known = typeof before === "number" && typeof after === "number";
  const saved = known && before > after ? Math.round((1 - after / before) * 100) : 0;
  const fact = (name, ...value) => h("div", h("dt", name), h("dd", value));
  return h("div", { class: `outcome ${failed ? "bad" : "good"}` },
    h("strong", t(failed ? "answer.failed" : "answer.ok")),
    h("dl",
      fact(t("answer.from"), given.example ? t("source.example", { n: given.example }) : word("source", given.source)),
      given.status === null || given.status === undefined ? null : fact(t("answer.status"), String(given.status)),
      fact(t("answer.time"), duration(given.milliseconds)),
      fact(t("answer.size"), given.raw ? `${size(given.raw.bytes)} → ` : "", size(given.resultBytes)),
      typeof after === "number" ? fact(t("answer.tokens"), typeof before === "number" ? `${number(before)} → ` : "", number(after), saved ? h("span.saved", t("answer.saved", { n: saved })) : null) : null));
}

function saveExample(tool, text, given) {
  const title = h("input", { id: "example-title" });
  const save = async (close) => {
    close();
    const { raw, status } = given;
    const response = raw && !raw.truncated ? { status, contentType: raw.contentType, ...(raw.text === null || raw.text === undefined ? { base64: raw.base64 } : { body: raw.text }) } : undefined;
    await edit(t("example.saving", { name: tool.name }), { kind: "example", tool: tool.name, title: title.value.trim() || null, argumentsText: text, response }, session);
  };
  dialog(t("example.save"), (close) => h("form", { onsubmit: (event) => {
    event.preventDefault();
    save(close);
  } }, h("p.hint", t("example.hint")), h("label.name", { for: "example-title" }, t("example.title")), title,
    h("div.actions", button(t("cancel"), close), h("button.button.main", t("edit.preview")))));
}

