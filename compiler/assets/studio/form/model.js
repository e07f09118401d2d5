// A form without a page: fields made from a schema, and the JSON text that they add up to.
// What a value looks like is kept: a field that cannot show a value exactly shows it as JSON.

import { Num, isNumber, parse, write } from "../json.js";
import { alternatives, fits, isMap, nameOf, resolved, typeOf } from "./schema.js";

// A schema may be hostile: beyond these, a field takes JSON.
const MOST_FIELDS = 2000;
const MOST_CHOICES = 500;
const DEEPEST = 24;
// Required objects below this are empty until one opens them.
const OPEN_DEPTH = 4;

let ids = 0;

/** All fields of one form. `onchange` is called after each change. */
export class Form {
  constructor(schema) {
    this.schema = schema;
    this.onchange = () => {};
    this.#clear();
  }

  #clear() {
    this.fields = 0;
    this.root = new Field(this, this.schema, { required: true });
  }

  /** The arguments as JSON text; it may be no JSON if a person typed none. */
  get text() {
    return this.root.text() ?? "{}";
  }

  fill(value) {
    this.#clear();
    this.root.fill(value);
    this.onchange();
  }
}

/** One value of a form: how it is drawn (`kind`), whether it is sent (`present`), and what was typed. */
export class Field {
  constructor(form, schema, { name = "", parent = null, required = false, depth = 0 } = {}) {
    const made = resolved(form.schema, schema);
    Object.assign(this, { form, parent, name, required, depth, id: `f${++ids}` });
    form.fields++;
    this.schema = made ?? new Map();
    this.kind = made === null || form.fields > MOST_FIELDS || depth > DEEPEST ? "raw" : this.#kind();
    this.json = false; // whether a person sees JSON in place of controls
    this.typed = ""; // the text of `text`, `number` and `raw`, and of JSON
    this.on = false;
    this.index = this.kind === "variant" ? 0 : -1;
    this.items = [];
    this.extras = [];
    this.present = required && ["boolean", "object", "list", "variant", "constant"].includes(this.kind)
      && (depth <= OPEN_DEPTH || !["object", "variant"].includes(this.kind));
    if (required && this.schema.has("default") && depth > 0) this.fill(this.schema.get("default"));
  }

