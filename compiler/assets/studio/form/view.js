// The controls of a form. The model knows the values; this draws them and passes on what a person does.

import { button, fill, h, redraw } from "../dom.js";
import { t } from "../i18n.js";
import { Num, write } from "../json.js";
import { Form } from "./model.js";
import { bounds, typeOf } from "./schema.js";

const COMPOSITE = ["object", "list", "variant"];
const LONG_TEXT = 120;

/** `<schema-form>`: set `form`; it sends `change` events, and shows the problems that it is given. */
export class SchemaForm extends HTMLElement {
  #form;
  #problems = new Map();
  #strict = false;

  set form(form) {
    this.#form = form;
    this.#strict = false;
    form.onchange = () => this.dispatchEvent(new Event("change"));
    this.draw();
  }

  get form() {
    return this.#form;
  }

  draw() {
    const root = this.#form.root;
    fill(this, root.kind === "object" && !root.json ? this.#members(root, true) : this.#field(root));
  }

  /** Shows problems beside their fields: those that were touched, or all of them when `strict`. Tells which have none. */
  show(problems, strict = this.#strict) {
    this.#strict = strict;
    this.#problems = Map.groupBy(problems, (one) => one.argument);
    const paths = new Set();
    for (const element of this.querySelectorAll("[data-field]")) {
      const field = element.field;
      paths.add(field.path);
      this.#mark(element, field);
    }
    return problems.filter((one) => !paths.has(one.argument));
  }

  #mark(element, field) {
    const wrong = this.#strict || field.present || field.touched ? (this.#problems.get(field.path) ?? []) : [];
    const line = element.querySelector(`:scope > .wrong`);
    const control = element.querySelector(`#${field.id}`);
    const text = wrong.map((one) => one.message).join("\n");
    if (line.textContent !== text) line.textContent = text;
    element.classList.toggle("bad", wrong.length > 0);
    if (wrong.length) control?.setAttribute("aria-invalid", "true");
    else control?.removeAttribute("aria-invalid");
  }

  // --- one field ------------------------------------------------------------------------------------------------------

  /** A field with its label, hint and place for problems. `name` replaces the label where a person gives the name. */
  #field(field, { name = null, tools = [] } = {}) {
    const { id } = field;
    const whole = COMPOSITE.includes(field.kind) && !field.json;
    const label = name ?? h("label.name", { for: whole ? null : id, id: `${id}-n` }, title(field));
    const element = h(
      "div",
      { class: `field${field.present ? "" : " absent"}`, "data-field": "", ...(whole ? { role: "group", "aria-labelledby": `${id}-n`, "aria-describedby": `${id}-h` } : {}) },
      h("div.label", label, h("span.type", typeName(field)), field.required && field.name ? h("span.must", { title: t("form.required") }, "*", h("span.unseen", t("form.required"))) : null,
        h("span.side", this.#jsonSwitch(field), this.#sendSwitch(field), tools)),
      h("p.hint", { id: `${id}-h` }, hint(field)),
      field.present || !(COMPOSITE.includes(field.kind) || field.kind === "constant") || field.json ? this.#control(field) : null,
      h("p.wrong", { id: `${id}-e` }),
    );
    element.field = field;
    this.#mark(element, field);
    return element;
  }

  #element(field) {
    return [...this.querySelectorAll("[data-field]")].find((one) => one.field === field);
  }

  #redraw(field) {
    const old = this.#element(field);
    if (!old || field === this.#form.root) return this.draw();
    const tools = old.querySelector(":scope > .label .tools");
    const name = old.querySelector(":scope > .label > .named");
    redraw(old, () => old.replaceWith(this.#field(field, { tools: tools ?? [], name })));
  }

  // Whether an optional value is sent; a required one has a switch only while it is closed.
  #sendSwitch(field) {
    const optional = !field.required || (!field.present && (COMPOSITE.includes(field.kind) || field.kind === "constant"));
    if (!optional || !field.parent || field.parent.kind === "list") return null;
    return h("button", {
      type: "button", role: "switch", class: "switch", id: `${field.id}-s`, "aria-checked": String(field.present),
      "aria-label": t("form.send", { name: title(field) }),
      onclick: () => {
        field.send(!field.present);
        this.#redraw(field);
      },
    });
  }

  #jsonSwitch(field) {
    if (!COMPOSITE.includes(field.kind) || !field.present || !field.parent) return null;
    return button("JSON", () => this.toggleJson(field), {
      kind: "quiet small", "aria-pressed": String(field.json), id: `${field.id}-j`, "aria-label": t("form.json", { name: title(field) }),
    });
  }

