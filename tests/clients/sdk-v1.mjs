// TypeScript SDK 1.x: `node sdk-v1.mjs http://127.0.0.1:PORT`. It speaks revisions up to 2025-11-25, over Streamable
// HTTP and over the HTTP+SSE transport of 2024-11-05.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import assert from "node:assert/strict";
import { exercise, watchedFetch, watchedList, way } from "./exercise.mjs";

const origin = process.argv[2];

async function connected(transport, seen, streamed) {
  const list = watchedList();
  const client = new Client({ name: "sdk-v1", version: "1" }, { listChanged: { tools: list.option } });
  let negotiated;
  const settle = transport.setProtocolVersion.bind(transport);
  transport.setProtocolVersion = (version) => settle((negotiated = version));
  await client.connect(transport);
  try {
    assert.equal(negotiated, "2025-11-25");
    return `2025-11-25, ${await exercise(client, { modern: false, seen, list, streamed })}`;
  } finally {
    await client.close();
  }
}

await way("SDK 1.x, Streamable HTTP", () => {
  const seen = watchedFetch();
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", origin), { fetch: seen.fetch });
  return connected(transport, seen, seen.stream.promise.then((status) => status === 200));
});

// The stream that answers come on is there from the beginning.
await way("SDK 1.x, HTTP+SSE", () => {
  const seen = watchedFetch();
  const transport = new SSEClientTransport(new URL("/sse", origin), { fetch: seen.fetch });
  return connected(transport, seen, Promise.resolve(true));
});
