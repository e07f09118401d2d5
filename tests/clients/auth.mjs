// Clients that authenticate: `node auth.mjs http://127.0.0.1:PORT KEY`. The edge wants an API key of a tenant that sees
// the tool `add` alone.

import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import assert from "node:assert/strict";
import { way } from "./exercise.mjs";

const [origin, key] = process.argv.slice(2);
const url = new URL("/mcp", origin);

async function uses(client, transport) {
  await client.connect(transport);
  try {
    assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ["add"]);
    const result = await client.callTool({ name: "add", arguments: { a: 2, b: 3 } });
    assert.equal(result.content[0].text, "2 + 3 = 5");
    return "sees and calls its own tool";
  } finally {
    await client.close();
  }
}

const withKey = { requestInit: { headers: { authorization: `Bearer ${key}` } } };

await way("SDK 1.x, API key", () =>
  uses(new Client({ name: "auth", version: "1" }), new StreamableHTTPClientTransport(url, withKey)),
);

await way("SDK 2.x, API key", () => {
  const client = new ClientV2({ name: "auth", version: "1" }, { versionNegotiation: { mode: "auto" } });
  return uses(client, new TransportV2(url, withKey));
});

// A client without a credential follows the challenge to the metadata of the resource, and from there to the
// authorization server, which here is one that knows nothing: what counts is the way to it.
await way("SDK 1.x, the way to a token", async () => {
  const asked = [];
  const fetch_ = async (input, init) => {
    const answer = await fetch(input, init);
    asked.push([String(input), answer.status]);
    return answer;
  };
  const provider = {
    redirectUrl: "http://127.0.0.1:1/callback",
    clientMetadata: { client_name: "auth", redirect_uris: ["http://127.0.0.1:1/callback"] },
    clientInformation: () => undefined,
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
  };
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider, fetch: fetch_ });
  await assert.rejects(new Client({ name: "auth", version: "1" }).connect(transport));
  assert.deepEqual(asked[0], [url.href, 401]);
  const metadata = new URL("/.well-known/oauth-protected-resource/mcp", origin).href;
  assert.deepEqual(asked[1], [metadata, 200], JSON.stringify(asked));
  assert.ok(asked.length > 2, "it went on to the authorization server");
  return "the challenge leads to the metadata";
});
