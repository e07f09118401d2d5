// The words of the page, in the language of the browser or the one that was chosen.

import TEXTS from "./texts.js";

export const language = () => (document.documentElement.lang.startsWith("zh") ? "zh" : "en");

export function choose(code) {
  document.documentElement.lang = code === "zh" ? "zh-CN" : "en";
  localStorage.setItem("studio-language", code);
}

/** The text of a key, with `{name}` replaced. `{n}` picks the plural where a text has two forms. */
export function t(key, values = {}) {
  const found = TEXTS[key]?.[language() === "zh" ? 1 : 0];
  if (found === undefined) throw new Error(`no text for ${key}`);
  const text = Array.isArray(found) ? found[values.n === 1 ? 0 : 1] : found;
  return text.replace(/\{(\w+)\}/g, (_, name) => shown(values[name]));
}

const shown = (value) => (typeof value === "number" ? number(value) : String(value ?? ""));

/** A text that may be missing from the tables: the word itself then. */
export const word = (prefix, name) => (`${prefix}.${name}` in TEXTS ? t(`${prefix}.${name}`) : String(name));

export const number = (value) => new Intl.NumberFormat(language()).format(value);

export function size(bytes) {
  if (bytes < 1024) return t("unit.bytes", { n: bytes });
  const [value, unit] = bytes < 1048576 ? [bytes / 1024, "KB"] : [bytes / 1048576, "MB"];
  return `${number(Math.round(value * 10) / 10)} ${unit}`;
}

export function duration(milliseconds) {
  if (milliseconds >= 1000) return `${number(Math.round(milliseconds / 100) / 10)} s`;
  return `${number(Math.round(milliseconds * 10) / 10)} ms`;
}

/** A time where the page is, with its date if `dateStyle` says how. */
export const clock = (time, dateStyle) => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : new Intl.DateTimeFormat(language(), { timeStyle: "medium", dateStyle }).format(date);
};
