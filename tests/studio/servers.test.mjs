// MCP servers: presets, adding with a key, testing, listing, choosing, drift, trying, deleting.

import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { clean, eventually, finish, folder, go, open, studio } from "./harness.mjs";
import { mcpServer, upstream } from "./upstream.mjs";

const KEY = "a-key-nobody-may-see";
let shop, wiki, specs, server, tab;
before(async () => {
  shop = await upstream();
  wiki = await mcpServer({ key: KEY });
  specs = await folder({ upstream: shop.url }, ["shop.toml"]);
  server = await studio([specs.path], { env: { ...process.env, SHOP_TOKEN: "s" } });
  tab = await open(server.url);
});
after(async () => {
  await finish(server, shop, wiki);
  await specs?.remove();
});

const field = (page, name) => page.getByRole("textbox", { name, exact: true });

test("a preset fills in the form", async () => {
  const { page } = tab;
  await go(page, "#/servers");
  await page.getByRole("heading", { name: "Add server" }).waitFor();
  await page.getByRole("button", { name: /modelscope\/fetch/ }).click();
  assert.match(await field(page, "URL").inputValue(), /^https:\/\/mcp\.modelscope\.cn\//);
  assert.notEqual(await field(page, "Name").inputValue(), "");
});

test("an address that is none, and a key that is wrong, are told with advice", async () => {
  const { page } = tab;
  await field(page, "URL").fill("ftp://example.com");
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.locator(".told .wrong, .told .bad").first().waitFor();
  await field(page, "URL").fill(`${wiki.url}/mcp`);
  // By its first letter, as a person does: what moves after that is no shift.
  await page.getByRole("combobox", { name: "Authentication" }).press("b");
  await field(page, "Key").fill("wrong");
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.locator(".told").getByText("MCP_AUTH_FAILED").waitFor();
});

test("a server is tested before it is saved, and saved without its key in a spec", async () => {
  const { page } = tab;
  await field(page, "Key").fill(KEY);
  await field(page, "Name").fill("Wiki");
  await field(page, "Id").fill("wiki");
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.locator(".told").getByText("wiki 2.1").waitFor();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("heading", { name: "Wiki" }).waitFor();
  const spec = await specs.file("wiki.toml");
  assert.match(spec, /kind\s*=\s*"mcp"/);
  assert.ok(!spec.includes(KEY));
  const { body } = await server.api("/api/studio");
  const secrets = await stat(join(body.secretsFile.startsWith("/") ? "/" : process.cwd(), body.secretsFile));
  assert.equal(secrets.mode & 0o777, 0o600);
});

test("tools are listed, chosen and pinned", async () => {
  const { page } = tab;
  // What looks like a mark of a difference is text.
  wiki.tools[0].description = "Finds {+safe+} pages.";
  await page.getByRole("button", { name: "List tools" }).click();
  await page.getByText("0 of 2 chosen").waitFor();
  await page.getByRole("checkbox", { name: /^search/ }).check();
  await page.getByText("1 of 2 chosen").waitFor();
  await page.getByRole("button", { name: "Preview and save" }).click();
  await page.locator(".diff .added").filter({ hasText: "pin" }).first().waitFor();
  await page.getByRole("button", { name: "Apply" }).click();
  await eventually(async () => /pin\s*=\s*"sha256:/.test(await specs.file("wiki.toml")));
  await page.locator(".choose .same").getByText("as pinned").waitFor();
  await go(page, "#/tools");
  await page.getByRole("link", { name: /search/ }).waitFor();
});

test("a change of the server is shown against the pin, and accepted", async () => {
  const { page } = tab;
  wiki.tools[0].description = "Finds all {+safe+} pages.";
  await go(page, "#/servers/wiki");
  await page.getByRole("button", { name: "List tools" }).click();
  await page.locator(".change ins", { hasText: "all" }).waitFor();
  assert.deepEqual(await page.locator(".change ins").allTextContents(), ["all "]);
  assert.match(await page.locator(".change code").innerText(), /\{\+safe\+\} pages/);
  // The file changes after the list was made: the preview shows it as it is then.
  const hash = async () => (await server.api("/api/mcp/servers")).body.servers[0].hash;
  const before = await hash();
  await specs.write("wiki.toml", `${await specs.file("wiki.toml")}# somebody else was here\n`);
  await eventually(async () => (await hash()) !== before);
  await page.getByRole("checkbox", { name: "Accept this change" }).check();
  await page.getByRole("button", { name: "Preview and save" }).click();
  await page.locator(".diff .removed").filter({ hasText: "pin" }).first().waitFor();
  await page.getByRole("button", { name: "Apply" }).click();
  await eventually(async () => (await specs.file("wiki.toml")).includes("Finds all {+safe+} pages."));
  assert.match(await specs.file("wiki.toml"), /somebody else was here/);
  await page.locator(".choose .same").getByText("as pinned").waitFor();
});

test("a tool is tried with its own form", async () => {
  const { page } = tab;
  await page.getByRole("button", { name: "Try: search" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "query" }).fill("a \"b\"");
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("dialog").getByText('search {"query":"a \\"b\\""}').waitFor();
  await page.keyboard.press("Escape");
});

test("a server that was saved without its key gets it later", async () => {
  const { page } = tab;
  await server.api("/api/mcp/servers", { method: "POST", body: { id: "late", url: `${wiki.url}/mcp`, authType: "bearer" } });
  await go(page, "#/servers/late");
  await page.getByText("LATE_TOKEN has no value, so", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Key", { exact: true }).fill(KEY);
  await dialog.getByLabel("Timeout in seconds").fill("12");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.getByText("key set", { exact: false }).waitFor();
  await page.locator(".head").getByText("12 s").waitFor();
  assert.ok(!(await specs.file("late.toml")).includes(KEY));
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.locator(".told").getByText("wiki 2.1").waitFor();
  await go(page, "#/servers/wiki");
  await page.getByRole("heading", { name: "Wiki" }).waitFor();
});

test("a server is deleted, and comes back", async () => {
  const { page } = tab;
  const spec = await specs.file("wiki.toml");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await eventually(() => specs.file("wiki.toml").then(() => false, () => true));
  await page.locator("#said").getByRole("button", { name: "Undo" }).click();
  await eventually(async () => (await specs.file("wiki.toml").catch(() => "")) === spec);
});

test("no answer of the studio holds the key, and nothing went wrong in the page", async () => {
  const answers = await Promise.all(["/api/mcp/servers", "/api/studio/specs", "/api/studio/edits", "/api/studio/findings"].map((path) => server.api(path)));
  assert.ok(!JSON.stringify(answers).includes(KEY));
  await clean(tab, server.base);
});
