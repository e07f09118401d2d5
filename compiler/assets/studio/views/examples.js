// The examples of a tool, and what comes of running them.

import * as api from "../api.js";
import { button, dialog, fill, h } from "../dom.js";
import { t } from "../i18n.js";
import { write } from "../json.js";
import { block } from "../parts/code.js";
import { reason } from "../parts/edits.js";

export function examplesView({ tool, exact }, use) {
  const outcomes = new Map();
  const total = h("p.hint", { role: "status" });
  const run = async (number) => {
    try {
      const { data: report, exact: all } = await api.postExact("/api/studio/examples/run", { tool: tool.name, ...(number ? { example: number } : {}) });
      for (const [index, test] of report.tests.entries()) fill(outcomes.get(test.example) ?? h("div"), outcome(all.get("tests")[index]));
      total.textContent = summary(report.summary);
    } catch (error) {
      total.textContent = reason(error);
    }
  };
  const rows = exact.get("examples") ?? [];
  return h("section.pad",
    h("div.section-head", total, button(t("examples.run"), () => run(), { picture: "play", disabled: !rows.length })),
    rows.length ? null : h("p.hint.empty", t("examples.none")),
    h("ul.rows", rows.map((one, index) => {
      const number = index + 1;
      const place = h("div.outcomes");
      outcomes.set(number, place);
      const title = one.get("title");
      return h("li.example",
        h("div", h("strong", title ? `${number} · ${title}` : String(number)), h("code.arguments", write(one.get("arguments"))), place),
        h("div.actions",
          button(t("example.use"), () => use(one.get("arguments")), { kind: "small", "aria-label": `${t("example.use")} ${number}` }),
          button(t("example.run"), () => run(number), { kind: "small", "aria-label": `${t("example.run")} ${number}` })));
    })));
}

const summary = ({ examples, passed, failed, untested }) => [t("run.passed", { passed, n: examples }), failed ? t("run.failed", { n: failed }) : "", untested ? t("run.untested", { n: untested }) : ""].filter(Boolean).join(" · ");

/** What became of a test (of `json.parse`). */
function outcome(test) {
  const status = test.get("status");
  const side = (one, name) => h("div", h("span.hint", t(`run.${name}`)), block(shown(one.get(name)), t(`run.${name}`), "wrap"));
  return [
    h("span", { class: `badge ${status === "passed" ? "good" : "bad"}` }, ["passed", "failed"].includes(status) ? t(`run.${status}.one`) : status),
    (test.get("failures") ?? []).map((one) => h("div.failure", h("strong", one.get("what")), h("div.pair", side(one, "expected"), side(one, "actual")))),
  ];
}

const shown = (value) => (typeof value === "string" ? value : write(value ?? null, "  "));

/** Runs examples of all tools and shows the report. */
export function showRun(which) {
  const body = h("div", { "aria-live": "polite" }, h("p.hint", t("run.running")));
  dialog(t("examples.all"), (close) => [body, h("div.actions", button(t("close"), close))], { wide: true });
  api.postExact("/api/studio/examples/run", which).then(({ data: report, exact }) => {
    const bad = exact.get("tests").filter((test) => test.get("status") !== "passed");
    fill(body,
      h("p", { class: bad.length ? "bad" : "good" }, h("strong", summary(report.summary))),
      bad.map((test) => h("section.item", h("h3", h("a.code-name", { href: `#/tools/${encodeURIComponent(test.get("tool"))}` }, test.get("tool")), " ", `${write(test.get("example"))} ${test.get("title") ?? ""}`), outcome(test))),
      report.untested?.length ? h("section", h("h3", t("run.without")), h("p.hint", report.untested.map((one) => one.tool).join(", "))) : null);
  }, (error) => fill(body, h("p.wrong", reason(error))));
}
