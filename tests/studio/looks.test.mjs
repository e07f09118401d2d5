// How the page is to look at and to use: axe-core, the keyboard, both themes and languages, widths, size, screenshots.

import assert from "node:assert/strict";
import { cp, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, clean, eventually, finish, folder, go, open, studio } from "./harness.mjs";
import { mcpServer, upstream } from "./upstream.mjs";

const MOST_BYTES = 150_000;
const WIDTHS = { small: { width: 320, height: 568 }, phone: { width: 380, height: 800 }, tablet: { width: 900, height: 1100 }, wide: { width: 1440, height: 900 } };

let shop, wiki, specs, server;
before(async () => {
  shop = await upstream();
  wiki = await mcpServer();
  specs = await folder({ upstream: shop.url });
  server = await studio([specs.path], { env: { ...process.env, SHOP_TOKEN: "s" } });
  await server.api("/api/mcp/servers", { method: "POST", body: { id: "wiki", name: "Wiki", url: `${wiki.url}/mcp` } });
});
after(async () => {
  await finish(server, shop, wiki);
  await specs?.remove();
});

/** Each view with something in it, as a person would leave it. */
const VIEWS = {
  tool: async (page) => {
    await go(page, "#/tools/get_order");
    await page.locator(".validity.good").waitFor();
    await page.locator(".go .button").click();
    await page.locator(".outcome").waitFor();
  },
  structured: async (page) => {
    await go(page, "#/tools/exact");
    await page.locator(".go .button").click();
    await page.locator(".answer .tree").waitFor();
  },
  raw: async (page) => {
    await page.getByRole("tab", { name: "Raw answer" }).click();
    await page.locator(".answer pre").waitFor();
  },
  texts: async (page) => {
    await go(page, "#/tools/get_order");
    await page.getByRole("heading", { name: "get_order" }).waitFor();
    await page.getByRole("tab").nth(1).click();
    await page.locator(".output .result").waitFor();
  },
  examples: async (page) => {
    await page.getByRole("tab").nth(2).click();
    await page.locator(".rows .example").first().waitFor();
  },
  definition: async (page) => {
    await page.getByRole("tab").nth(3).click();
    await page.locator(".panel .block").waitFor();
    await page.getByRole("tab").nth(0).click();
  },
  source: async (page) => {
    await go(page, `#/source/${encodeURIComponent((await server.api("/api/studio/specs")).body.files.find((one) => one.path.endsWith("broken.toml")).path)}`);
    await page.locator(".finding").first().waitFor();
  },
  servers: async (page) => {
    await go(page, "#/servers/wiki");
    await page.locator(".head .button.main").click();
    await page.locator(".choose li").first().waitFor();
  },
  add: async (page) => {
    await go(page, "#/servers/+");
    await page.locator("form").waitFor();
    await page.locator(".preset").first().waitFor();
  },
};

for (const scheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(WIDTHS)) {
    test(`axe-core finds nothing, ${scheme}, ${name}`, async () => {
      const tab = await open(server.url, { colorScheme: scheme, viewport, bypassCSP: false });
      for (const [view, show] of Object.entries(VIEWS)) {
        await show(tab.page);
        assert.deepEqual(await axe(tab.page), [], view);
        const { wider } = await tab.page.evaluate(() => ({ wider: document.documentElement.scrollWidth - innerWidth }));
        assert.ok(wider <= 0, `${view} is ${wider} px wider than the page`);
      }
      await clean(tab, server.base);
      await tab.close();
    });
  }
}

/** Each dialog, as one opens it. */
const DIALOGS = {
  fix: async (page) => {
    await VIEWS.source(page);
    await page.getByRole("button", { name: "Preview fix" }).first().click();
    await page.locator(".diff .added").waitFor();
  },
  findings: async (page) => {
    await page.locator("#findings").click();
    await page.locator("dialog .finding").first().waitFor();
  },
  history: async (page) => {
    await page.getByRole("button", { name: "History" }).click();
    await page.locator("dialog .hint").waitFor();
  },
  run: async (page) => {
    await go(page, "#/tools");
    await page.getByRole("button", { name: "Run examples" }).click();
    await page.getByRole("heading", { name: "Tools without examples" }).waitFor();
  },
  example: async (page) => {
    await VIEWS.tool(page);
    await page.getByRole("button", { name: "Save as example" }).click();
  },
  try: async (page) => {
    await VIEWS.servers(page);
    await page.getByRole("button", { name: "Try: search" }).click();
    await page.locator("dialog").getByRole("button", { name: "Send" }).click();
    await page.locator("dialog .outcome").waitFor();
  },
  edit: async (page) => {
    await page.getByRole("button", { name: "Edit", exact: true }).click();
  },
};

test("dialogs are as usable as views, and so is a page that has lost the studio", async () => {
  const other = await studio([specs.path], { env: { ...process.env, SHOP_TOKEN: "s" } });
  const tab = await open(other.url);
  const { page } = tab;
  for (const [dialog, show] of Object.entries(DIALOGS)) {
    await show(page);
    await page.locator("dialog").waitFor();
    assert.deepEqual(await axe(page), [], dialog);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  }
  await other.stop();
  await page.locator("#lost").waitFor();
  assert.deepEqual(await axe(page), []);
  await tab.close();
});

