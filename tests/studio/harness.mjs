// What the tests share: programs that are started and stopped, pages, and waiting for things to become true.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

export const PATIENCE = 10_000;

/** A folder of its own with the specs of the tests; `{{UPSTREAM}}` and `{{MCP}}` in them become addresses. */
export async function folder(places = {}, only = null) {
  const path = await mkdtemp(join(tmpdir(), "studio-"));
  for (const name of await readdir(process.env.SPECS)) {
    if (only && !only.includes(name)) continue;
    await cp(join(process.env.SPECS, name), join(path, name));
    if (!name.endsWith(".toml")) continue;
    let text = await readFile(join(path, name), "utf8");
    for (const [key, value] of Object.entries(places)) text = text.replaceAll(`http://${key}.invalid`, value);
    await writeFile(join(path, name), text);
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }), file: (name) => readFile(join(path, name), "utf8"), write: (name, text) => writeFile(join(path, name), text) };
}

const running = new Set();

/** Starts a program and waits for a line. Gives what the pattern found, and a way to stop it. */
export function start(command, args, pattern, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  let printed = "";
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const found = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${command} did not start:\n${printed}`)), PATIENCE);
    const read = (chunk) => {
      printed += chunk;
      const match = pattern.exec(printed);
      if (!match) return;
      clearTimeout(timer);
      resolve(match);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`${command} ended with ${code}:\n${printed}`)));
  });
  const program = { printed: () => printed, stop: async () => {
    running.delete(program);
    child.kill("SIGTERM");
    await ended;
  } };
  running.add(program);
  return found.then((match) => ({ match, ...program }), async (error) => {
    child.kill("SIGKILL");
    throw error;
  });
}

/** `mcpc studio` with these arguments. */
export async function studio(args, options = {}) {
  const { listen = "127.0.0.1:0", ...others } = options;
  const { match, stop } = await start(process.env.MCPC, ["studio", ...args, "--listen", listen], /(http:\S+)#token=(\w+)/, others);
  const [whole, base, token] = match;
  const api = async (path, { method = "GET", body } = {}) => {
    const answer = await fetch(base.replace(/\/$/, "") + path, { method, headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) }, body: typeof body === "string" ? body : body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  return { url: whole, base: base.replace(/\/$/, ""), token, stop, api };
}

let browser = null;

/** A page with an empty profile. All it asks for is recorded, and so is all that goes wrong in it. */
export async function open(url, options = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-US", ...options });
  await context.addInitScript(() => {
    window.shifts = [];
    window.ran = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push({ value: entry.value, parts: entry.sources.map((one) => one.node?.outerHTML?.slice(0, 120)) });
    }).observe({ type: "layout-shift", buffered: true });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const told = { requests: [], faults: [] };
  page.on("request", (request) => told.requests.push(request.url()));
  page.on("pageerror", (error) => told.faults.push(String(error)));
  page.on("console", (message) => {
    // A status that says no is part of the API; everything else is a fault of the page.
    if (["error", "warning"].includes(message.type()) && !/Failed to load resource/.test(message.text())) told.faults.push(message.text());
  });
  await page.goto(url);
  await page.locator(".state.open").waitFor();
  return { page, told, context, close: () => context.close() };
}

/** Closes the browser and stops the given programs and whatever else still runs. */
export async function finish(...given) {
  await browser?.close();
  browser = null;
  for (const one of [...given, ...running]) await one?.stop();
}

/** Waits until something is true, without a fixed time. */
export async function eventually(check, what = "it never became true") {
  const end = Date.now() + PATIENCE;
  let last;
  for (;;) {
    try {
      const value = await check();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw last ?? new Error(what);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** No fault in the page, no shift of its layout, and nothing asked of anyone but the studio. */
export async function clean({ page, told }, base) {
  assert.deepEqual(told.faults, []);
  assert.deepEqual(await page.evaluate(() => window.shifts), []);
  assert.deepEqual(await page.evaluate(() => window.ran), []);
  const foreign = told.requests.filter((url) => !url.startsWith(`${base}/`) && !/^(blob|data):/.test(url));
  assert.deepEqual(foreign, []);
}

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core has against the page. */
export async function axe(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map((one) => `${one.impact} ${one.id}: ${one.nodes.map((node) => node.html.slice(0, 140)).join(" | ")}`);
}

/** The text of the request that the page shows. */
export const request = (page) => page.locator('.request [aria-label="HTTP"]').innerText();

/** Goes to a part of the page, as a link does. */
export async function go(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
}
