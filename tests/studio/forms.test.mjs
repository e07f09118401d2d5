// Properties of the form, over made-up schemas in a real page: what it makes equals what was typed, the edge's own
// check accepts it, and every type has its control.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clean, finish, folder, open, studio } from "./harness.mjs";
import { toolSchema } from "./schemas.mjs";

const CASES = 150;
const SEED = Number(process.env.SEED ?? 20261119);

let specs, server, tab, cases;
before(async () => {
  cases = Array.from({ length: CASES }, (_, index) => toolSchema(SEED + index));
  specs = await folder({}, []);
  const tools = cases.map(([schema], index) => `[[tool]]\nname = "form_${index}"\ndescription = "Take a made-up schema, number ${index} of many."\nrespond = "ok"\ninput_schema = '''${schema}'''\n`);
  await specs.write("forms.toml", `[toolset]\nname = "forms"\n\n[[toolset.allow]]\nrule = "missing-example"\nreason = "made up"\n\n${tools.join("\n")}`);
  server = await studio([specs.path]);
  tab = await open(server.url);
  await tab.page.evaluate(driver);
});
after(async () => {
  await finish(server);
  await specs?.remove();
});

/** Puts functions into the page that make a form and use its controls as a person does. Runs in the page. */
async function driver() {
  const [{ formFor }, { canonical }, { parse }, { fits }] = await Promise.all(["/form/view.js", "/form/model.js", "/json.js", "/form/schema.js"].map((path) => import(path)));
  const stage = document.createElement("div");
  document.body.append(stage);
  const event = (control, name) => control.dispatchEvent(new Event(name, { bubbles: true }));
  const into = (control, text) => {
    control.value = text;
    event(control, "input");
    event(control, "change");
  };

  class Person {
    constructor(view) {
      this.view = view;
    }
    get = (id) => {
      const found = document.getElementById(id);
      if (!found) throw new Error(`no control ${id}`);
      return found;
    };
    put(field, value) {
      const toggle = document.getElementById(`${field.id}-s`);
      if (toggle && toggle.getAttribute("aria-checked") === "false") toggle.click();
      if (field.json || field.kind === "raw") return into(this.get(field.id), write(value));
      switch (field.kind) {
        case "text": return into(this.get(field.id), value);
        case "number": return into(this.get(field.id), value.text);
        case "boolean": return this.get(field.id).checked === value || this.get(field.id).click();
        case "constant": return undefined;
        case "choice": return into(this.get(field.id), String(field.choices.findIndex((one) => write(one) === write(value))));
        case "variant": {
          const index = field.variants.findIndex((one) => fits(field.form.schema, one, value));
          if (index !== field.index) into(this.get(field.id), String(index));
          return this.put(field.chosen, value);
        }
        case "list":
          while (field.items.length) this.press(field.items[0], "Remove");
          for (const one of value) {
            this.get(`${field.id}-a`).click();
            this.put(field.items.at(-1), one);
          }
          return undefined;
        default: return this.members(field, value);
      }
    }
    members(field, value) {
      for (const member of field.members) {
        if (value.has(member.name)) this.put(member, value.get(member.name));
        else if (member.present) this.get(`${member.id}-s`).click();
      }
      const known = new Set(field.members.map((member) => member.name));
      for (const [name, one] of value) {
        if (known.has(name)) continue;
        this.get(`${field.id}-a`).click();
        const member = field.extras.at(-1);
        into(this.get(`${member.id}-n`), name);
        this.put(member, one);
      }
    }
    press(field, label) {
      const element = [...this.view.querySelectorAll("[data-field]")].find((one) => one.field === field);
      element.querySelector(`:scope > .label [aria-label="${label}"]`).click();
    }
  }
  const { write } = await import("/json.js");

  window.typed = (schema, text) => {
    const view = formFor(parse(schema));
    stage.replaceChildren(view);
    const person = new Person(view);
    const root = view.form.root;
    if (root.kind === "object") person.members(root, parse(text));
    else person.put(root, parse(text));
    return view.form.text;
  };
  window.filled = (schema, text) => {
    const view = formFor(parse(schema), parse(text));
    stage.replaceChildren(view);
    return view.form.text;
  };
  window.redrawn = (schema, text) => {
    const view = formFor(parse(schema), parse(text));
    stage.replaceChildren(view);
    view.toggleJson();
    view.toggleJson();
    view.draw();
    return view.form.text;
  };
  window.equal = (one, other) => canonical(parse(one)) === canonical(parse(other));
  window.kinds = (schema) => {
    const view = formFor(parse(schema));
    stage.replaceChildren(view);
    return Object.fromEntries(view.form.root.members.map((field) => {
      const control = document.getElementById(field.id);
      return [field.name, control ? control.type ?? control.localName : "group"];
    }));
  };
  window.clearStage = () => stage.remove();
}

