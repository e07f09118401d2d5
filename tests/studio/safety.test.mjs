// Hostile answers, descriptions and addresses: shown, never run. And what the page may be and ask for at all.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { finish, eventually, folder, go, open, clean, studio } from "./harness.mjs";
import { HOSTILE, mcpServer, upstream } from "./upstream.mjs";

let media, wiki, specs, server, tab;
before(async () => {
  media = await upstream();
  wiki = await mcpServer();
  specs = await folder({ upstream: media.url });
  server = await studio([specs.path], { env: { ...process.env, SHOP_TOKEN: "s" } });
  tab = await open(server.url);
});
after(async () => {
  await finish(server, media, wiki);
  await specs?.remove();
});

async function call(page, tool) {
  await go(page, `#/tools/${tool}`);
  await page.getByRole("heading", { name: tool, exact: true }).waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".outcome.good").waitFor();
}

test("pictures, sounds, bytes and structured content are shown", async () => {
  const { page } = tab;
  await call(page, "picture");
  await eventually(() => page.locator(".picture img").evaluate((image) => image.complete && image.naturalWidth === 1));
  await call(page, "sound");
  await eventually(() => page.locator("audio").evaluate((audio) => audio.readyState > 0 || audio.error === null));
  await call(page, "raw_bytes");
  await page.getByRole("link", { name: "Download" }).waitFor();
  await call(page, "structured");
  await page.getByRole("heading", { name: "Structured content" }).waitFor();
  await page.locator(".tree .j-key", { hasText: "url" }).waitFor();
});

test("hostile HTML, SVG and Markdown are text", async () => {
  const { page } = tab;
  await call(page, "page");
  assert.equal((await page.locator(".answer .result pre").first().textContent()).trim(), HOSTILE);
  assert.equal(await page.locator("iframe, script:not([src]), base, object, embed").count(), 0);
  await call(page, "drawing");
  await page.getByRole("tab", { name: "Raw answer" }).click();
  await page.locator(".answer pre").first().waitFor();
  await go(page, "#/tools/picture");
  await page.getByText("<script>window.ran.push('description')</script>").first().waitFor();
  assert.equal(await page.locator(".list h2 img").count(), 0);
});

test("hostile tools of an MCP server are text, and an SVG among their pictures runs nothing", async () => {
  const { page } = tab;
  await go(page, "#/servers/+");
  await page.getByRole("textbox", { name: "URL" }).fill(`${wiki.url}/mcp`);
  await page.getByRole("textbox", { name: "Id", exact: true }).fill("evil");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: "List tools" }).click();
  await page.locator(".choose .about", { hasText: "window.ran" }).waitFor();
  await page.getByRole("button", { name: "Try: fetch" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("dialog").getByRole("heading", { name: "Link to a resource" }).waitFor();
  await eventually(() => page.locator("dialog .picture img").evaluateAll((images) => images.length === 2 && images.every((one) => one.complete && one.naturalWidth > 0)));
  assert.equal(await page.locator('a[href^="javascript" i]').count(), 0);
  await page.keyboard.press("Escape");
});

test("hostile addresses of the page open nothing", async () => {
  const { page } = tab;
  for (const hash of ["#/tools/%E0%A4%A", "#/tools/__proto__", "#/source/..%2F..%2Fetc%2Fpasswd:1", "#/<img src=x onerror=window.ran.push(1)>", "#/constructor", "#/servers/%3Cscript%3E"]) {
    await go(page, hash);
    await page.locator("nav a[aria-current]").waitFor();
  }
  await eventually(async () => (await page.locator(".detail").count()) === 1);
});

test("the policy allows nothing inline and nothing foreign", async () => {
  const answer = await fetch(`${server.base}/`);
  const policy = answer.headers.get("content-security-policy");
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  const html = await answer.text();
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
  assert.doesNotMatch(html, /https?:\/\//);
  const { page } = tab;
  const blocked = await page.evaluate(() => new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
    fetch("http://127.0.0.1:9/").catch(() => {});
  }));
  assert.equal(blocked, "connect-src");
  tab.told.faults = tab.told.faults.filter((one) => !one.includes("127.0.0.1:9/"));
  tab.told.requests = tab.told.requests.filter((one) => one !== "http://127.0.0.1:9/");
});

test("without the token there is nothing, and a page without one says so", async () => {
  assert.equal((await fetch(`${server.base}/api/studio/tools`)).status, 401);
  const other = await open(server.url);
  await other.page.evaluate(() => sessionStorage.clear());
  await other.page.goto(`${server.base}/?without`, { waitUntil: "commit" });
  await other.page.getByText("Each start has a new address").waitFor();
  await other.close();
});

test("nothing ran, nothing else was asked, and the layout did not shift", () => clean(tab, server.base));
