// Finding a tool, filling in its form, seeing the request, calling it, its templates and its examples.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clean, finish, eventually, folder, go, open, request, studio } from "./harness.mjs";
import { upstream } from "./upstream.mjs";

let shop, specs, server, tab;
before(async () => {
  shop = await upstream();
  specs = await folder({ upstream: shop.url });
  server = await studio([specs.path], { env: { ...process.env, SHOP_TOKEN: "very-secret" } });
  tab = await open(server.url);
});
after(async () => {
  await finish(server, shop);
  await specs?.remove();
});

test("the token leaves the address, and the list shows toolsets, tokens and findings", async () => {
  const { page } = tab;
  assert.doesNotMatch(page.url(), /token/);
  await page.getByRole("link", { name: /^get_order/ }).waitFor();
  assert.match(await page.locator(".list section", { hasText: "get_order" }).locator("h2").innerText(), /Shop\s+\d+ tokens/);
  assert.match(await page.getByRole("link", { name: /^find_thing/ }).innerText(), /2 errors/);
  assert.match(await page.locator(".summary").innerText(), /10 tools/);
});

test("searching leaves the tools that have all words, and the keyboard opens one", async () => {
  const { page } = tab;
  await page.keyboard.press("/");
  await page.keyboard.type("order ITEMS");
  await eventually(async () => (await page.locator(".list a").count()) === 1);
  await page.getByRole("status").filter({ hasText: "1 tool found" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "get_order" }).waitFor();
  await page.getByRole("searchbox").fill("no such words");
  await page.getByText("No tool has these words.").waitFor();
  await page.getByRole("searchbox").fill("");
});

test("the request changes as one types, exactly as it would be sent", async () => {
  const { page } = tab;
  await page.getByRole("textbox", { name: "id", exact: true }).fill("a/b c");
  await eventually(async () => (await request(page)).startsWith("GET /orders/a%2Fb%20c?limit=10 HTTP/1.1"));
  assert.match(await request(page), /authorization: Bearer \$\{SHOP_TOKEN\}/);
  await page.getByRole("textbox", { name: "limit", exact: true }).fill("3");
  await eventually(async () => (await request(page)).includes("limit=3"));
  assert.equal(await page.getByRole("switch", { name: "Send limit" }).getAttribute("aria-checked"), "true");
  await page.getByRole("tab", { name: "curl" }).click();
  const curl = await page.locator('[aria-label="curl"]').innerText();
  assert.match(curl, /a%2Fb%20c/);
  assert.doesNotMatch(curl, /very-secret/);
  await page.getByRole("tab", { name: "HTTP" }).click();
  assert.equal(shop.seen.length, 0, "nothing is sent while one types");
});

test("problems are those of the proxy, beside their fields", async () => {
  const { page } = tab;
  const limit = page.getByRole("textbox", { name: "limit", exact: true });
  await limit.fill("1000");
  await page.locator(".field.bad .wrong").filter({ hasText: "limit" }).waitFor();
  assert.equal(await limit.getAttribute("aria-invalid"), "true");
  await limit.fill("many");
  await page.locator(".problems").filter({ hasText: "limit" }).waitFor();
  await page.getByRole("textbox", { name: "since", exact: true }).fill("yesterday");
  await page.getByText("2 problems", { exact: true }).waitFor();
  await page.keyboard.press("Control+Enter");
  assert.match(await page.locator(".outcome.bad").innerText(), /^No call was made\.\s+\d problems?$/);
  await page.getByRole("switch", { name: "Send since" }).click();
  await page.getByRole("switch", { name: "Send limit" }).click();
  await page.getByText("Valid", { exact: true }).waitFor();
});