const each = async (act) => {
  const failed = [];
  for (const [index, [schema, value]] of cases.entries()) {
    const said = await act(schema, value, index).catch((error) => String(error));
    if (said) failed.push(`seed ${SEED + index}: ${said}\n  schema ${schema}\n  value  ${value}`);
  }
  assert.equal(failed.length, 0, failed.slice(0, 3).join("\n"));
};

test("property 4: what a form is filled with is what it makes", () => each(async (schema, value) => {
  const text = await tab.page.evaluate(([a, b]) => window.filled(a, b), [schema, value]);
  return (await tab.page.evaluate(([a, b]) => window.equal(a, b), [text, value])) ? null : `made ${text}`;
}));

test("showing a form as JSON and back changes nothing", () => each(async (schema, value) => {
  const text = await tab.page.evaluate(([a, b]) => window.redrawn(a, b), [schema, value]);
  return (await tab.page.evaluate(([a, b]) => window.equal(a, b), [text, value])) ? null : `made ${text}`;
}));

test("what is typed into the controls is what the form makes, and the edge's check accepts it", () => each(async (schema, value, index) => {
  const text = await tab.page.evaluate(([a, b]) => window.typed(a, b), [schema, value]);
  if (!(await tab.page.evaluate(([a, b]) => window.equal(a, b), [text, value]))) return `made ${text}`;
  const { body } = await server.api(`/api/studio/tools/form_${index}/preview`, { method: "POST", body: { argumentsText: text } });
  return body.valid ? null : `refused ${text}: ${JSON.stringify(body.problems ?? body)}`;
}));

test("every type has its control", async () => {
  const schema = { type: "object", properties: {
    text: { type: "string", maxLength: 20 }, long: { type: "string" }, number: { type: "number" }, integer: { type: "integer" }, boolean: { type: "boolean" },
    choice: { enum: ["a", "b"] }, object: { type: "object", properties: { a: { type: "string" } } }, list: { type: "array", items: { type: "string" } },
    free: { type: "object" }, any: {}, one: { oneOf: [{ type: "string" }, { type: "integer" }] }, back: { $ref: "#/$defs/code" },
  }, required: ["text", "long", "number", "integer", "boolean", "choice", "object", "list", "free", "any", "one", "back"], $defs: { code: { type: "string", enum: ["x"] } } };
  assert.deepEqual(await tab.page.evaluate((text) => window.kinds(text), JSON.stringify(schema)), {
    text: "text", long: "textarea", number: "text", integer: "text", boolean: "checkbox", choice: "select-one", object: "group", list: "group",
    free: "textarea", any: "textarea", one: "select-one", back: "select-one",
  });
});

test("an object of which nothing is said takes JSON, and one without members takes nothing", async () => {
  const made = (schema) => tab.page.evaluate((text) => window.filled(text, '{"a":1.0}'), schema);
  const shown = () => tab.page.evaluate(() => [...document.querySelectorAll("schema-form")].at(-1).querySelectorAll("textarea").length);
  for (const schema of ['{"type":"object"}', '{"type":"object","additionalProperties":true,"properties":{}}', "{}"]) {
    assert.deepEqual([await made(schema), await shown()], ['{"a":1.0}', 1], schema);
  }
  for (const schema of ['{"type":"object","properties":{}}', '{"type":"object","additionalProperties":false}']) {
    await tab.page.evaluate((text) => window.filled(text, "{}"), schema);
    assert.equal(await shown(), 0, schema);
  }
});

test("a hostile schema makes a form, and soon", async () => {
  const wide = { type: "object", properties: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`p${index}`, { type: "string" }])) };
  const deep = { type: "object", properties: { a: { $ref: "#/$defs/d" } }, required: ["a"], $defs: { d: { type: "object", properties: { x: { $ref: "#/$defs/d" }, y: { $ref: "#/$defs/d" } }, required: ["x", "y"] } } };
  const loops = { type: "object", properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#/nowhere" }, c: { $ref: "http://127.0.0.1:9/x" }, d: { allOf: [{ $ref: "#/properties/d" }] }, e: { enum: Array.from({ length: 5000 }, (_, index) => index) }, f: { type: 7, oneOf: "no", properties: [], required: {} } }, required: ["a", "b", "c", "d", "e", "f"], $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
  for (const schema of [wide, deep, loops]) {
    const milliseconds = await tab.page.evaluate((text) => {
      const begin = performance.now();
      window.filled(text, "{}");
      return performance.now() - begin;
    }, JSON.stringify(schema));
    assert.ok(milliseconds < 5000, `${milliseconds} ms`);
  }
});

test("nothing went wrong in the page meanwhile, and nobody else was asked", async () => {
  await tab.page.evaluate(() => {
    window.clearStage();
    window.shifts = [];
  });
  await clean(tab, server.base);
});