  /** Shows a field, or the whole form, as JSON or as controls; false where its JSON cannot be read. */
  toggleJson(field = this.#form.root) {
    const done = field.showJson(!field.json);
    if (done) this.#redraw(field);
    return done;
  }

  #control(field) {
    const common = { id: field.id, "aria-describedby": `${field.id}-h ${field.id}-e`, onblur: () => { field.touched = true; } };
    if (field.required) common["aria-required"] = "true";
    if (field.parent?.extras.includes(field)) common["aria-label"] = t("form.value");
    if (field.json || field.kind === "raw") return this.#area(field, common, { rows: "3", class: "code" });
    switch (field.kind) {
      case "text": return this.#textControl(field, common);
      case "number": return this.#input(field, common, { inputmode: typeOf(field.schema) === "integer" ? "numeric" : "decimal" });
      case "boolean": return this.#checkbox(field, common);
      case "constant": return h("code.constant", { id: field.id }, write(field.constant));
      case "choice": return this.#choices(field, common);
      case "variant": return this.#variants(field, common);
      case "list": return this.#items(field);
      default: return this.#members(field);
    }
  }

  #typed(field, text) {
    const closed = !field.present;
    field.type(text);
    if (closed) this.#opened(field);
  }

  // A field that was just typed into is sent from now on: its switch says so, without redrawing what has the focus.
  #opened(field) {
    const element = this.#element(field);
    element?.classList.remove("absent");
    element?.querySelector(":scope > .label .switch")?.setAttribute("aria-checked", "true");
  }

  #input(field, common, more = {}) {
    return h("input", { ...common, ...more, value: field.typed, ...this.#typing(field) });
  }

  #area(field, common, more) {
    return h("textarea", { ...common, ...more, value: field.typed, ...this.#typing(field) });
  }

  #typing(field) {
    return { placeholder: example(field), oninput: (event) => this.#typed(field, event.target.value) };
  }

  #textControl(field, common) {
    const { schema } = field;
    if (field.parent === this.#form.root && this.#form.secret?.has(field.name)) return this.#input(field, common, { type: "password", autocomplete: "new-password" });
    const short = schema.has("format") || schema.has("pattern") || number(schema.get("maxLength"), Infinity) <= LONG_TEXT;
    if (short && !field.typed.includes("\n")) return this.#input(field, common, { inputmode: { email: "email", uri: "url" }[schema.get("format")] });
    return this.#area(field, common, { rows: "1" });
  }

  #checkbox(field, common) {
    return h("div.check", h("input", { ...common, type: "checkbox", checked: field.on, onchange: (event) => {
      const closed = !field.present;
      field.check(event.target.checked);
      event.target.nextSibling.textContent = String(field.on);
      if (closed) this.#opened(field);
    } }), h("span", { "aria-hidden": "true" }, field.present ? String(field.on) : t("form.unset")));
  }

  #choices(field, common) {
    const options = field.choices.map((one, index) => h("option", { value: String(index), selected: index === field.index }, typeof one === "string" ? one || '""' : write(one)));
    return h("select", { ...common, onchange: (event) => {
      field.choose(Number(event.target.value));
      this.#opened(field);
    } }, field.index < 0 ? h("option", { value: "-1", selected: true }, "—") : null, options);
  }

  #variants(field, common) {
    const choice = h("select", { ...common, "aria-label": t("form.variant", { name: title(field) }), onchange: (event) => {
      field.choose(Number(event.target.value));
      this.#redraw(field);
    } }, field.variantNames.map((name, index) => h("option", { value: String(index), selected: index === field.index }, name)));
    return h("div.inside", choice, this.#inner(field.chosen));
  }

  // The value of an alternative: an object shows its members at once.
  #inner(field) {
    if (field.kind === "object" && !field.json) return this.#members(field);
    return this.#field(field);
  }

  #items(field) {
    const rows = field.items.map((item, index) => this.#field(item, {
      name: h("label.name.named", { for: item.id, id: `${item.id}-n` }, `${index + 1}`),
      tools: h("span.tools",
        button(t("form.up"), () => this.#moved(field, item, -1), { kind: "quiet only small", picture: "up", disabled: index === 0 }),
        button(t("form.down"), () => this.#moved(field, item, 1), { kind: "quiet only small", picture: "down", disabled: index === field.items.length - 1 }),
        this.#remover(field, item)),
    }));
    return h("div.inside", rows, this.#adder(field, t("form.add")));
  }

  #moved(field, item, by) {
    field.move(item, by);
    this.#redraw(field);
    document.getElementById(item.id)?.focus();
  }

  #remover(field, item) {
    return button(t("form.remove"), () => {
      field.remove(item);
      this.#redraw(field);
      document.getElementById(`${field.id}-a`)?.focus();
    }, { kind: "quiet only small", picture: "close" });
  }

  #adder(field, label) {
    return button(label, () => {
      const item = field.add();
      this.#redraw(field);
      document.getElementById(field.kind === "list" ? item.id : `${item.id}-n`)?.focus();
    }, { kind: "quiet", picture: "plus", id: `${field.id}-a` });
  }

  #members(field, top = false) {
    const extras = field.extras.map((member) => this.#field(member, {
      name: h("input.named.code", { id: `${member.id}-n`, value: member.name, "aria-label": t("form.name"), placeholder: t("form.name"), oninput: (event) => field.rename(member, event.target.value) }),
      tools: h("span.tools", this.#remover(field, member)),
    }));
    const empty = top && !field.members.length && !extras.length && !field.named;
    return h("div", { class: top ? "members" : "inside" },
      empty ? h("p.hint", t("form.none")) : null,
      field.members.map((member) => this.#field(member)), extras,
      field.named ? this.#adder(field, t("form.member")) : null);
  }
}

