// TypeScript SDK 2.x: `node sdk-v2.mjs http://127.0.0.1:PORT`. It speaks both eras; what it negotiates is up to its mode.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { exercise, watchedFetch, watchedList, way } from "./exercise.mjs";

const origin = process.argv[2];

async function connected(Transport, path, mode, revision) {
  const seen = watchedFetch();
  const list = watchedList();
  const client = new Client(
    { name: "sdk-v2", version: "1" },
    { versionNegotiation: { mode }, listChanged: { tools: list.option } },
  );
  await client.connect(new Transport(new URL(path, origin), { fetch: seen.fetch }));
  try {
    assert.equal(client.getNegotiatedProtocolVersion(), revision);
    const modern = revision === "2026-07-28";
    assert.equal(client.getProtocolEra(), modern ? "modern" : "legacy");
    // In the modern era, `connect` has waited until the subscription was acknowledged.
    const streamed = modern
      ? Promise.resolve(client.autoOpenedSubscription !== undefined)
      : seen.stream.promise.then((status) => status === 200);
    return `${revision}, ${await exercise(client, { modern, seen, list, streamed })}`;
  } finally {
    await client.close();
  }
}

for (const [name, mode, revision] of [
  ["legacy", "legacy", "2025-11-25"],
  ["auto", "auto", "2026-07-28"],
  ["pinned", { pin: "2026-07-28" }, "2026-07-28"],
]) {
  await way(`SDK 2.x, ${name}, Streamable HTTP`, () =>
    connected(StreamableHTTPClientTransport, "/mcp", mode, revision),
  );
}
await way("SDK 2.x, legacy, HTTP+SSE", () => connected(SSEClientTransport, "/sse", "legacy", "2025-11-25"));