  #kind() {
    const schema = this.schema;
    if (schema.has("const")) return "constant";
    if (Array.isArray(schema.get("enum"))) return schema.get("enum").length <= MOST_CHOICES ? "choice" : "raw";
    this.variants = alternatives(this.form.schema, schema);
    if (this.variants) return "variant";
    switch (typeOf(schema)) {
      case "string": return "text";
      case "number":
      case "integer": return "number";
      case "boolean": return "boolean";
      case "null": return "constant";
      case "array": return "list";
      case "object": return this.#declared().size || this.named || this.#takesNothing() ? "object" : "raw";
      default: return "raw";
    }
  }

  /** Arguments that are none; an object of which nothing is said may have any members. */
  #takesNothing() {
    const more = this.schema.get("additionalProperties");
    return this.depth === 0 && more !== true && (more === false || this.schema.has("properties"));
  }

  #declared() {
    const properties = this.schema.get("properties");
    return isMap(properties) ? properties : new Map();
  }

  /** The schema of members that have no name in the schema; null where the schema does not speak of them. */
  get named() {
    const more = this.schema.get("additionalProperties");
    if (isMap(more)) return more;
    const patterns = this.schema.get("patternProperties");
    if (isMap(patterns) && patterns.size === 1) return [...patterns.values()][0];
    return more === true || (isMap(patterns) && patterns.size) ? (this.#declared().size ? new Map() : null) : null;
  }

  /** Where the field is, as problems with arguments name it: `items[2].name`. */
  get path() {
    const parent = this.parent;
    if (!parent) return "";
    if (parent.kind === "variant") return parent.path;
    if (parent.kind === "list") return `${parent.path}[${parent.items.indexOf(this)}]`;
    return parent.path ? `${parent.path}.${this.name}` : this.name;
  }

  get constant() {
    return this.schema.has("const") ? this.schema.get("const") : null;
  }

  get choices() {
    return this.schema.get("enum");
  }

  /** The declared members of an object. They are made when one looks: a schema may contain itself. */
  get members() {
    if (!this.made) {
      const required = this.schema.get("required");
      const must = new Set(Array.isArray(required) ? required : []);
      this.made = [...this.#declared()].map(([name, schema]) => this.#child(schema, name, must.has(name)));
    }
    return this.made;
  }

  /** The field of the chosen alternative. */
  get chosen() {
    this.part ??= this.#child(this.variants[this.index], this.name, true);
    return this.part;
  }

  get variantNames() {
    return this.variants.map(nameOf);
  }

  #child(schema, name, required) {
    return new Field(this.form, schema, { name, parent: this, required, depth: this.depth + 1 });
  }

  // --- what a person does ---------------------------------------------------------------------------------------------

  #changed() {
    for (let field = this; field; field = field.parent) field.present = true;
    this.form.onchange();
  }

  type(text) {
    this.typed = text;
    this.#changed();
  }

  check(on) {
    this.on = on;
    this.#changed();
  }

  choose(index) {
    if (this.kind === "variant" && index !== this.index) this.part = undefined;
    this.index = index;
    this.#changed();
  }

  /** Whether the value is sent at all. */
  send(present) {
    if (!present) {
      this.present = false;
      return this.form.onchange();
    }
    if (!this.begun && this.schema.has("default") && this.kind !== "constant") this.fill(this.schema.get("default"));
    this.begun = true;
    this.#changed();
  }

  add(name = "") {
    const list = this.kind === "list";
    const field = this.#child(list ? this.#itemSchema(this.items.length) : (this.named ?? new Map()), name, true);
    field.present = true;
    (list ? this.items : this.extras).push(field);
    this.#changed();
    return field;
  }

  rename(field, name) {
    field.name = name;
    this.#changed();
  }

  remove(field) {
    for (const list of [this.items, this.extras]) {
      if (list.includes(field)) list.splice(list.indexOf(field), 1);
    }
    this.#changed();
  }

  move(field, by) {
    const from = this.items.indexOf(field);
    const to = Math.min(Math.max(from + by, 0), this.items.length - 1);
    this.items.splice(to, 0, ...this.items.splice(from, 1));
    this.#changed();
  }

  #itemSchema(index) {
    const first = this.schema.get("prefixItems");
    if (Array.isArray(first) && index < first.length) return first[index];
    return isMap(this.schema.get("items")) ? this.schema.get("items") : new Map();
  }

  /** Shows the value as JSON, or as controls again; false where the JSON cannot be read. */
  showJson(json) {
    if (json) {
      const text = this.text();
      this.typed = text === undefined ? "" : rewritten(text, "  ");
      this.json = true;
      return true;
    }
    const text = this.typed.trim();
    try {
      const value = text ? parse(text) : undefined;
      this.json = false;
      this.fill(value);
    } catch {
      this.json = true;
      return false;
    }
    this.form.onchange();
    return true;
  }

  // --- values in and out ----------------------------------------------------------------------------------------------

  /** The JSON text of what was typed; undefined where nothing is sent. */
  text() {
    if (!this.present) return undefined;
    if (this.json || this.kind === "raw") return rewritten(this.typed.trim(), "") || undefined;
    switch (this.kind) {
      case "text": return JSON.stringify(this.typed);
      // What is no number is sent as it was typed, so that the answer says what is wrong with it.
      case "number": return this.typed === "" ? undefined : isNumber(this.typed) ? this.typed : JSON.stringify(this.typed);
      case "boolean": return String(this.on);
      case "constant": return write(this.constant);
      case "choice": return this.index < 0 ? undefined : write(this.choices[this.index]);
      case "variant": return this.chosen.text();
      case "list": return `[${this.items.map((item) => item.text()).filter((text) => text !== undefined).join(",")}]`;
      default: {
        const parts = [...this.members, ...this.extras].map((field) => [field.name, field.text()]);
        const sent = parts.filter(([, text]) => text !== undefined);
        return `{${sent.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
      }
    }
  }

  /** Shows a value; undefined for none. */
  fill(value) {
    this.json = false;
    this.begun = true;
    this.present = value !== undefined || (!this.parent && this.kind === "object");
    if (value === undefined && this.kind !== "object") return;
    this.#take(value);
    if (value === undefined || this.kind === "raw" || this.#shows(value)) return;
    this.json = true;
    this.typed = write(value, "  ");
  }

  #shows(value) {
    try {
      return canonical(parse(this.text() ?? "")) === canonical(value);
    } catch {
      return false;
    }
  }

  #take(value) {
    switch (this.kind) {
      case "raw": this.typed = write(value, "  "); break;
      case "text": this.typed = typeof value === "string" && shown(value) ? value : ""; break;
      case "number": this.typed = value instanceof Num ? value.text : ""; break;
      case "boolean": this.on = value === true; break;
      case "choice": this.index = this.choices.findIndex((one) => write(one) === write(value)); break;
      case "variant": this.#takeVariant(value); break;
      case "list":
        this.items = [];
        for (const one of Array.isArray(value) ? value : []) {
          const item = this.#child(this.#itemSchema(this.items.length), "", true);
          this.items.push(item);
          item.fill(one);
        }
        break;
      case "object": this.#takeMembers(isMap(value) ? value : new Map()); break;
    }
  }

  #takeVariant(value) {
    const found = this.variants.findIndex((one) => fits(this.form.schema, one, value));
    this.index = Math.max(found, 0);
    this.part = undefined;
    this.chosen.fill(value);
  }

  #takeMembers(value) {
    const known = new Set();
    for (const field of this.members) {
      known.add(field.name);
      if (value.has(field.name)) field.fill(value.get(field.name));
      else field.present = false;
    }
    this.extras = [];
    for (const [name, one] of value) {
      if (known.has(name)) continue;
      const field = this.#child(this.named ?? new Map(), name, true);
      this.extras.push(field);
      field.fill(one);
    }
  }
}

/** Whether a text control gives back what is put into it: controls change line ends and lone surrogates. */
function shown(text) {
  return !/[\r\u0000]/.test(text) && text.isWellFormed?.() !== false;
}

/** JSON with another indentation; what is no JSON stays. */
function rewritten(text, indent) {
  try {
    return write(parse(text), indent);
  } catch {
    return text;
  }
}

/** A text that is equal for equal values: members are sorted. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isMap(value)) return write(value);
  const parts = [...value].map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`);
  return `{${parts.sort().join(",")}}`;
}
