// What every TypeScript client does with the fixture's tools. The two SDKs share these calls; how they connect and what
// they negotiate is in the client's own file.

import assert from "node:assert/strict";

export const NAME = "Zoë aus 東京";
const NAME_HEADER = `=?base64?${Buffer.from(NAME).toString("base64")}?=`;
const LONGEST_WAIT = 20_000;

// A `fetch` that remembers what the checks ask for: the header of `greet`, and how the stream for messages of a legacy
// server was answered.
export function watchedFetch() {
  const seen = { nameHeaders: [], stream: settlement() };
  seen.fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    if (headers.has("mcp-param-name")) seen.nameHeaders.push(headers.get("mcp-param-name"));
    const response = await fetch(url, init);
    if ((init?.method ?? "GET") === "GET") seen.stream.resolve(response.status);
    return response;
  };
  return seen;
}

// Tells of changes of the list; an SDK's `listChanged.tools` option.
export function watchedList() {
  const changed = settlement();
  const onChanged = (error, tools) => (error ? changed.reject(error) : changed.resolve(tools));
  return { changed: changed.promise, option: { autoRefresh: true, debounceMs: 0, onChanged } };
}

// `modern`: 2026-07-28. `streamed`: resolves when messages of the server can arrive, to false if they never will.
export async function exercise(client, { modern, seen, list, streamed }) {
  const call = (name, args) => client.callTool(args === undefined ? { name } : { name, arguments: args });
  const text = async (name, args) => only(await call(name, args), "text").text;

  if (!modern) await client.ping();

  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.equal(names[0], "about", "tools are listed by name");
  assert.deepEqual(names, [...names].sort(), "tools are listed by name");
  assert.ok(tools.every((tool) => tool.description && tool.inputSchema.type === "object"));

  const sum = await call("add", { a: 2, b: 3 });
  assert.equal(only(sum, "text").text, "2 + 3 = 5");
  assert.deepEqual(sum.structuredContent, { a: 2, b: 3, sum: 5 });
  const sums = await Promise.all(Array.from({ length: 20 }, (_, i) => text("add", { a: i, b: 1 })));
  assert.deepEqual(sums, sums.map((_, i) => `${i} + 1 = ${i + 1}`), "answers belong to their calls");
  assert.equal(await text("test_simple_text"), "This is a simple text response for testing.");

  const image = only(await call("test_image_content", {}), "image");
  assert.equal(image.mimeType, "image/png");
  assert.equal(bytes(image.data).toString("latin1", 1, 4), "PNG");
  const audio = only(await call("test_audio_content", {}), "audio");
  assert.equal(audio.mimeType, "audio/wav");
  assert.equal(bytes(audio.data).toString("latin1", 0, 4), "RIFF");
  const { resource } = only(await call("test_embedded_resource", {}), "resource");
  assert.equal(resource.uri, "test://embedded-resource");
  assert.equal(resource.mimeType, "application/octet-stream");
  assert.equal(bytes(resource.blob).toString(), "This is an embedded resource content.");
  const mixed = await call("test_multiple_content_types", {});
  assert.deepEqual(mixed.content.map((block) => block.type), ["text", "image", "resource"]);

  const contact = { name: "Ada", contactMethod: "phone", phone: "1" };
  assert.deepEqual(JSON.parse(await text("json_schema_2020_12_tool", contact)), contact);

  for (const [name, args, reason] of [
    ["fail", {}, /it always does/],
    ["test_error_handling", {}, /./],
    ["add", { a: "two", b: 3 }, /\ba\b/],
    ["json_schema_2020_12_tool", { contactMethod: "phone", email: "x" }, /phone/],
  ]) {
    const failed = await call(name, args);
    assert.equal(failed.isError, true, `\`${name}\` gives an error result`);
    assert.match(failed.content[0].text, reason);
  }
  await assert.rejects(call("no_such_tool", {}), { code: -32602 }, "an unknown tool is a JSON-RPC error");

  assert.equal(await text("greet", { name: NAME }), `Hello, ${NAME}!`);
  assert.deepEqual(seen.nameHeaders, modern ? [NAME_HEADER] : [], "`Mcp-Param-Name` belongs to 2026-07-28");

  const announced = client.getServerCapabilities().tools.listChanged === true;
  assert.ok(announced || !modern, "a 2026-07-28 server announces `listChanged`");
  if (!announced) return "without list changes";
  const open = await within(streamed, "no stream for messages was asked for");
  assert.ok(open, "`listChanged` is announced but no stream is served");
  await call("test_trigger_tool_change", {});
  const after = await within(list.changed, "`notifications/tools/list_changed` did not arrive");
  assert.notEqual(after.some((tool) => tool.name === "zz_added"), names.includes("zz_added"), "the list that follows is the new one");
  return "list changes arrive";
}

// Runs one way of connecting and says how it went; the process fails if one did.
export async function way(title, run) {
  try {
    console.log(`ok      ${title}: ${await run()}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAILED  ${title}: ${error.stack}`);
  }
}

function only(result, type) {
  assert.ok(!result.isError, JSON.stringify(result.content));
  assert.deepEqual(result.content.map((block) => block.type), [type]);
  return result.content[0];
}

function bytes(base64) {
  return Buffer.from(base64, "base64");
}

function settlement() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  // Whoever waits for it sees the failure; where nobody does, it does not matter.
  made.promise.catch(() => {});
  return made;
}

async function within(promise, message) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), LONGEST_WAIT);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
