// Calls the tools of real MCP servers through the edge: servers.mjs EDGE FOLDER REPOSITORY PAGES. The official client speaks to the edge;
// what the servers speak is theirs.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";

const [edge, folder, repository, pages] = process.argv.slice(2);

for (const mode of ["auto", "legacy"]) {
  const client = new Client({ name: "servers", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${edge}/mcp`)));
  const text = (result) => result.content.map((block) => block.text ?? "").join("\n");
  const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
  const good = async (name, args, options) => {
    const result = await call(name, args, options);
    assert(!result.isError, `${name}: ${JSON.stringify(result)}`);
    return result;
  };

  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);

  // The same server by three transports: a child process, Streamable HTTP with sessions, HTTP+SSE.
  for (const server of ["everything", "everything_http", "everything_sse"]) {
    assert(names.includes(`${server}_echo`), `${server}: ${names}`);
    assert.match(text(await good(`${server}_echo`, { message: "grüße \u{1f30d}" })), /grüße \u{1f30d}/u);
    assert.match(text(await good(`${server}_get-sum`, { a: 2, b: 40 })), /42/);
    const image = await good(`${server}_get-tiny-image`, {});
    assert(image.content.some((block) => block.type === "image" && block.mimeType === "image/png"));
    const structured = await good(`${server}_get-structured-content`, { location: "Chicago" });
    assert.equal(typeof structured.structuredContent.temperature, "number");
    // Wrong arguments are refused by the edge, with words for the model.
    const wrong = await call(`${server}_get-sum`, { a: "two", b: 40 });
    assert(wrong.isError && /a/.test(text(wrong)), JSON.stringify(wrong));
    // Progress of the server reaches who asked for it.
    const seen = [];
    await good(`${server}_trigger-long-running-operation`, { duration: 1, steps: 2 }, { onprogress: (progress) => seen.push(progress.progress) });
    assert(seen.length >= 1, `${server}: no progress`);
  }

  assert.match(text(await good("files_list_directory", { path: folder })), /a\.txt/);
  assert.match(text(await good("files_read_text_file", { path: `${folder}/a.txt` })), /hello/);
  const outside = await call("files_read_text_file", { path: "/etc/hostname" });
  assert(outside.isError && /denied|outside|allowed/i.test(text(outside)), JSON.stringify(outside));

  assert.match(text(await good("time_get_current_time", { timezone: "Europe/Berlin" })), /Europe\/Berlin/);
  assert((await call("time_get_current_time", { timezone: "Nowhere/Land" })).isError);

  assert.match(text(await good("git_log", { repo_path: repository, max_count: 1 })), /first/);
  assert((await call("git_status", { repo_path: `${repository}/nothing` })).isError);

  assert.match(text(await good("web_fetch", { url: `${pages}/page` })), /This page is fetched/);
  const forbidden = await call("web_fetch", { url: `${pages}/private` });
  assert(forbidden.isError && /robots\.txt/.test(text(forbidden)), JSON.stringify(forbidden));

  assert.match(text(await good("notes_add", { a: 40, b: 2 })), /42/);
  const failed = await call("notes_fail", {});
  assert(failed.isError && /on purpose/.test(text(failed)), JSON.stringify(failed));

  console.log(`${mode}: ${names.length} tools of 8 servers`);
  await client.close();
}
