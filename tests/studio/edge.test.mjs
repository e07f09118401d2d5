// A running edge, read-only: status, tools, limits and the last calls.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { axe, clean, finish, folder, open, start, studio } from "./harness.mjs";
import { troubledEdge, upstream } from "./upstream.mjs";

let shop, specs, edge, server, tab, mcp;
before(async () => {
  shop = await upstream();
  specs = await folder({ upstream: shop.url }, ["shop.toml", "media.toml"]);
  const bundle = join(specs.path, "tools.mcpk");
  await promisify(execFile)(process.env.MCPC, ["build", specs.path, "-o", bundle]);
  await specs.write("edge.cfg", 'bundle = "tools.mcpk"\nrecent_calls = 50\n');
  edge = await start(process.env.EDGE, ["--config", join(specs.path, "edge.cfg"), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"], /^listening\s+(http:\S+)\/mcp$[^]*^admin\s+(http:\S+)/m, { env: { ...process.env, SHOP_TOKEN: "s" } });
  mcp = edge.match[1];
  server = await studio(["--edge", edge.match[2]]);
  tab = await open(server.url);
});
after(async () => {
  await finish(server, edge, shop);
  await specs?.remove();
});

const call = (name, given) => fetch(`${mcp}/api/v1/mcp/tools/call`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name, arguments: given }) });

test("the edge's state is shown, and nothing else is offered", async () => {
  const { page } = tab;
  await page.getByText("Reachable").waitFor();
  await page.locator(".cards").getByText("Ready").waitFor();
  assert.deepEqual(await page.locator("nav a").allInnerTexts(), ["Edge"]);
  assert.equal(await page.getByRole("button", { name: "History" }).count(), 0);
  const since = await page.locator(".cards div", { hasText: "Serving since" }).locator("dd").innerText();
  assert.doesNotMatch(since, /T.*Z/, "times are those of the page");
  assert.deepEqual(await axe(page), []);
});

test("tools with their counts, and the last calls, come by themselves", async () => {
  const { page } = tab;
  await call("get_order", { id: "7" });
  await call("get_order", { id: "gone" });
  await page.getByRole("tab", { name: "Tools" }).click();
  const row = page.getByRole("row", { name: /get_order/ });
  await row.getByRole("cell", { name: "2", exact: true }).waitFor();
  assert.equal(await row.locator("td.num").first().evaluate((one) => getComputedStyle(one).display), "table-cell");
  assert.deepEqual(await axe(page), []);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "edge.png") });
  await page.getByRole("tab", { name: "Last calls" }).click();
  await page.getByRole("row", { name: /get_order/ }).nth(1).waitFor();
  await call("picture", {});
  await page.getByRole("row", { name: /picture/ }).waitFor();
  assert.ok(!(await page.locator("table").innerText()).includes("gone"), "no arguments are shown");
  await page.getByRole("tab", { name: "Limits" }).click();
  await page.getByText("Calls in flight").waitFor();
  await page.getByRole("columnheader", { name: "Refused" }).waitFor();
  assert.equal(await page.locator(".cards > div").count(), 1);
});

test("what is selected stays selected while the page reads again", async () => {
  const { page } = tab;
  await page.getByRole("tab", { name: "Tools" }).click();
  const row = page.getByRole("row", { name: /get_order/ });
  const select = (all) => row.locator("code").evaluate((one, on) => (on ? getSelection().selectAllChildren(one) : getSelection().removeAllRanges()), all);
  await select(true);
  await call("get_order", { id: "8" });
  for (let times = 0; times < 2; times++) await page.waitForResponse("**/api/studio/edge/tools");
  assert.equal(await page.evaluate(() => String(getSelection())), "get_order");
  await select(false);
  await row.getByRole("cell", { name: "3", exact: true }).waitFor();
});

test("the source, the shared limits, what waits for an upgrade and the words of a drift are shown", async () => {
  const troubled = await troubledEdge();
  const other = await studio(["--edge", troubled.url]);
  const seen = await open(other.url);
  await seen.page.locator(".note").getByText("Finds {+all+} pages").waitFor();
  const text = await seen.page.locator("main").innerText();
  for (const part of [/listen, tls/, /Failures in a row\s+2/, /copy on disk\s+yes/, /the source is away \(/, /Store\s+redis:\/\/store/, /Edges\s+2/, /wiki_search changed/]) assert.match(text, part);
  assert.doesNotMatch(text, /digest|\d{4}-\d\d-\d\dT/);
  assert.deepEqual(await axe(seen.page), []);
  await clean(seen, other.base);
  await seen.close();
  await other.stop();
  await troubled.stop();
});

test("an edge that is gone is told", async () => {
  const { page } = tab;
  await edge.stop();
  await page.getByText("Not reachable", { exact: false }).waitFor();
  await clean(tab, server.base);
});
