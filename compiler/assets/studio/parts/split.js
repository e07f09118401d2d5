// A list beside what is open of it. On a narrow page it is one of both.

import { fill, h, icon } from "../dom.js";
import { t } from "../i18n.js";
import { reason } from "./edits.js";

/** `view` is the part of the address; `bar` stands above the list. */
export function split(main, view, label, ...bar) {
  const list = h("div.list");
  const detail = h("div.detail");
  const whole = h("div.split", h("section.aside", { "aria-label": label }, h("div.bar", bar), list), detail);
  fill(main, whole);
  let open = "";
  const address = (name) => `#/${view}/${encodeURIComponent(name)}`;
  const mark = () => {
    for (const link of list.querySelectorAll("a")) {
      if (link.hash === address(open)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  list.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const next = links[links.indexOf(document.activeElement) + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? NaN)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  return {
    list,
    detail,
    address,
    back: () => h("a.back", { href: `#/${view}` }, icon("back"), label),
    show(...children) {
      fill(list, children);
      mark();
    },
    failed: (error) => fill(list, h("p.wrong.pad", reason(error))),
    open(name, hint) {
      open = name;
      whole.classList.toggle("opened", name !== "");
      detail.scrollTop = 0;
      scrollTo(0, 0);
      if (!name) fill(detail, h("p.hint.empty", hint));
      mark();
    },
    /** Opens the first of a list where there is room for both. A list that comes late may be of a view that is closed, or about to be. */
    begin(name) {
      const isLeft = !["", "#/", `#/${view}`].includes(location.hash);
      if (isLeft || !whole.isConnected || open || !name || !matchMedia("(min-width: 900px)").matches) return;
      location.replace(address(name));
    },
  };
}

/** A line of the list: what stands in its first row, and words below. */
export const entry = (href, row, about, kind = "") => h("li", h("a", { href, class: kind }, h("span.row", row), h("span.about", about)));

/** How many errors and warnings something has. */
export const counts = (given) => ["error", "warning"].map((kind) => given[`${kind}s`] > 0 && h(`span.count.${kind}`, h(`span.dot.${kind}`), t(`summary.${kind}s`, { n: given[`${kind}s`] })));
