// Source text with line numbers, colours and findings; and diffs.

import { h, region } from "../dom.js";

const WORDS = /("""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*|\$\{[^}]*\}|\b(?:true|false)\b|[-+]?\b\d[\w.:+-]*)/;

/** The lines of a TOML text, each a list of `[class, text]`. */
function coloured(lines) {
  let inside = ""; // the quotes of a text that goes over lines
  return lines.map((line) => {
    const parts = [];
    let rest = line;
    const head = inside ? null : /^(\s*)(\[{1,2}[^\]]*\]{1,2}|[\w."'-]+(?=\s*=))/.exec(rest);
    if (head) {
      parts.push(["", head[1]], [head[2].startsWith("[") ? "table" : "key", head[2]]);
      rest = rest.slice(head[0].length);
    }
    while (rest) {
      if (inside) {
        const end = rest.indexOf(inside);
        const text = end < 0 ? rest : rest.slice(0, end + 3);
        parts.push(["text", text]);
        rest = rest.slice(text.length);
        if (end >= 0) inside = "";
        continue;
      }
      const found = WORDS.exec(rest);
      if (!found) {
        parts.push(["", rest]);
        break;
      }
      const [word] = found;
      if (found.index) parts.push(["", rest.slice(0, found.index)]);
      rest = rest.slice(found.index + word.length);
      if (word === '"""' || word === "'''") {
        inside = word;
        parts.push(["text", word]);
      } else {
        parts.push([word.startsWith("#") ? "comment" : /^["']/.test(word) ? "text" : "number", word]);
      }
    }
    return parts;
  });
}

/** The part of each line that a finding is about: `[from, to)` in characters. */
function span(finding, number, length) {
  const { start, end } = finding;
  if (number < start.line || number > end.line) return null;
  const from = number === start.line ? start.column - 1 : 0;
  const to = number === end.line ? end.column - 1 : length;
  return [Math.min(from, length), Math.max(Math.min(to, length), from === to ? from + 1 : 0)];
}

/** The lines of a text; the end of the last one begins no other. */
export const linesOf = (text) => text.replace(/\r?\n$/, "").split(/\r?\n/);

/**
 * A text with numbered lines. `findings` are marked where they are; `note` draws what stands below the last line of one.
 * Lines have the ids `L1`, `L2`…
 */
export function codeView(text, { toml = false, findings = [], note = () => null, label = "" } = {}) {
  const lines = linesOf(text);
  const colours = toml ? coloured(lines) : lines.map((line) => [["", line]]);
  const view = h("div.source", region(label));
  view.style.setProperty("--digits", String(lines.length).length);
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const here = findings.filter((one) => one.start && number >= one.start.line && number <= one.end.line);
    const row = h("div", { class: `line${here.length ? ` ${worst(here)}` : ""}`, id: `L${number}` }, h("span.number", { "aria-hidden": "true" }, String(number)),
      h("code", here.length ? marked(line, colours[index], here, number) : colours[index].map(piece)));
    view.append(row);
    for (const finding of here) if (finding.start.line === number) view.append(...[note(finding)].filter(Boolean));
  }
  return view;
}

const worst = (findings) => (findings.some((one) => one.severity === "error") ? "error" : "warning");
const piece = ([kind, text]) => (kind ? h("span", { class: `c-${kind}` }, text) : text);

function marked(line, parts, findings, number) {
  const characters = [...line];
  const kinds = parts.flatMap(([kind, text]) => [...text].map(() => kind));
  const marks = characters.map(() => "");
  for (const finding of findings) {
    const [from, to] = span(finding, number, characters.length);
    for (let at = from; at < to && at < marks.length; at++) if (marks[at] !== "error") marks[at] = finding.severity;
  }
  const pieces = [];
  for (let at = 0; at < characters.length;) {
    let end = at;
    while (end < characters.length && kinds[end] === kinds[at] && marks[end] === marks[at]) end++;
    const text = piece([kinds[at], characters.slice(at, end).join("")]);
    pieces.push(marks[at] ? h("mark", { class: marks[at] }, text) : text);
    at = end;
  }
  return pieces;
}

/** A unified diff. */
export function diffView(diff, label) {
  const kind = (line) => ({ "+": "added", "-": "removed", "@": "place" })[line[0]] ?? "";
  const lines = diff.replace(/\n$/, "").split("\n");
  return h("div.diff", region(label), lines.map((line) => h("div", { class: `line ${kind(line)}` }, h("code", line || " "))));
}

/** Plain text that keeps its lines, and is read with the keyboard where it is long. */
export function block(text, label, kind = "") {
  return h("pre", { class: `block ${kind}`, ...region(label) }, text);
}
