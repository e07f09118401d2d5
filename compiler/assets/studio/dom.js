// Elements. Whatever comes from outside becomes a text node: nothing in this page parses HTML.

const SET = ["value", "checked", "disabled", "hidden", "open", "selected"];

/** An element: `h("p.hint", {id: "x"}, children…)`. Properties may be left out; those with `on` are listeners. */
export function h(name, properties, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  if (properties?.constructor !== Object) children.unshift(properties);
  else for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (SET.includes(key)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  if (tag === "input" || tag === "textarea") {
    element.autocomplete ||= "off";
    element.spellcheck = false;
  }
  element.append(...kept(children));
  return element;
}

/** What makes a part that scrolls readable with the keyboard. */
export const region = (label) => ({ role: "region", tabindex: "0", "aria-label": label });

const kept = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren(...kept(children));
  return element;
}

/** Draws a place again. What had the focus has it again, known by its id or its words, with the same caret. */
export function redraw(place, draw) {
  const old = place.contains(document.activeElement) ? document.activeElement : null;
  const [from, to] = [old?.selectionStart, old?.selectionEnd];
  draw();
  if (!old || old === document.activeElement) return;
  const words = (one) => `${one.getAttribute("aria-label")} ${one.textContent}`;
  const same = (one) => (old.id ? one.id === old.id : words(one) === words(old));
  const next = old.isConnected ? old : [...document.querySelectorAll(old.localName)].find(same);
  next?.focus({ preventScroll: true });
  if (typeof from === "number") next?.setSelectionRange?.(from, to);
}

/** Makes a node look like another one, and leaves alone what is the same: a selection and the focus stay. */
export function patch(old, next) {
  if (old.nodeName !== next.nodeName) return old.replaceWith(next);
  if (old.nodeType === Node.TEXT_NODE) return old.data === next.data || (old.data = next.data);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const [before, after] = [[...old.childNodes], [...next.childNodes]];
  for (const [index, one] of after.entries()) {
    if (before[index]) patch(before[index], one);
    else old.append(one);
  }
  for (const one of before.slice(after.length)) one.remove();
}

let counter = 0;
/** An id that no other element of the page has. */
export const fresh = () => `e${++counter}`;

/** Waits until nothing has happened for a while. */
export function calm(milliseconds, act) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
}

// Lines on a square of 24.
const ICONS = {
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
  moon: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10",
  auto: "M12 4a8 8 0 1 0 0 16 8 8 0 1 0 0-16v16M15 5.6v12.8M18 7v10",
  back: "m15 5-7 7 7 7",
  up: "m6 14 6-6 6 6",
  down: "m6 10 6 6 6-6",
  close: "m6 6 12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  play: "M7 5v14l11-7z",
};

/** A picture that says nothing by itself: the control around it has the words. */
export function icon(name) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [key, value] of [["viewBox", "0 0 24 24"], ["class", "icon"], ["aria-hidden", "true"]]) picture.setAttribute(key, value);
  path.setAttribute("d", ICONS[name]);
  picture.append(path);
  return picture;
}

/** A button; with an icon alone, `label` is what it says. */
export function button(label, act, { kind = "", picture = "", ...rest } = {}) {
  const only = kind.includes("only");
  return h(
    "button",
    { type: "button", class: `button ${kind}`.trim(), onclick: act, ...(only ? { "aria-label": label, title: label } : {}), ...rest },
    picture && icon(picture),
    only ? null : h("span", label),
  );
}

/** Tabs with their panels: `list` has `{id, label, draw}`; `draw` makes a panel when it is first shown. Ids are of the page. */
export function tabs(label, list, chosen, onchoose = () => {}) {
  const bar = h("div.tabs", { role: "tablist", "aria-label": label });
  const panel = h("div.panel", { role: "tabpanel", tabindex: "0" });
  const made = new Map();
  const choose = (id, focus) => {
    const one = list.find((tab) => tab.id === id) ?? list[0];
    for (const tab of bar.children) {
      const selected = tab.id === `tab-${one.id}`;
      tab.setAttribute("aria-selected", selected);
      tab.tabIndex = selected ? 0 : -1;
      if (selected && focus) tab.focus();
    }
    panel.setAttribute("aria-labelledby", `tab-${one.id}`);
    if (!made.has(one.id)) made.set(one.id, one.draw());
    fill(panel, made.get(one.id));
    onchoose(one.id);
  };
  for (const tab of list) {
    bar.append(h("button", { type: "button", role: "tab", id: `tab-${tab.id}`, onclick: () => choose(tab.id) }, tab.label));
  }
  bar.addEventListener("keydown", (event) => {
    const at = [...bar.children].indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined || at < 0) return;
    event.preventDefault();
    choose(list.at(next % list.length).id, true);
  });
  choose(chosen);
  return Object.assign(h("div.tabbed", bar, panel), { choose });
}

/** A dialog of the browser: it keeps the focus, and Escape closes it. */
export function dialog(title, draw, { wide = false } = {}) {
  const id = fresh();
  const box = h("dialog", { class: wide ? "wide" : "", "aria-labelledby": id });
  const close = () => box.close();
  box.append(h("h2", { id }, title), ...kept([draw(close)]));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

/** Says something to people who do not see the page, and shows it to others for a while. */
export function say(text, { kind = "", act = null } = {}) {
  const area = document.getElementById("said");
  const line = h("div", { class: `said ${kind}` }, h("span", text), act && button(act.label, () => { line.remove(); act.run(); }, { kind: "quiet" }));
  fill(area, line);
  setTimeout(() => line.remove(), 8000);
}

/** A button that puts a text into the clipboard. */
export function copier(label, said, text) {
  return button(label, async () => {
    await navigator.clipboard.writeText(text());
    say(said);
  }, { kind: "quiet only small", picture: "copy" });
}
