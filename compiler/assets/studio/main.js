// The frame of the page: what is open, whether the server is there, theme and language.

import * as api from "./api.js";
import { button, fill, h, say } from "./dom.js";
import { choose, language, t } from "./i18n.js";
import { showFindings, showHistory } from "./parts/edits.js";
import { drafts, session, update } from "./session.js";
import { edgeView } from "./views/edge.js";
import { serversView } from "./views/servers.js";
import { sourceView } from "./views/source.js";
import { toolsView } from "./views/tools.js";

const VIEWS = { tools: toolsView, servers: serversView, source: sourceView, edge: edgeView };
const THEMES = ["auto", "light", "dark"];

const app = document.getElementById("app");
const main = h("main", { id: "main", tabindex: "-1" });
let view = null;
let state = "connecting";

const brand = h("span.brand", h("img", { src: "icon.svg", alt: "", width: "20", height: "20" }), h("span", "mcpc studio"));
const offered = () => (session.mode === "edge" ? ["edge"] : ["tools", "servers", "source"]);

/** What the fragment names: a view, and what is open in it. */
function route() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const known = offered().includes(name) ? name : offered()[0];
  let open = "";
  try {
    open = decodeURIComponent(rest.join("/"));
  } catch {
    // Not a fragment of this page: nothing is open.
  }
  return { name: known, open };
}

function show() {
  const { name, open } = route();
  for (const link of app.querySelectorAll("nav a")) {
    if (link.hash === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${open || t(`nav.${name}`)} · mcpc studio`;
  if (view?.name !== name) {
    view?.close?.();
    view = { name, ...VIEWS[name](main) };
  }
  view.open(open);
}

function header() {
  const theme = document.documentElement.dataset.theme ?? "auto";
  return h("header.top",
    h("button", { type: "button", class: "skip", onclick: () => main.focus() }, t("skip")),
    brand,
    h("nav", { "aria-label": t("nav") }, offered().map((name) => h("a", { href: `#/${name}` }, t(`nav.${name}`)))),
    h("div.status",
      h("span.summary", summary()),
      session.mock ? h("span.badge", t("mock")) : null,
      session.readOnly ? h("span.badge", t("readonly")) : null,
      h("span", { class: `state ${state}`, title: t(state === "lost" ? "lost.lost" : `state.${state}`) }, h("span.unseen", t(state === "lost" ? "lost.lost" : `state.${state}`)))),
    h("div.switches",
      session.mode === "specs" ? button(t("history"), showHistory, { kind: "quiet history" }) : null,
      h("button", { type: "button", class: "button quiet", lang: language() === "zh" ? "en" : "zh-CN", onclick: () => {
        choose(language() === "zh" ? "en" : "zh");
        draw();
      } }, language() === "zh" ? "English" : "中文"),
      button(t("theme", { name: t(`theme.${theme}`) }), () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % 3]), { kind: "quiet only", picture: { auto: "auto", light: "sun", dark: "moon" }[theme], id: "theme" })),
  );
}

function summary() {
  const { summary } = session;
  if (!summary) return "";
  const { tools, tokens, errors, warnings } = summary;
  return [
    h("span", t("summary.tools", { n: tools })), h("span", t("summary.tokens", { n: tokens })),
    errors + warnings ? h("button", { type: "button", class: "button quiet small", id: "findings", onclick: showFindings },
      errors ? h("span.error", t("summary.errors", { n: errors })) : null,
      warnings ? h("span.warning", t("summary.warnings", { n: warnings })) : null) : null,
  ];
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  localStorage.setItem("studio-theme", theme);
  top();
}

/** Draws the frame again; the view stays. */
function top() {
  const focused = document.activeElement?.id;
  const head = header();
  app.querySelector(".top").replaceWith(head);
  document.getElementById("problem")?.remove();
  if (session.problem) document.body.append(h("div", { id: "problem", role: "alert" }, session.problem));
  const { name } = route();
  head.querySelector(`nav a[href="#/${name}"]`)?.setAttribute("aria-current", "page");
  if (focused) document.getElementById(focused)?.focus();
}

function draw() {
  view?.close?.();
  view = null;
  document.getElementById("lost")?.remove();
  fill(app, header(), main);
  if (state === "lost" || state === "refused") notice();
  if (session.known) show();
}

/** Tells that the server is gone, or takes another token; the page goes on as soon as there is one. */
function notice() {
  document.getElementById("lost")?.remove();
  const wrong = h("p.wrong", { role: "alert" });
  const field = h("input", { id: "address", placeholder: `${location.origin}/#token=…` });
  const use = (event) => {
    event.preventDefault();
    if (api.useToken(field.value)) api.reconnect();
    else wrong.textContent = t("lost.notoken");
  };
  document.body.append(h("div", { id: "lost", role: "alert", class: state },
    h("p", h("strong", t(`lost.${state}`)), " ", t(`lost.${state}.do`)),
    state === "refused" ? h("form", { onsubmit: use }, h("label", { for: "address" }, t("lost.address")), h("div.control", field, h("button.button.main", t("lost.use"))), wrong) : null,
    button(t("lost.again"), api.reconnect, { kind: "small" })));
}

function changed(next) {
  if (next === state) return;
  state = next;
  if (next === "open") document.getElementById("lost")?.remove();
  else notice();
  top();
}

/** Reads what the server is; after a restart, everything is read again. */
async function meet() {
  try {
    const before = session.start;
    update({ ...(await api.get("/api/studio")), known: true });
    if (before && before !== session.start) say(t("restarted"));
    draw();
    top();
  } catch (error) {
    if (error.status === 401) changed("refused");
  }
}

async function onevent(name, data) {
  if (name === "hello" && (!session.known || data.start !== session.start)) {
    await meet();
  } else if (name === "specs" || name === "hello") {
    if (data.generation === session.generation) return;
    try {
      update(await api.get("/api/studio"));
    } catch (error) {
      if (error.status === 401) changed("refused");
      return;
    }
    top();
    view?.changed?.(data);
  } else if (name === "goodbye") {
    changed("lost");
  } else {
    view?.changed?.({ [name]: data });
  }
}

api.begin();
draw();
addEventListener("beforeunload", (event) => {
  if (drafts.texts.size || [...drafts.files.values()].some((one) => one.text !== one.before)) event.preventDefault();
});
addEventListener("hashchange", () => {
  if (/^#(token=|[^/])/.test(location.hash) && api.useToken(location.hash.slice(1))) {
    history.replaceState(null, "", location.pathname);
    api.reconnect();
  } else if (session.known) show();
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)) return;
  const search = main.querySelector('input[type="search"]');
  if (search) {
    event.preventDefault();
    search.focus();
  }
});
api.listen(onevent, changed);
