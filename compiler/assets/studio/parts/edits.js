// Edits: each is previewed as a diff, made when one agrees, and can be undone.

import * as api from "../api.js";
import { button, dialog, fill, h, say } from "../dom.js";
import { t, word } from "../i18n.js";
import { session } from "../session.js";
import { diffView } from "./code.js";

/** What the page itself says of a code; empty where the server says it. */
export function adviceOf(code) {
  const known = word("error", code);
  return known === code ? "" : known;
}

/** A refusal in words, with what to do where that is known. */
export function reason(error) {
  if (!(error instanceof api.Refusal)) return t("lost.lost");
  return [error.message, adviceOf(error.code) || error.details?.advice].filter(Boolean).join(" — ");
}

/** The files of an edit with their diffs, and how the findings change. */
function preview(edit) {
  const count = ({ errors, warnings }) => `${t("summary.errors", { n: errors })}, ${t("summary.warnings", { n: warnings })}`;
  const changed = edit.files.filter((file) => file.diff);
  return [
    changed.length ? null : h("p.hint", t("edit.nothing")),
    changed.map((file) => h("section", h("h3.path", file.path), diffView(file.diff, t("edit.diff", { path: file.path })))),
    edit.before && edit.after ? h("p", { class: `hint${edit.after.errors > edit.before.errors ? " worse" : ""}` }, t("edit.findings", { before: count(edit.before), after: count(edit.after) })) : null,
  ];
}

/**
 * Shows what an edit would do, and makes it when one agrees. `ask(apply, hashes)` sends it to the server.
 * Gives the answer of the server, or null if one does not agree.
 */
export function agree(title, ask, { readOnly = false } = {}) {
  return new Promise((resolve) => {
    let given = null;
    let hashes = {};
    const body = h("div.edit", h("p.hint", t("edit.preparing")));
    const wrong = h("p.wrong", { role: "alert" });
    const make = button(t("edit.apply"), async () => {
      make.disabled = true;
      wrong.textContent = "";
      try {
        given = await ask(true, hashes);
        box.close();
      } catch (error) {
        wrong.textContent = reason(error);
        if (error.code === "stale_file") await show();
        else make.disabled = false;
      }
    }, { kind: "main", disabled: true });
    const show = async () => {
      try {
        const edit = await ask(false, {});
        hashes = Object.fromEntries(edit.files.map((file) => [file.path, file.hash]));
        fill(body, preview(edit), leftOut(edit.leftOut));
        make.disabled = readOnly || !edit.files.some((file) => file.diff);
        if (readOnly) wrong.textContent = t("error.read_only");
      } catch (error) {
        fill(body);
        wrong.textContent = reason(error);
      }
    };
    const box = dialog(title, (close) => [body, wrong, h("div.actions", button(t("cancel"), close), make)], { wide: true });
    box.addEventListener("close", () => {
      if (given) done(given, title);
      resolve(given);
    });
    show();
  });
}

function leftOut(list) {
  return list?.length ? h("ul.hint", list.map((one) => h("li", `${one.name}: ${one.why}`))) : null;
}

function done(edit, title) {
  say(t("edit.done", { title }), { act: edit.id === null || edit.id === undefined ? null : { label: t("edit.undo"), run: () => undo(edit.id) } });
}

export async function undo(id) {
  try {
    await api.post(`/api/studio/edits/${id}/undo`, {});
    say(t("edit.undone"));
  } catch (error) {
    say(reason(error), { kind: "bad" });
  }
}

/** An edit of `/api/studio/edits`; `argumentsText` are arguments that are JSON text already. */
export function edit(title, { argumentsText, ...members }, options) {
  return agree(title, (apply, hashes) => {
    const body = { ...members, ...(apply ? { apply, hashes } : {}) };
    return api.post("/api/studio/edits", argumentsText === undefined ? body : api.withArguments(argumentsText, body));
  }, options);
}

/** The edits of this session, the newest first, each with a way back. */
export async function showHistory() {
  const body = h("div");
  dialog(t("history.title"), (close) => [body, h("div.actions", button(t("close"), close))]);
  const draw = async () => {
    try {
      const { edits } = await api.get("/api/studio/edits");
      fill(body, edits.length ? h("ul.rows", edits.map((one) => h("li",
        h("div", h("strong", one.title), h("span.path", one.files.join(", "))),
        one.undone ? h("span.badge", t("history.undone")) : button(t("edit.undo"), async () => {
          await undo(one.id);
          await draw();
        }, { kind: "small", "aria-label": `${t("edit.undo")}: ${one.title}` })))) : h("p.hint", t("history.none")));
    } catch (error) {
      fill(body, h("p.wrong", reason(error)));
    }
  };
  draw();
}

/** The findings of all files. To go to one, or to fix it, closes the list. */
export function showFindings() {
  const body = h("div", { onclick: (event) => event.target.closest("a, button") && box.close() });
  const box = dialog(t("findings"), (close) => [body, h("div.actions", button(t("close"), close))], { wide: true });
  api.get("/api/studio/findings").then(({ findings }) => fill(body, findings.length ? h("ul.findings", findings.map((one) => findingView(one, session))) : h("p.hint", t("findings.none"))), (error) => fill(body, h("p.wrong", reason(error))));
}

/** One finding, with its fix. */
export function findingView(finding, session, { place = true } = {}) {
  const [fix] = finding.fixes ?? [];
  return h("li", { class: `finding ${finding.severity}` },
    h("p", h("span", { class: `dot ${finding.severity}` }), h("span.unseen", t(`severity.${finding.severity}`)), h("span.message", finding.message), " ", h("code.code-name", finding.code)),
    (finding.notes ?? []).map((note) => h("p.hint", note)),
    finding.help ? h("p.hint", t("finding.help", { text: finding.help })) : null,
    h("div.actions",
      place && finding.start ? h("a.place", { href: `#/source/${encodeURIComponent(finding.file)}:${finding.start.line}` }, `${finding.file}:${finding.start.line}`) : null,
      fix ? button(t("finding.fix"), () => edit(t("finding.fixing", { code: finding.code }), { kind: "fix", finding: finding.id }, session), { kind: "small" }) : null));
}
