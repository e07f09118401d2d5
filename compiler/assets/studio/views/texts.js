// The texts of a tool: title, description and templates. A template shows what it makes of an answer, or of arguments, while
// one edits it.

import * as api from "../api.js";
import { button, calm, fill, h, region, tabs } from "../dom.js";
import { number, size, t } from "../i18n.js";
import { write } from "../json.js";
import { edit, reason } from "../parts/edits.js";
import { resultView } from "../parts/result.js";
import { drafts, session } from "../session.js";

const OF_REQUESTS = ["body_template", "arguments_template"];
const OF_ANSWERS = ["response_template", "error_template"];
const LIVE = [...OF_ANSWERS, ...OF_REQUESTS];
const RENDER_WAIT = 180;

const unsaved = drafts.texts;
let chosenKey = "";

export function textsView(whole) {
  const { tool } = whole;
  const keys = tool.texts.map((text) => ({ id: text.key, label: text.key, draw: () => textEditor(whole, text) }));
  const first = tool.texts.find((text) => text.key === chosenKey) ?? tool.texts.find((text) => OF_ANSWERS.includes(text.key) && text.text !== null) ?? tool.texts[0];
  let drawn = false;
  const all = tabs(t("tab.texts"), keys, first.key, (key) => {
    // The first one is not chosen by a person.
    if (drawn) chosenKey = key;
  });
  drawn = true;
  return h("div.texts", all);
}

function textEditor({ tool, exact }, text) {
  const id = `text-${text.key}`;
  const draftKey = `${tool.name}\n${text.key}`;
  const before = text.text ?? "";
  const area = h("textarea", { id, class: "code tall", value: unsaved.get(draftKey) ?? before, "aria-describedby": `${id}-w` });
  const wrong = h("div", { id: `${id}-w`, role: "status" });
  const changed = () => area.value !== before;
  const save = button(t("edit.preview"), async () => {
    const value = area.value === "" && text.text !== null ? null : area.value;
    const made = await edit(t("texts.saving", { key: text.key, name: tool.name }), { kind: "text", tool: tool.name, key: text.key, text: value }, session);
    if (made) unsaved.delete(draftKey);
  }, { kind: "main" });
  const revert = button(t("texts.revert"), () => {
    area.value = before;
    oninput();
  }, { kind: "quiet" });
  const live = LIVE.includes(text.key) ? liveOutput(tool, exact, text, area, wrong) : null;
  const oninput = () => {
    if (changed()) unsaved.set(draftKey, area.value);
    else unsaved.delete(draftKey);
    save.disabled = session.readOnly || !changed();
    revert.disabled = !changed();
    live?.later();
  };
  area.addEventListener("input", oninput);
  oninput();
  return h("div", { class: `editor${live ? " live" : ""}` },
    h("section",
      h("div.section-head", h("label.name", { for: id }, text.key), h("span.hint", text.file, text.dialect ? ` · ${text.dialect}` : ""), h("div.actions", revert, save)),
      area, wrong),
    live?.element);
}

/** What the template makes of an answer or of arguments: of those of an example, or of what is typed in. */
function liveOutput(tool, exact, text, area, wrong) {
  const isError = text.key === "error_template";
  const isRequest = OF_REQUESTS.includes(text.key);
  const words = (key) => t(`texts.${key}${isRequest ? ".request" : ""}`);
  const usable = tool.examples.filter((one) => isRequest || one.response);
  const fitting = usable.find((one) => isRequest || (one.response.status >= 400) === isError) ?? usable[0];
  const sample = h("textarea.code.sample", { rows: "8", "aria-label": words("sample"), oninput: () => {
    choice.value = "";
    later();
  } });
  const status = h("input", { inputmode: "numeric", class: "short", value: isError ? "404" : "200", "aria-label": t("answer.status"), oninput: () => {
    choice.value = "";
    later();
  } });
  const type = h("input", { class: "medium", value: "application/json", "aria-label": "content-type", oninput: () => {
    choice.value = "";
    later();
  } });
  const choice = h("select.small", { "aria-label": words("example"), onchange: () => {
    take();
    later();
  } }, h("option", { value: "" }, t("texts.own")), usable.map((one) => h("option", { value: String(one.number), selected: one === fitting }, t("texts.of", { n: one.number, title: one.title ?? "" }))));
  const take = () => {
    const one = usable.find((each) => String(each.number) === choice.value);
    if (!one) return;
    if (isRequest) {
      sample.value = write(exact.get("examples")[tool.examples.indexOf(one)].get("arguments"), "  ");
      return;
    }
    status.value = String(one.response.status ?? 200);
    type.value = one.response.contentType ?? "";
    const body = exact.get("examples")[tool.examples.indexOf(one)].get("response").get("body");
    sample.value = body === undefined ? "" : typeof body === "string" ? body : write(body, "  ");
  };
  const output = h("div.output", { "aria-live": "polite", "aria-label": words("output") });
  const cost = h("span.hint");

  let asked = null;
  const render = async () => {
    asked?.abort();
    asked = new AbortController();
    const { signal } = asked;
    const typed = isRequest ? { argumentsText: sample.value } : { status: Number(status.value) || 200, contentType: type.value, body: sample.value };
    const given = choice.value ? { example: Number(choice.value) } : typed;
    try {
      show(await api.postExact(api.toolPath(tool.name, "render"), { key: text.key, text: area.value, ...given }, signal));
    } catch (error) {
      if (!signal.aborted) fill(output, h("p.wrong", reason(error)));
    }
  };
  const show = ({ data: given, exact: all }) => {
    fill(wrong, h("ul.problems", given.findings.map((one) => h("li", { class: one.severity }, one.start ? h("span.place", `${one.start.line}:${one.start.column} `) : null, one.message, one.help ? ` — ${one.help}` : ""))));
    area.toggleAttribute("aria-invalid", !given.valid);
    output.classList.toggle("faint", !given.valid);
    if (!given.valid) return;
    if (isRequest) {
      const { http, message, problems } = given.preview;
      const lines = problems.map((one) => h("li.error", one.message));
      return void fill(output, lines.length ? h("ul.problems", lines) : h("pre.block", region("HTTP"), http ?? JSON.stringify(message, null, 2)));
    }
    fill(output, given.warning ? h("p.note", given.warning) : null, resultView(all.get("result")));
    const { before, after } = given.tokens ?? {};
    cost.textContent = [size(given.resultBytes), typeof after === "number" ? t("texts.tokens", { before: typeof before === "number" ? number(before) : "?", after: number(after) }) : ""].filter(Boolean).join(" · ");
  };
  const later = calm(RENDER_WAIT, render);
  if (isRequest) sample.value = "{}";
  take();
  const element = h("section",
    h("div.section-head", h("h2", words("sample")), choice),
    isRequest ? null : h("div.control", status, type), sample,
    h("div.section-head", h("h2", words("output")), cost),
    output);
  return { element, later };
}
