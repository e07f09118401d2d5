// What a tool gives back: texts, images, audio, resources, structured content. All of it is shown, none of it runs.

import { button, h } from "../dom.js";
import { size, t } from "../i18n.js";
import { plain, pretty } from "../json.js";
import { block } from "./code.js";
import { tree } from "./tree.js";

const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon)$/;
const SOUNDS = /^audio\/[\w.+-]+$/;

/** A result (of `json.parse`): its items one below the other, then its structured content. */
export function resultView(exact) {
  const result = plain(exact);
  const items = Array.isArray(result?.content) ? result.content : [];
  return h("div", { class: `result${result?.isError ? " failed" : ""}` },
    items.length || result?.structuredContent !== undefined ? null : h("p.hint", t("result.empty")),
    items.map((one, index) => item(one, exact.get("content")[index])),
    result?.structuredContent === undefined ? null : h("section.item", h("h3", t("result.structured")), tree(exact.get("structuredContent"))));
}

function item(one, exact) {
  switch (one?.type) {
    case "text": return h("section.item", block(String(one.text ?? ""), t("result.text"), "wrap"));
    case "image": return media(one.mimeType, one.data, t("result.image"));
    case "audio": return media(one.mimeType, one.data, t("result.audio"));
    case "resource": return resource(one.resource ?? {});
    case "resource_link": return h("section.item", h("h3", t("result.link"), badge(one.mimeType)), facts([["name", one.name], ["title", one.title], ["uri", one.uri], ["description", one.description], ["size", typeof one.size === "number" ? size(one.size) : null]]));
    default: return h("section.item", h("h3", t("result.other")), tree(exact));
  }
}

function resource(one) {
  const head = h("h3", t("result.resource"), badge(one.mimeType));
  const place = facts([["uri", one.uri]]);
  if (typeof one.text === "string") return h("section.item", head, place, block(one.text, t("result.resource"), "wrap"));
  const inside = media(one.mimeType, one.blob, t("result.resource"));
  inside.prepend(place);
  return inside;
}

const badge = (text) => (text ? h("span.badge", String(text)) : null);

/** Names and values; what is missing is left out. */
export function facts(pairs) {
  return h("dl.facts", pairs.filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => [h("dt", name), h("dd", String(value))]));
}

/** Bytes that are a picture, a sound, or a file to keep. A picture is an `img`: scripts in it do not run. */
function media(type, data, label) {
  const bytes = decoded(data);
  const section = h("section.item", h("h3", label, badge(type), badge(bytes ? size(bytes.length) : null)));
  if (!bytes) return section.append(h("p.wrong", t("result.undecodable"))), section;
  const kind = String(type ?? "").toLowerCase().split(";")[0].trim();
  const url = URL.createObjectURL(new Blob([bytes], { type: IMAGES.test(kind) || SOUNDS.test(kind) ? kind : "application/octet-stream" }));
  if (IMAGES.test(kind)) section.append(h("div.picture", h("img", { src: url, alt: `${label}, ${kind}`, onerror: (event) => event.target.replaceWith(t("result.undecodable")) })));
  else if (SOUNDS.test(kind)) section.append(h("audio", { src: url, controls: true, "aria-label": `${label}, ${kind}` }));
  else section.append(h("a.button", { href: url, download: "answer.bin" }, t("result.download")));
  return section;
}

function decoded(data) {
  try {
    return Uint8Array.from(atob(String(data ?? "")), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The raw answer of an upstream, with indentation where it is JSON and one wants it. */
export function rawView(raw) {
  if (!raw) return h("p.hint", t("result.noraw"));
  if (raw.text === null || raw.text === undefined) {
    const view = media(raw.contentType, raw.base64, t("result.bytes"));
    if (raw.truncated) view.append(h("p.hint", t("result.truncated")));
    return view;
  }
  const nice = raw.truncated ? null : pretty(raw.text);
  const text = block(raw.text, t("answer.raw"), "wrap");
  let indented = false;
  const toggle = nice !== null && nice !== raw.text && button(t("result.indent"), () => {
    indented = !indented;
    text.textContent = indented ? nice : raw.text;
    toggle.setAttribute("aria-pressed", String(indented));
  }, { kind: "quiet small", "aria-pressed": "false" });
  return h("section.item",
    h("h3", badge(raw.contentType), badge(size(raw.bytes)), toggle),
    text, raw.truncated ? h("p.hint", t("result.truncated")) : null);
}