test("everything of a call is reached with the keyboard, and the focus is seen", async () => {
  const tab = await open(server.url);
  const { page } = tab;
  await go(page, "#/tools/get_order");
  await page.locator(".validity.good").waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  const seen = [];
  for (let count = 0; count < 60; count++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const one = document.activeElement;
      const style = getComputedStyle(one);
      return { name: one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent.trim().slice(0, 40), visible: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 };
    });
    assert.ok(at.visible, `the focus on ${at.name} is not seen`);
    seen.push(at.name);
    if (at.name === "Send") break;
  }
  for (const name of ["Skip to the content", "Tools", "Servers", "Source", "Search tools", "Call", "id", "limit", "Send"]) assert.ok(seen.includes(name), `${name} is not reached: ${seen}`);
  await page.keyboard.press("Enter");
  await page.locator(".outcome.good").waitFor();
  await clean(tab, server.base);
  await tab.close();
});

test("theme and language follow the system until one chooses", async () => {
  const tab = await open(server.url, { colorScheme: "dark", locale: "zh-CN" });
  const { page } = tab;
  await page.getByRole("link", { name: "工具", exact: true }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-CN");
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.locator("#theme").click();
  assert.notEqual(await background(), dark);
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("link", { name: "Tools", exact: true }).waitFor();
  const light = await background();
  await page.reload();
  await page.getByRole("link", { name: "Tools", exact: true }).waitFor();
  assert.equal(await background(), light);
  await tab.close();
});

test("both languages have every text", async () => {
  const tab = await open(server.url);
  const holes = await tab.page.evaluate(async () => {
    const { default: table } = await import("/texts.js");
    const names = (text) => (String(text).match(/\{\w+\}/g) ?? []).sort().join();
    return Object.entries(table).filter(([key, [en, zh]]) => [en].flat().some((one) => (!one && !key.startsWith("error.")) || names(one) !== names([zh].flat()[0])) || !zh).map(([key]) => key);
  });
  assert.deepEqual(holes, []);
  await tab.close();
});

test("the page paints before there is any data", async () => {
  const tab = await open(server.url);
  const { page } = tab;
  const held = [];
  await page.route("**/api/**", (route) => held.push(route));
  await page.reload({ waitUntil: "domcontentloaded" });
  await page.getByText("mcpc studio").first().waitFor();
  await eventually(() => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length > 0));
  await page.getByRole("link", { name: "Tools", exact: true }).waitFor();
  await page.unroute("**/api/**");
  await tab.close();
});

test("the page is smaller than 150 KB, and the browser loads all of it", async () => {
  const files = (await readdir(process.env.ASSETS, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).map((one) => join(one.parentPath ?? one.path, one.name).slice(process.env.ASSETS.length));
  let bytes = 0;
  for (const file of files) {
    const answer = await fetch(server.base + (file === "/index.html" ? "/" : file));
    assert.equal(answer.status, 200, file);
    bytes += (await answer.arrayBuffer()).byteLength;
    assert.ok((await stat(join(process.env.ASSETS, file))).size > 0);
  }
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
});

test("screenshots are taken", { skip: process.env.SCREENSHOTS ? false : "no `--screenshots FOLDER`" }, async () => {
  // The specs that people see in the README, in a folder of their own.
  const place = await folder({}, []);
  await cp(process.env.EXAMPLES, join(place.path, "tool-specs"), { recursive: true });
  const server = await studio(["tool-specs", "--mock"], { cwd: place.path });
  const tools = [["search", "Finds pages by their words, the best first."], ["fetch", "Gets a page as Markdown."]];
  const names = tools.map(([name, description]) => ({ name, description, inputSchema: { type: "object", properties: { query: { type: "string" } } } }));
  wiki.tools.splice(0, Infinity, ...names);
  await server.api("/api/mcp/servers", { method: "POST", body: { id: "wiki", name: "Wiki", url: `${wiki.url}/mcp` } });
  const { hash } = (await server.api("/api/mcp/servers/wiki/tools")).body;
  await server.api("/api/mcp/servers/wiki/tools", { method: "PUT", body: { tools: ["search"], repin: [], hash, apply: true } });
  wiki.tools[0].description = "Finds pages of all books by their words, the best first.";
  const shop = join(place.path, "tool-specs", "shop.toml");
  await writeFile(shop, (await readFile(shop, "utf8")).replace('"GET"', '"get"'));
  const views = {
    tool: async (page) => {
      await go(page, "#/tools/github_list_issues");
      await page.locator(".validity.good").waitFor();
      await page.locator(".go .button").click();
      await page.locator(".outcome").waitFor();
    },
    template: async (page) => {
      await go(page, "#/tools/github_list_issues");
      await page.getByRole("tab").nth(1).click();
      await page.locator(".output .result").waitFor();
    },
    source: async (page) => {
      await go(page, "#/source/tool-specs%2Fshop.toml");
      await page.locator(".finding").first().waitFor();
      await page.locator(".finding").first().scrollIntoViewIfNeeded();
    },
    servers: async (page) => {
      await go(page, "#/servers/wiki");
      await page.locator(".head .button.main").click();
      await page.locator(".change").waitFor();
    },
  };
  const shots = { "tool-light": ["tool", "light", "wide", "en-US"], "tool-dark": ["tool", "dark", "wide", "en-US"], "template": ["template", "light", "wide", "en-US"], "source": ["source", "dark", "wide", "en-US"], "servers": ["servers", "light", "tablet", "en-US"], "phone-zh": ["tool", "light", "phone", "zh-CN"] };
  for (const [name, [view, colorScheme, width, locale]] of Object.entries(shots)) {
    const tab = await open(server.url, { colorScheme, viewport: WIDTHS[width], locale });
    await views[view](tab.page);
    await tab.page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });
    await tab.close();
  }
  await server.stop();
  await place.remove();
});