test("sending shows result, raw answer, sizes, tokens and time", async () => {
  const { page } = tab;
  await page.getByRole("textbox", { name: "id", exact: true }).fill("7");
  await page.keyboard.press("Control+Enter");
  const outcome = page.locator(".outcome");
  await outcome.getByText("Success").waitFor();
  assert.match(await outcome.innerText(), /From\s+upstream[^]*Status\s+200[^]*Time\s+[\d.]+ m?s[^]*Size\s+\d+ bytes → \d+ bytes[^]*Tokens\s+\d+ → \d+/);
  assert.equal(await page.locator(".answer .result pre").innerText(), "Order 12345678901234567890 is sent");
  assert.equal(shop.seen.length, 1);
  assert.equal(shop.seen[0].headers.authorization, "Bearer very-secret");
  await page.getByRole("tab", { name: "Raw answer" }).click();
  await page.getByText('"total":3.00').waitFor();
  await page.getByRole("button", { name: "Indent" }).click();
  await page.getByText('"price": 1.50').first().waitFor();
});

test("an error of the upstream goes through the error template", async () => {
  const { page } = tab;
  await page.getByRole("textbox", { name: "id", exact: true }).fill("gone");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".outcome.bad").getByText("Error").waitFor();
  assert.match(await page.locator(".answer .result pre").innerText(), /The shop said: no such order/);
});

