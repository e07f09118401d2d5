// Made-up JSON Schemas, each with a value that it accepts. The same seed makes the same ones.
// Values are JSON texts or lists and `Map`s of them, so that no number is rounded and no name is special.

/** Random numbers of a seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return { next, below: (most) => Math.floor(next() * most), pick: (list) => list[Math.floor(next() * list.length)], chance: (part) => next() < part };
}

const NAMES = ["id", "a b", "1", "10", "__proto__", "constructor", "名前", "x.y", "na\"me", "[0]", "toString", "value", "kind", "/"];
const TEXTS = ["", "a", "two words", "{\"json\": true}", "<b>", "名前 🎉", "null", "7", "it's \"quoted\"", "back\\slash", "line\nbreak", "tab\tand\ttab", " ends with space "];
const NUMBERS = ["0", "1", "-1", "12345678901234567890", "3.00", "1e3", "-0.5", "0.1", "1E+2"];
const FORMATS = { date: "2026-01-31", "date-time": "2026-01-31T09:30:00Z", time: "09:30:00Z", email: "ada@example.com", uri: "https://example.com/a?b=c", uuid: "123e4567-e89b-42d3-a456-426614174000", ipv4: "127.0.0.1" };

const quote = (text) => JSON.stringify(text);

/** `[schema, value]`, both as JSON text. The schema is that of a tool: an object. */
export function toolSchema(seed) {
  const dice = random(seed);
  const [schema, value] = object(dice, 0);
  const defs = { tree: { type: "object", properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/tree" } } }, required: ["name"], additionalProperties: false }, code: { type: "string", enum: ["x", "y z", "ü"] } };
  return [schema.replace(/\}$/, `,"$defs":${JSON.stringify(defs)}}`), value];
}

function any(dice, depth) {
  const kinds = ["text", "text", "number", "integer", "boolean", "choice", "constant", "null", "reference", "any", "types"];
  if (depth < 3) kinds.push("object", "object", "list", "list", "tuple", "variant", "scalars", "all", "tree");
  switch (dice.pick(kinds)) {
    case "text": return text(dice);
    case "number": {
      const value = dice.pick(NUMBERS);
      const bounds = dice.pick(["", ',"minimum":-10', ',"exclusiveMinimum":-2', ',"maximum":99999999999999999999']);
      return [`{"type":"number"${bounds}}`, value];
    }
    case "integer": return ['{"type":"integer","default":5}', dice.pick(["0", "-7", "100", "12345678901234567890"])];
    case "boolean": return [`{"type":"boolean"${dice.pick(["", ',"default":true'])}}`, dice.pick(["true", "false"])];
    case "choice": {
      const values = ['"a"', '"b c"', "1", "true", "null", '""', '{"a":1}'];
      return [`{"enum":[${values}]}`, dice.pick(values)];
    }
    case "constant": {
      const value = dice.pick(['"fixed"', "4", "null", "[1]"]);
      return [`{"const":${value}}`, value];
    }
    case "null": return ['{"type":"null"}', "null"];
    case "reference": return ['{"$ref":"#/$defs/code","description":"a code"}', dice.pick(['"x"', '"y z"', '"ü"'])];
    case "any": return [dice.pick(["{}", "true", '{"description":"anything"}']), dice.pick(['{"a":[1,{"b":null}]}', "[]", '"text"', "1.50", "false"])];
    case "types": {
      const pairs = { string: quote(dice.pick(TEXTS)), integer: "42", null: "null", boolean: "true" };
      const types = Object.keys(pairs).filter(() => dice.chance(0.6));
      if (types.length < 2) types.splice(0, types.length, "string", "null");
      return [`{"type":${JSON.stringify(types)}}`, pairs[dice.pick(types)]];
    }
    case "object": return object(dice, depth + 1);
    case "list": return list(dice, depth);
    case "tuple": {
      const parts = [any(dice, depth + 1), any(dice, depth + 1)];
      return [`{"type":"array","prefixItems":[${parts.map(([schema]) => schema)}]}`, `[${parts.map(([, value]) => value)}]`];
    }
    case "variant": {
      const parts = ["one", "two", "three"].map((name) => [name, any(dice, depth + 1)]);
      const [name, [, value]] = dice.pick(parts);
      const schemas = parts.map(([kind, [schema]]) => `{"title":${quote(`kind ${kind}`)},"type":"object","properties":{"kind":{"const":${quote(kind)}},"is":${schema}},"required":["kind","is"],"additionalProperties":false}`);
      return [`{"${dice.pick(["oneOf", "anyOf"])}":[${schemas}]}`, `{"kind":${quote(name)},"is":${value}}`];
    }
    case "scalars": return ['{"anyOf":[{"type":"string","maxLength":60},{"type":"integer"},{"type":"array","items":{"type":"string"}}]}', dice.pick(['"word"', "7", '["a","b"]', "[]"])];
    case "all": return ['{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer"}}}]}', dice.pick(['{"a":"x"}', '{"a":"","b":3}'])];
    default: return ['{"$ref":"#/$defs/tree"}', dice.pick(['{"name":"root"}', '{"name":"r","children":[]}', '{"name":"r","children":[{"name":"c","children":[{"name":""}]},{"name":"d"}]}'])];
  }
}

function text(dice) {
  if (dice.chance(0.35)) {
    const [format, value] = dice.pick(Object.entries(FORMATS));
    return [`{"type":"string","format":"${format}"}`, quote(value)];
  }
  if (dice.chance(0.3)) return ['{"type":"string","pattern":"^[a-z]+$","minLength":1,"maxLength":12}', '"abc"'];
  return [dice.pick(['{"type":"string"}', '{"type":"string","default":"standard"}', '{"type":"string","maxLength":500}']), quote(dice.pick(TEXTS))];
}

function list(dice, depth) {
  const values = [];
  const seed = dice.below(1 << 30);
  let schema = "{}";
  // The same dice make the same schema; the values differ.
  for (let count = dice.below(4); count >= 0; count--) {
    const [made, value] = any(random(seed), depth + 1);
    schema = made;
    values.push(value);
  }
  if (dice.chance(0.2)) values.length = 0;
  return [`{"type":"array","items":${schema},"maxItems":20}`, `[${values}]`];
}

function object(dice, depth) {
  const names = [...NAMES].sort(() => dice.next() - 0.5).slice(0, 1 + dice.below(depth ? 3 : 5));
  // At the top, names are those of arguments.
  const fitting = depth ? names : names.map((name, index) => (/^[\w-]+$/.test(name) && name !== "__proto__" ? name : `argument_${index}`));
  const properties = [];
  const required = [];
  const members = [];
  for (const name of new Set(fitting)) {
    const [schema, value] = any(dice, depth + 1);
    properties.push(`${quote(name)}:${schema}`);
    const must = dice.chance(0.5);
    if (must) required.push(quote(name));
    if (must || dice.chance(0.6)) members.push(`${quote(name)}:${value}`);
  }
  let more = dice.pick(["", ',"additionalProperties":false']);
  if (depth && dice.chance(0.3)) {
    more = ',"additionalProperties":{"type":"integer"}';
    if (dice.chance(0.7)) members.push(`${quote(`more ${dice.below(9)}`)}:${dice.below(100)}`);
  }
  return [`{"type":"object","properties":{${properties}},"required":[${required}]${more}}`, `{${members}}`];
}
