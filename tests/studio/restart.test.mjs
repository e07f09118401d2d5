// A page that is left open: specs change, the server goes, comes back, and asks for another token.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clean, eventually, finish, folder, go, open, studio } from "./harness.mjs";

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

const again = (from) => studio([specs.path, "--mock"], { listen: new URL(from.base).host });

test("what one typed stays when a spec changes", async () => {
  const { page } = tab;
  await go(page, "#/tools/get_order");
  const id = page.getByRole("textbox", { name: "id", exact: true });
  await id.fill("typed by hand");
  await specs.write("shop.toml", (await specs.file("shop.toml")).replace('title             = "Get an order"', 'title             = "Get one order"'));
  await page.locator(".head").getByText("Get one order").waitFor();
  assert.equal(await id.inputValue(), "typed by hand");
  await page.locator("schema-form").waitFor();
});

test("the page says that the server is gone, and that it was restarted", async () => {
  const { page } = tab;
  await server.stop();
  await page.getByText("The studio does not answer.").first().waitFor();
  server = await again(server);
  await page.getByText("The studio was restarted.").first().waitFor();
  assert.equal(await page.getByRole("textbox", { name: "id", exact: true }).inputValue(), "typed by hand");
});

test("a pasted address connects the page again", async () => {
  const { page } = tab;
  await page.getByRole("textbox", { name: "Address of the studio" }).fill("http://127.0.0.1/without-token");
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByText("This address has no token.", { exact: false }).waitFor();
  await page.getByRole("textbox", { name: "Address of the studio" }).fill(server.url);
  await page.getByRole("button", { name: "Connect" }).click();
  await page.locator(".state.open").waitFor();
  await page.locator("#lost").waitFor({ state: "detached" });
  assert.equal(await page.getByRole("textbox", { name: "id", exact: true }).inputValue(), "typed by hand");
});

test("opening the new address in another tab connects the old one, too", async () => {
  const { page, context } = tab;
  await server.stop();
  await page.getByText("The studio does not answer.").first().waitFor();
  server = await again(server);
  await page.getByText("The studio was restarted.").first().waitFor();
  const other = await context.newPage();
  await other.goto(server.url);
  await page.locator(".state.open").waitFor();
  await other.close();
  await eventually(async () => (await page.locator("#lost").count()) === 0);
});

test("nothing went wrong in the page meanwhile", async () => {
  tab.told.faults = tab.told.faults.filter((one) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|Failed to fetch/.test(one));
  await clean(tab, server.base);
});
