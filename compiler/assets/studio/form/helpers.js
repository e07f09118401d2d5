// Buttons that fill in a value of a format which nobody likes to type.

import { button, h } from "../dom.js";
import { t } from "../i18n.js";

const two = (value) => String(value).padStart(2, "0");

const NOW = {
  date: (now) => `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
  "date-time": (now) => now.toISOString().replace(/\.\d+/, ""),
  time: (now) => now.toISOString().slice(11, 19) + "Z",
};

/** The buttons for a field; `put` takes the text. */
export function helpers(field, put) {
  const format = field.schema.get("format");
  if (NOW[format]) return button(t("form.now"), () => put(NOW[format](new Date())), { kind: "quiet small" });
  if (format === "uuid") return button(t("form.new"), () => put(crypto.randomUUID()), { kind: "quiet small" });
  if (field.schema.get("contentEncoding") === "base64" || format === "byte") return file(put);
  return null;
}

function file(put) {
  const picker = h("input", { type: "file", hidden: true, onchange: async () => {
    const [chosen] = picker.files;
    if (chosen) put(base64(new Uint8Array(await chosen.arrayBuffer())));
  } });
  return [button(t("form.file"), () => picker.click(), { kind: "quiet small" }), picker];
}

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}
