// Findings with patches, the source view, undo, and files that others change meanwhile.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clean, finish, eventually, folder, go, open, studio } from "./harness.mjs";

let specs, server, tab;
before(async () => {
  specs = await folder({ upstream: "http://127.0.0.1:9" });
  server = await studio([specs.path, "--mock"]);
  tab = await open(server.url);
});
after(async () => {
  await finish(server);
  await specs?.remove();
});

const path = async (name) => (await server.api("/api/studio/specs")).body.files.find((one) => one.path.endsWith(name)).path;
const openFile = async (page, name) => {
  await go(page, `#/source/${encodeURIComponent(await path(name))}`);
  await page.locator(".source .line").first().waitFor();
};

test("findings stand at their lines and are highlighted", async () => {
  const { page } = tab;
  await openFile(page, "broken.toml");
  await page.getByRole("heading", { name: /broken\.toml/ }).waitFor();
  assert.equal(await page.locator("mark.error").first().innerText(), '"get"');
  assert.equal(await page.locator(".inline .finding.error").count(), 2);
  assert.match(await page.locator(".source .line").first().innerText(), /^1\s*# A spec with two errors/);
});

test("a fix is previewed, applied and undone; comments and order stay", async () => {
  const { page } = tab;
  const original = await specs.file("broken.toml");
  await page.locator(".finding", { hasText: "is not a method" }).getByRole("button", { name: "Preview fix" }).click();
  await page.locator(".diff .removed").filter({ hasText: '"get"' }).waitFor();
  await page.getByText("Before: 2 errors", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await specs.file("broken.toml"), original);
  await page.locator(".finding", { hasText: "is not a method" }).getByRole("button", { name: "Preview fix" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await eventually(async () => (await specs.file("broken.toml")) === original.replace('"get"', '"GET"'));
  await eventually(async () => (await page.locator(".inline .finding.error").count()) === 1);
  await page.locator("#said").getByRole("button", { name: "Undo" }).click();
  await eventually(async () => (await specs.file("broken.toml")) === original);
  await eventually(async () => (await page.locator(".inline .finding.error").count()) === 2);
});

test("all safe fixes are made at once", async () => {
  const { page } = tab;
  const original = await specs.file("broken.toml");
  await page.getByRole("button", { name: "Fix all that is safe" }).click();
  await page.locator(".diff .added").filter({ hasText: '"GET"' }).waitFor();
  await page.getByRole("button", { name: "Apply" }).click();
  await eventually(async () => (await specs.file("broken.toml")) !== original);
  assert.equal(await specs.file("broken.toml"), original.replace('"get"', '"GET"'));
});

test("a file is edited with its line ends as they are", async () => {
  const { page } = tab;
  const crlf = (await specs.file("media.toml")).replaceAll("\n", "\r\n");
  await specs.write("media.toml", crlf);
  await openFile(page, "media.toml");
  await eventually(async () => (await server.api(`/api/studio/source?path=${encodeURIComponent(await path("media.toml"))}`)).body.lineEnd === "\r\n");
  await openFile(page, "shop.toml");
  await openFile(page, "media.toml");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const area = page.getByRole("textbox", { name: /Text of/ });
  await area.fill((await area.inputValue()).replace("Get four bytes", "Get 4 bytes"));
  await page.getByRole("button", { name: "Preview and save" }).click();
  await page.locator(".diff .added").filter({ hasText: "Get 4 bytes" }).waitFor();
  assert.equal(await page.locator(".diff .added").count(), 1);
  await page.getByRole("button", { name: "Apply" }).click();
  await eventually(async () => (await specs.file("media.toml")) === crlf.replace("Get four bytes", "Get 4 bytes"));
});

test("a file that changed on disk meanwhile is never overwritten", async () => {
  const { page } = tab;
  await openFile(page, "shop.toml");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const area = page.getByRole("textbox", { name: /Text of/ });
  const mine = (await area.inputValue()).replace('title = "Shop"', 'title = "My shop"');
  await area.fill(mine);
  const theirs = `${await specs.file("shop.toml")}\n# somebody else was here\n`;
  await specs.write("shop.toml", theirs);
  await page.getByText("This file has changed on disk.").waitFor();
  assert.equal(await page.getByRole("textbox", { name: /Text of/ }).inputValue(), mine, "what was typed stays");
  await page.getByRole("button", { name: "Preview and save" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("dialog").getByRole("alert").filter({ hasText: "changed" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await specs.file("shop.toml"), theirs);
  await page.getByRole("button", { name: /Keep my text/ }).click();
  await page.getByRole("button", { name: "Preview and save" }).click();
  await page.locator(".diff .removed").filter({ hasText: "somebody else" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.locator(".source").getByText("somebody else was here").waitFor();
});

test("a new line of another program shows at once", async () => {
  const { page } = tab;
  await specs.write("shop.toml", (await specs.file("shop.toml")).replace("somebody else was", "two others were"));
  await page.locator(".source").getByText("two others were here").waitFor();
});

test("a file is edited from its top, and Ctrl-S shows the change", async () => {
  const { page } = tab;
  await openFile(page, "shop.toml");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const area = page.getByRole("textbox", { name: /Text of/ });
  const at = await area.evaluate((one) => [document.activeElement === one, one.selectionStart, one.closest(".detail").scrollTop]);
  assert.deepEqual(at, [true, 0, 0]);
  await page.keyboard.type("# first\n");
  await page.keyboard.press("Control+s");
  await page.locator(".diff .added").filter({ hasText: "# first" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await area.evaluate((one) => one.closest(".detail").scrollTo(0, 9999));
  assert.ok(await page.getByRole("button", { name: "Discard" }).evaluate((one) => one.getBoundingClientRect().top > 0), "the head stays");
  await page.getByRole("button", { name: "Discard" }).click();
});

test("the number of errors leads to all findings, and all is fixed where something is", async () => {
  const { page } = tab;
  await page.locator("#findings").click();
  const dialog = page.getByRole("dialog");
  await dialog.locator(".finding").first().waitFor();
  assert.equal(await dialog.locator(".finding.error").count(), 1);
  await dialog.getByRole("link", { name: /broken\.toml:\d+/ }).first().click();
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.getByRole("heading", { name: /broken\.toml/ }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Fix all that is safe" }).isDisabled(), true, "the rest is not safe");
});

test("a list that comes late does not lead back to its view", async () => {
  const { page } = tab;
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route("**/api/studio/tools", async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  const asked = page.waitForRequest("**/api/studio/tools");
  await go(page, "#/tools");
  const request = await asked;
  await openFile(page, "shop.toml");
  const here = page.url();
  release();
  await (await request.response()).finished();
  // One more answer: what the page does with the late one comes before it.
  await page.evaluate(() => fetch("/").then((answer) => answer.text()));
  assert.equal(page.url(), here);
  await page.unroute("**/api/studio/tools");
});

test("a studio that may not write offers no edit", async () => {
  const reading = await studio([specs.path, "--mock", "--read-only"]);
  const other = await open(reading.url);
  await go(other.page, "#/source");
  await other.page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  assert.equal(await other.page.getByRole("button", { name: "Edit", exact: true }).isDisabled(), true);
  assert.equal(await other.page.getByRole("button", { name: "Fix all that is safe" }).isDisabled(), true);
  await other.page.getByText("Read-only").first().waitFor();
  await clean(other, reading.base);
  await other.close();
  await reading.stop();
});

test("nothing went wrong in the page meanwhile", () => clean(tab, server.base));
