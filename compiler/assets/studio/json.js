// JSON that stays as it was typed: numbers keep their digits, and members their order and names.
// `JSON.parse` would round 12345678901234567890, turn 3.00 into 3, and move a member named "1".

/** A number, as it is written. */
export class Num {
  constructor(text) {
    this.text = text;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const DEEPEST = 200;

/** Whether a text is a JSON number. */
export function isNumber(text) {
  NUMBER.lastIndex = 0;
  return NUMBER.exec(text)?.[0].length === text.length && text !== "";
}

/** Null, a boolean, a string, a `Num`, an array or a `Map`. Throws a `SyntaxError` with the place. */
export function parse(text) {
  let at = 0;
  const fail = () => {
    const before = text.slice(0, at).split("\n");
    throw new SyntaxError(`${before.length}:${before.at(-1).length + 1}`);
  };
  const space = () => {
    while (at < text.length && " \t\n\r".includes(text[at])) at++;
  };
  const word = (letters, value) => {
    if (!text.startsWith(letters, at)) fail();
    at += letters.length;
    return value;
  };
  const string = () => {
    const start = at++;
    for (;;) {
      PLAIN.lastIndex = at;
      at += PLAIN.exec(text)?.[0].length ?? fail();
      if (text[at] === "\\") at += 2;
      else if (text[at] === '"') break;
      else fail();
    }
    try {
      return JSON.parse(text.slice(start, ++at));
    } catch {
      at = start;
      return fail();
    }
  };
  const value = (depth) => {
    if (depth > DEEPEST) fail();
    space();
    switch (text[at]) {
      case "{": return members(depth);
      case "[": return items(depth);
      case '"': return string();
      case "t": return word("true", true);
      case "f": return word("false", false);
      case "n": return word("null", null);
    }
    NUMBER.lastIndex = at;
    const digits = NUMBER.exec(text)?.[0];
    if (digits === undefined) fail();
    at += digits.length;
    return new Num(digits);
  };
  // What is between brackets: `one` is called for each part.
  const parts = (end, one) => {
    at++;
    space();
    if (text[at] === end) return void at++;
    for (;;) {
      one();
      space();
      if (text[at] === end) return void at++;
      if (text[at] !== ",") fail();
      at++;
      space();
    }
  };
  const items = (depth) => {
    const list = [];
    parts("]", () => list.push(value(depth + 1)));
    return list;
  };
  const members = (depth) => {
    const map = new Map();
    parts("}", () => {
      if (text[at] !== '"') fail();
      const name = string();
      space();
      if (text[at] !== ":") fail();
      at++;
      map.set(name, value(depth + 1));
    });
    return map;
  };
  const whole = value(0);
  space();
  if (at < text.length) fail();
  return whole;
}

/** The text of a value; with `indent`, on lines of its own. */
export function write(value, indent = "", margin = "") {
  if (value instanceof Num) return value.text;
  const inner = margin + indent;
  const lines = (open, parts, close) => {
    if (parts.length === 0) return open + close;
    if (!indent) return open + parts.join(",") + close;
    return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
  };
  if (Array.isArray(value)) return lines("[", value.map((one) => write(one, indent, inner)), "]");
  if (value instanceof Map) {
    const colon = indent ? ": " : ":";
    const parts = [...value].map(([name, one]) => JSON.stringify(name) + colon + write(one, indent, inner));
    return lines("{", parts, "}");
  }
  return JSON.stringify(value);
}

/** The same value with the objects and numbers of JavaScript. */
export function plain(value) {
  return value === undefined ? undefined : JSON.parse(write(value));
}

/** A text with indentation if it is JSON, otherwise null. */
export function pretty(text) {
  try {
    return write(parse(text), "  ");
  } catch {
    return null;
  }
}

/** Whether two values are the same text. */
export const same = (one, other) => write(one) === write(other);
