// What a JSON Schema asks a person for. Nothing here decides what is valid: the server does.
// A schema is what `json.parse` makes of it: `Map`s, so that no name in it is special.

import { Num, same, write } from "../json.js";

const MOST_REFERENCES = 16;
const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

export const isMap = (value) => value instanceof Map;

/** The schema that a `$ref` inside the document points to; undefined if there is none. */
function lookup(root, reference) {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let at = root;
  for (const part of reference.slice(2).split("/")) {
    let name;
    try {
      name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    } catch {
      return undefined;
    }
    at = isMap(at) ? at.get(name) : Array.isArray(at) ? at[Number(name)] : undefined;
  }
  return at;
}

/** Both schemas in one: what is said twice is the second's, properties and required names are joined. */
function merged(first, second) {
  const both = new Map(first);
  for (const [key, value] of second) {
    const old = both.get(key);
    if (key === "required" && Array.isArray(old) && Array.isArray(value)) both.set(key, [...new Set([...old, ...value])]);
    else if (key === "properties" && isMap(old) && isMap(value)) both.set(key, joined(old, value));
    else both.set(key, value);
  }
  return both;
}

function joined(old, value) {
  const all = new Map(old);
  for (const [name, schema] of value) {
    const before = all.get(name);
    all.set(name, isMap(before) && isMap(schema) ? merged(before, schema) : schema);
  }
  return all;
}

/** A schema with its references and `allOf` resolved; null for what cannot be resolved. */
export function resolved(root, schema) {
  let at = schema;
  for (let count = 0; count < MOST_REFERENCES; count++) {
    if (!isMap(at)) return at === true || at === undefined ? new Map() : null;
    if (at.has("$ref")) {
      const target = lookup(root, at.get("$ref"));
      const rest = new Map(at);
      rest.delete("$ref");
      if (target === undefined || target === false) return null;
      at = isMap(target) ? merged(target, rest) : rest;
    } else if (Array.isArray(at.get("allOf"))) {
      const rest = new Map(at);
      rest.delete("allOf");
      let all = new Map();
      for (const part of at.get("allOf")) {
        const one = isMap(part) && part.has("$ref") ? lookup(root, part.get("$ref")) : part;
        if (isMap(one)) all = merged(all, isMap(part) && part.has("$ref") ? merged(one, without(part, "$ref")) : one);
        else if (one !== true) return null;
      }
      at = merged(all, rest);
    } else {
      return at;
    }
  }
  return null;
}

function without(map, key) {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

/** The type that the form draws: one of `TYPES`, "any", or a list of types. */
export function typeOf(schema) {
  const type = schema.get("type");
  if (TYPES.includes(type)) return type;
  if (Array.isArray(type)) {
    const known = type.filter((one) => TYPES.includes(one));
    return known.length === 1 ? known[0] : known.length ? known : "any";
  }
  if (["properties", "additionalProperties", "required"].some((key) => schema.has(key))) return "object";
  if (schema.has("items") || schema.has("prefixItems")) return "array";
  return "any";
}

/** The alternatives of `oneOf`, `anyOf` or several types: schemas, each with what surrounds it. */
export function alternatives(root, schema) {
  for (const key of ["oneOf", "anyOf"]) {
    const list = schema.get(key);
    if (!Array.isArray(list) || list.length === 0) continue;
    const around = without(schema, key);
    for (const word of ["default", "examples", "title", "description"]) around.delete(word);
    const parts = list.map((one) => {
      const part = resolved(root, one);
      return part && merged(around, part);
    });
    // Alternatives that only say which members must be there are no forms of their own.
    if (parts.every((one) => one && typeOf(one) === typeOf(around) && onlyRequires(one, around))) return null;
    return parts.every(Boolean) ? parts : null;
  }
  const type = typeOf(schema);
  return Array.isArray(type) ? type.map((one) => merged(schema, new Map([["type", one]]))) : null;
}

function onlyRequires(part, around) {
  return typeOf(around) === "object" && [...part].every(([key, value]) => key === "required" || same(value, around.get(key) ?? null));
}

/** A short name for an alternative. */
export function nameOf(schema) {
  const title = schema.get("title");
  if (typeof title === "string" && title) return title;
  if (schema.has("const")) return write(schema.get("const"));
  const properties = schema.get("properties");
  if (isMap(properties)) {
    const fixed = [...properties].find(([, one]) => isMap(one) && one.has("const"));
    if (fixed) return `${fixed[0]}: ${write(fixed[1].get("const"))}`;
    const required = schema.get("required");
    const names = Array.isArray(required) && required.length ? required : [...properties.keys()];
    if (names.length) return `{ ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""} }`;
  }
  if (Array.isArray(schema.get("enum"))) return schema.get("enum").slice(0, 3).map((one) => write(one)).join(" | ");
  const format = schema.get("format");
  const type = typeOf(schema);
  return typeof format === "string" && format ? `${type} (${format})` : String(type);
}

/** Whether a value could be of a schema: enough to choose an alternative to show it with. */
export function fits(root, schema, value) {
  const one = resolved(root, schema);
  if (!one) return false;
  if (one.has("const")) return same(one.get("const"), value);
  if (Array.isArray(one.get("enum"))) return one.get("enum").some((other) => same(other, value));
  const type = typeOf(one);
  if (type !== "any" && ![type].flat().some((name) => isOf(name, value))) return false;
  if (!isMap(value)) return true;
  const properties = isMap(one.get("properties")) ? one.get("properties") : new Map();
  const required = Array.isArray(one.get("required")) ? one.get("required") : [];
  if (!required.every((name) => value.has(name))) return false;
  if (one.get("additionalProperties") === false && ![...value.keys()].every((name) => properties.has(name))) return false;
  return [...value].every(([name, member]) => {
    const part = properties.has(name) ? resolved(root, properties.get(name)) : null;
    return !part || !(part.has("const") || part.has("enum")) || fits(root, part, member);
  });
}

function isOf(type, value) {
  switch (type) {
    case "null": return value === null;
    case "boolean": return typeof value === "boolean";
    case "string": return typeof value === "string";
    case "number": return value instanceof Num;
    case "integer": return value instanceof Num && Number.isInteger(Number(value.text));
    case "array": return Array.isArray(value);
    default: return isMap(value);
  }
}

/** The bounds of a schema, as pairs of what is bounded and its range or pattern. */
export function bounds(schema) {
  const value = (word) => (schema.has(word) ? shown(schema.get(word)) : "");
  const range = (least, most) => (least && most ? `${least} – ${most}` : least ? `≥ ${least}` : most ? `≤ ${most}` : "");
  const beyond = (sign, word) => (value(word) ? `${sign} ${value(word)}` : "");
  return [
    ["value", range(value("minimum"), value("maximum"))],
    ["value", [beyond(">", "exclusiveMinimum"), beyond("<", "exclusiveMaximum")].filter(Boolean).join(", ")],
    ["multiple", value("multipleOf")],
    ["length", range(value("minLength"), value("maxLength"))],
    ["pattern", value("pattern")],
    ["items", range(value("minItems"), value("maxItems"))],
    ["properties", range(value("minProperties"), value("maxProperties"))],
  ].filter(([, text]) => text);
}

const shown = (value) => (typeof value === "string" ? value : write(value));
