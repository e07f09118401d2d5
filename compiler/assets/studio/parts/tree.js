// JSON as a tree that opens and closes.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { Num, write } from "../json.js";

const MOST = 200;
const OPEN_DEPTH = 3;

/** A value (of `json.parse`) as a tree. */
export function tree(value, depth = 0) {
  const list = Array.isArray(value);
  if (!list && !(value instanceof Map)) return leaf(value);
  const entries = list ? [...value.entries()] : [...value];
  if (!entries.length) return h("span.j-mark", list ? "[ ]" : "{ }");
  const inside = h("ul.tree");
  const more = (from) => {
    for (const [name, one] of entries.slice(from, from + MOST)) inside.append(h("li", row(name, one, list, depth)));
    if (from + MOST < entries.length) {
      const rest = h("li", h("button", { type: "button", class: "button quiet small", onclick: () => {
        rest.remove();
        more(from + MOST);
      } }, t("tree.more", { n: entries.length - from - MOST })));
      inside.append(rest);
    }
  };
  more(0);
  return inside;
}

function row(name, value, list, depth) {
  const key = h("span", { class: list ? "j-index" : "j-key" }, String(name));
  const many = Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0;
  if (!many) return h("div.row", key, " ", tree(value, depth + 1));
  const count = h("span.j-mark", Array.isArray(value) ? `[${many}]` : `{${many}}`);
  const inside = h("details", { open: depth < OPEN_DEPTH - 1 && many <= 40 }, h("summary", key, " ", count));
  // A part is drawn when it is opened: an answer may be large.
  const draw = () => inside.open && inside.childElementCount === 1 && inside.append(tree(value, depth + 1));
  inside.addEventListener("toggle", draw);
  draw();
  return inside;
}

function leaf(value) {
  const kind = value instanceof Num ? "number" : typeof value === "string" ? "text" : "word";
  return h("span", { class: `j-${kind}` }, write(value));
}