test("a call is saved as an example, with a preview and a way back", async () => {
  const { page } = tab;
  const original = await specs.file("shop.toml");
  await page.getByRole("textbox", { name: "id", exact: true }).fill("12345678901234567890");
  await page.keyboard.press("Control+Enter");
  await page.locator(".outcome.good").waitFor();
  await page.getByRole("button", { name: "Save as example" }).click();
  await page.getByRole("textbox", { name: /Title/ }).fill("big \"id\"");
  await page.getByRole("dialog").getByRole("button", { name: "Preview and save" }).click();
  await page.locator(".diff .added").filter({ hasText: "12345678901234567890" }).first().waitFor();
  assert.equal(await specs.file("shop.toml"), original, "a preview writes nothing");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
  const changed = await eventually(async () => {
    const text = await specs.file("shop.toml");
    return text !== original && text;
  });
  assert.ok(changed.includes("# short on purpose") && changed.startsWith(original.slice(0, 400)));
  assert.match(changed, /total":3\.00/);
  await page.getByRole("tab", { name: "Examples (3)" }).waitFor();
  await page.locator("#said").getByRole("button", { name: "Undo" }).click();
  await eventually(async () => (await specs.file("shop.toml")) === original);
  await page.getByRole("tab", { name: "Examples (2)" }).waitFor();
});

test("examples run, are used, and show what is not as expected", async () => {
  const { page } = tab;
  await page.getByRole("tab", { name: /Examples/ }).click();
  await page.getByRole("button", { name: "Run all" }).click();
  await page.getByText("2 of 2 passed").waitFor();
  const original = await specs.file("shop.toml");
  await specs.write("shop.toml", original.replace("Order {{ .id }} is", "Order {{ .id }} was"));
  // A change of the spec draws the tool again, so the outcome may be gone once.
  const failure = await eventually(async () => {
    await page.getByRole("button", { name: "Run 1" }).click();
    return page.locator(".failure").innerText({ timeout: 1000 });
  });
  assert.match(failure, /Order 7 is sent[^]*Order 7 was sent/);
  await specs.write("shop.toml", original);
  await page.getByRole("button", { name: "Use 2" }).click();
  assert.equal(await page.getByRole("textbox", { name: "id", exact: true }).inputValue(), "gone");
  await page.getByRole("button", { name: "Run examples" }).click();
  await page.getByRole("dialog").getByRole("heading", { name: "Tools without examples" }).waitFor();
  await page.keyboard.press("Escape");
});

test("a template shows its output while it is edited, and is saved as a patch", async () => {
  const { page } = tab;
  const original = await specs.file("shop.toml");
  await page.getByRole("tab", { name: "Texts and templates" }).click();
  const area = page.getByRole("textbox", { name: "response_template" });
  await area.fill("{{ .status }}: {{ .id }}");
  await page.locator(".output").getByText("sent: 7").waitFor();
  await area.fill("{{ .status");
  await page.locator(".problems li.error").waitFor();
  assert.match(await page.locator(".problems li.error .place").innerText(), /^\d+:\d+/);
  await area.fill("{{ .status }}! {{ .id }}");
  await page.locator(".output").getByText("sent! 7").waitFor();
  await page.getByRole("button", { name: "Preview and save" }).click();
  await page.locator(".diff .added").waitFor();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
  await eventually(async () => (await specs.file("shop.toml")) !== original);
  assert.equal(await specs.file("shop.toml"), original.replace('"Order {{ .id }} is {{ .status }}"', '"{{ .status }}! {{ .id }}"'));
  await page.getByRole("button", { name: "History" }).click();
  await page.getByRole("dialog").getByRole("button", { name: /^Undo: / }).first().click();
  await eventually(async () => (await specs.file("shop.toml")) === original);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
});

test("numbers and the order of members stay as they were written", async () => {
  const { page } = tab;
  await go(page, "#/tools/exact");
  await page.getByRole("heading", { name: "exact" }).waitFor();
  await page.getByRole("tab", { name: "Call" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".outcome.good").waitFor();
  assert.deepEqual(await page.locator(".answer .tree .row").allInnerTexts(), ["id 12345678901234567890", "total 3.00", '1 "x"', '0 "y"']);
  await page.getByRole("tab", { name: "Texts and templates" }).click();
  // This tool has no template: that its title is shown first is no choice.
  assert.equal(await page.getByRole("tab", { name: "title" }).getAttribute("aria-selected"), "true");
  await go(page, "#/tools/get_order");
  await page.getByRole("heading", { name: "get_order" }).waitFor();
  assert.equal(await page.getByRole("tab", { name: "response_template" }).getAttribute("aria-selected"), "true");
  await go(page, "#/tools/exact");
  await page.getByRole("heading", { name: "exact" }).waitFor();
  await page.getByRole("tab", { name: "response_template" }).click();
  const sample = await page.getByRole("textbox", { name: "Answer of the upstream" }).inputValue();
  assert.equal(sample.replace(/\s/g, ""), '{"id":12345678901234567890,"total":3.00,"1":"x","0":"y"}');
});

test("a secret is not read over a shoulder", async () => {
  const { page } = tab;
  await page.getByRole("tab", { name: "Call" }).click();
  assert.equal(await page.getByLabel("password", { exact: true }).getAttribute("type"), "password");
});

/** Holds the calls of a tool back until `release` is called. */
async function held(page, tool) {
  let release;
  const until = new Promise((resolve) => { release = resolve; });
  const path = `**/api/studio/tools/${tool}/send`;
  await page.route(path, async (route) => {
    const response = await route.fetch();
    await until;
    await route.fulfill({ response }).catch(() => {});
  });
  return async () => {
    release();
    await page.unroute(path, { behavior: "wait" });
  };
}

test("an answer that comes while one looks elsewhere is there when one is back", async () => {
  const { page } = tab;
  await go(page, "#/tools/get_order");
  await page.getByRole("textbox", { name: "id", exact: true }).fill("9");
  const release = await held(page, "get_order");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Waiting for the answer").waitFor();
  await go(page, "#/tools/picture");
  await page.getByRole("heading", { name: "picture" }).waitFor();
  await go(page, "#/tools/get_order");
  await page.getByText("Waiting for the answer").waitFor();
  await go(page, "#/servers");
  await release();
  await go(page, "#/tools/get_order");
  await page.locator(".answer .result pre", { hasText: "Order 12345678901234567890 is sent" }).waitFor();
});

test("one may stop waiting for an answer", async () => {
  const { page } = tab;
  const release = await held(page, "get_order");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Stop waiting" }).click();
  await page.getByText("You stopped waiting.", { exact: false }).waitFor();
  await release();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".outcome.good").waitFor();
});

test("a change of the tool leaves the focus, the caret and the chosen text", async () => {
  const { page } = tab;
  const original = await specs.file("shop.toml");
  const titled = async (title) => {
    await specs.write("shop.toml", original.replace("Get an order", title));
    await page.locator(".head .title", { hasText: title }).waitFor();
  };
  const id = page.getByRole("textbox", { name: "id", exact: true });
  await id.fill("abcdef");
  await id.evaluate((one) => one.setSelectionRange(2, 4));
  await titled("Get one order");
  assert.deepEqual(await page.evaluate(() => [document.activeElement.value, document.activeElement.selectionStart, document.activeElement.selectionEnd]), ["abcdef", 2, 4]);
  await page.getByRole("tab", { name: "Texts and templates" }).click();
  await page.getByRole("tab", { name: "description" }).click();
  await page.getByRole("textbox", { name: "description" }).focus();
  await titled("Get some order");
  assert.equal(await page.evaluate(() => document.activeElement.labels[0].textContent), "description");
  await specs.write("shop.toml", original);
  await page.locator(".head .title", { hasText: "Get an order" }).waitFor();
});

test("a page with a text that is not saved asks before it goes", async () => {
  const other = await open(server.url);
  await go(other.page, "#/tools/get_order");
  await other.page.getByRole("tab", { name: "Texts and templates" }).click();
  await other.page.getByRole("textbox", { name: "response_template" }).fill("not saved");
  const asked = other.page.waitForEvent("dialog");
  await other.page.close({ runBeforeUnload: true });
  assert.equal((await asked).type(), "beforeunload");
  await (await asked).accept();
  await other.close();
});

test("eight pages of one studio all work", async () => {
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => tab.context.newPage()));
  for (const one of [first, ...others]) await one.goto(server.url);
  for (const one of [first, ...others]) await one.getByRole("link", { name: /^get_order/ }).waitFor();
  const original = await specs.file("shop.toml");
  await specs.write("shop.toml", original.replace("Get an order", "Get one order"));
  for (const one of others) await one.getByText("Get one order").first().waitFor();
  // The one that reads the events goes: another one takes over.
  await tab.page.close();
  await first.close();
  await specs.write("shop.toml", original);
  for (const one of others) await one.getByText("Get an order").first().waitFor();
  tab.page = others[0];
  for (const one of others.slice(1)) await one.close();
});