function title(field) {
  return field.name || t("form.value");
}

function typeName(field) {
  const type = typeOf(field.schema);
  const format = field.schema.get("format");
  if (field.kind === "choice") return t("type.choice");
  if (field.kind === "variant") return t("type.variant");
  if (field.kind === "raw") return t("type.any");
  return typeof format === "string" && format ? format : t(`type.${[type].flat()[0]}`);
}

function hint(field) {
  const description = field.schema.get("description") ?? field.schema.get("title");
  const parts = bounds(field.schema).map(([name, value]) => t(`bound.${name}`, { value }));
  if (field.schema.has("default")) parts.push(t("form.default", { value: write(field.schema.get("default")) }));
  return [typeof description === "string" && description ? h("span", description) : null, parts.length ? h("span.bounds", parts.join(" · ")) : null];
}

function example(field) {
  const given = field.schema.get("default") ?? field.schema.get("examples")?.[0];
  if (given !== undefined && given !== null) return typeof given === "string" ? given : write(given);
  return { date: "2026-01-31", "date-time": "2026-01-31T09:30:00Z", time: "09:30:00Z", email: "ada@example.com", uri: "https://example.com", uuid: "00000000-0000-4000-8000-000000000000", duration: "PT1H30M" }[field.schema.get("format")] ?? "";
}

const number = (value, otherwise) => (value instanceof Num ? Number(value.text) : otherwise);

customElements.define("schema-form", SchemaForm);

/** A form element for a schema (or an existing form), filled with a value. */
export function formFor(schema, value) {
  const element = document.createElement("schema-form");
  const form = schema instanceof Form ? schema : new Form(schema);
  if (value !== undefined) form.fill(value);
  element.form = form;
  return element;
}
