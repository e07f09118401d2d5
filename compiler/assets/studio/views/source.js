// The files of the specs: with findings where they are, patches to apply, and an editor that overwrites nobody's work.

import * as api from "../api.js";
import { button, fill, h, redraw, say } from "../dom.js";
import { size, t } from "../i18n.js";
import { codeView, linesOf } from "../parts/code.js";
import { agree, edit, findingView, reason } from "../parts/edits.js";
import { counts, entry, split } from "../parts/split.js";
import { drafts as unsaved, session } from "../session.js";

// The text, and the text and hash of what it was made from.
const drafts = unsaved.files;

export function sourceView(main) {
  const fixAll = button(t("finding.all"), () => edit(t("finding.all"), { kind: "fix_all" }, session), { disabled: true });
  const pane = split(main, "source", t("source.files"), h("h1", t("source.files")), fixAll);
  const { detail } = pane;
  let path = "";
  let line = 0;
  let jumped = false;
  let file = null;
  let closed = false;

  const readList = async () => {
    try {
      const [{ files }, { findings }] = await Promise.all([api.get("/api/studio/specs"), api.get("/api/studio/findings")]);
      fixAll.disabled = session.readOnly || !findings.some((one) => one.fixes?.some((fix) => fix.applicability === "safe"));
      pane.show(h("ul", files.map((one) => entry(pane.address(one.path), [h("span.code-name", one.path.split("/").at(-1)), counts(one)],
        `${one.kind === "spec" ? t("source.spec", { n: one.tools }) : t(`source.${one.kind}`)} · ${size(one.bytes)}`))));
      pane.begin(files[0]?.path);
    } catch (error) {
      pane.failed(error);
    }
  };

  const read = async () => {
    const asked = path;
    try {
      const given = await api.get(`/api/studio/source?path=${encodeURIComponent(path)}`);
      if (closed || asked !== path) return;
      file = given;
      redraw(detail, drafts.has(path) ? drawEditor : draw);
    } catch (error) {
      if (!closed) fill(detail, pane.back(), h("p.wrong.pad", reason(error)));
    }
  };

  const head = (...actions) => h(drafts.has(path) ? "header.head.stays" : "header.head", h("h1.path", file.path),
    h("div.facts-line", h("span.badge", t("source.lines", { n: linesOf(file.text).length })), file.writable && !session.readOnly ? null : h("span.badge", t("readonly")), h("span.actions", actions)));

  const draw = () => {
    const notes = file.findings.filter((one) => one.start && !one.hideSource);
    const view = codeView(file.text, {
      toml: /\.toml$/.test(file.path), findings: notes, label: file.path,
      note: (finding) => h("ul.inline", findingView(finding, session, { place: false })),
    });
    const tools = file.tools.length > 1 ? h("nav.jumps", { "aria-label": t("nav.tools") }, file.tools.map((tool) => h("a", { href: `#/source/${encodeURIComponent(file.path)}:${tool.line}` }, tool.name))) : null;
    const elsewhere = file.findings.filter((one) => !notes.includes(one));
    fill(detail, pane.back(), head(button(t("source.edit"), () => {
      drafts.set(path, { text: file.text, before: file.text, hash: file.hash });
      drawEditor();
      const area = detail.querySelector("textarea");
      area.setSelectionRange(0, 0);
      area.focus({ preventScroll: true });
    }, { disabled: session.readOnly || !file.writable })), tools,
    elsewhere.length ? h("ul.findings", elsewhere.map((one) => findingView(one, session))) : null, view);
    jump();
  };

  const jump = () => {
    const target = line ? detail.querySelector(`#L${line}`) : null;
    detail.querySelector(".line.here")?.classList.remove("here");
    target?.classList.add("here");
    // Only once: a file that is read again stays where it is.
    if (!jumped) target?.scrollIntoView({ block: "center" });
    jumped = true;
  };

  const drawEditor = () => {
    const draft = drafts.get(path);
    const numbers = h("div.numbers", { "aria-hidden": "true" });
    const area = h("textarea.code.whole", { wrap: "off", "aria-label": t("source.editing", { path }), value: draft.text, oninput: () => {
      // A text control gives back line ends as "\n": those of the file are put back.
      draft.text = file.lineEnd === "\r\n" ? area.value.replaceAll("\n", "\r\n") : area.value;
      count();
    }, onkeydown: (event) => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      saving();
    }, id: "text", "aria-keyshortcuts": "Control+S" });
    const count = () => {
      const lines = area.value.split("\n").length;
      if (numbers.childElementCount !== lines) fill(numbers, Array.from({ length: lines }, (_, index) => h("div", String(index + 1))));
      area.rows = Math.max(lines, 12);
    };
    const saving = async () => {
      const made = await agree(t("source.saving", { path }), (apply) => api.post("/api/studio/edits", { kind: "source", path, text: draft.text, hashes: { [path]: draft.hash }, ...(apply ? { apply } : {}) }), session);
      if (!made) return conflict();
      drafts.delete(path);
      read();
    };
    const notice = h("div.conflict", { role: "alert" });
    const conflict = async () => {
      try {
        file = await api.get(`/api/studio/source?path=${encodeURIComponent(path)}`);
      } catch (error) {
        return say(reason(error), { kind: "bad" });
      }
      warn();
    };
    const warn = () => {
      if (file.hash === draft.hash) return void fill(notice);
      fill(notice, h("p", h("strong", t("conflict.title")), " ", t("conflict.text")), h("div.actions",
        button(t("conflict.theirs"), () => {
          drafts.delete(path);
          draw();
        }, { kind: "small" }),
        button(t("conflict.mine"), () => {
          draft.hash = file.hash;
          warn();
        }, { kind: "small" })));
    };
    count();
    warn();
    fill(detail, pane.back(), head(button(t("source.drop"), () => {
      drafts.delete(path);
      draw();
    }, { kind: "quiet" }), button(t("edit.preview"), saving, { kind: "main" })), notice, h("div.writing", numbers, area));
  };

  readList();

  return {
    open(next) {
      const found = /^(.*?)(?::(\d+))?$/s.exec(next);
      const before = path;
      path = found[1];
      line = Number(found[2] ?? 0);
      jumped = false;
      pane.open(path, t("choose"));
      if (!path) file = null;
      else if (path === before && file && !drafts.has(path)) jump();
      else read();
    },
    changed() {
      readList();
      if (path) read();
    },
    close() {
      closed = true;
    },
  };
}