test("a template of a request shows what it makes of arguments", async () => {
  const { page } = tab;
  await go(page, "#/tools/note");
  await page.getByRole("heading", { name: "note" }).waitFor();
  await page.getByRole("tab", { name: "Texts and templates" }).click();
  await page.getByRole("tab", { name: "body_template" }).click();
  const output = page.locator(".output");
  await output.getByText('{"note": "a \\"b\\""}').waitFor();
  await page.getByRole("textbox", { name: "body_template" }).fill('{"note": {"text": {{ toJson .text }}}}');
  await output.getByText('{"note": {"text": "a \\"b\\""}}').waitFor();
  await page.getByRole("textbox", { name: "Arguments" }).fill('{"text": 5}');
  await output.locator(".problems li.error").waitFor();
  await page.getByRole("button", { name: "Revert" }).click();
});

test("a tool of a file with errors says so and is not called", async () => {
  const { page } = tab;
  await go(page, "#/tools/find_thing");
  await page.getByRole("heading", { name: "find_thing" }).waitFor();
  await page.getByRole("tab", { name: "Call" }).click();
  assert.equal(await page.getByRole("button", { name: "Send", exact: true }).isDisabled(), true);
  assert.equal(await page.locator(".finding").count(), 2);
});

test("nothing went wrong in the page meanwhile, and nobody else was asked", () => clean(tab, server.base));
