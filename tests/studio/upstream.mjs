// An HTTP API and an MCP server on free ports of this machine. Some of what they say is hostile.

import { createServer } from "node:http";

export const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==", "base64");
export const WAV = Buffer.from("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==", "base64");

/** What would leave a trace in `window.ran`, or ask another server, if any of it were run. */
export const HOSTILE = [
  "<img src=x onerror=\"window.ran.push('img')\"><script>window.ran.push('script')</script>",
  "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"window.ran.push('svg')\"><script>window.ran.push('svg script')</script></svg>",
  "[a](javascript:window.ran.push('link')) ![b](http://127.0.0.1:9/pixel.png)",
  "<iframe srcdoc=\"<script>parent.ran.push('frame')</script>\"></iframe><base href=http://127.0.0.1:9/>",
  "${alert(1)} {{constructor.constructor('window.ran.push(1)')()}} </textarea><script>window.ran.push('out')</script>",
].join("\n");
export const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="top.ran.push('svg')"><script>top.ran.push('svg')</script><image href="http://127.0.0.1:9/in-svg.png"/><rect width="40" height="40" fill="#c33"/></svg>`;

const listening = (server) => new Promise((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve({
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((done) => {
      server.closeAllConnections();
      server.close(done);
    }),
  }));
});

async function bodyOf(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** The HTTP API. Requests are kept in `seen`. */
export async function upstream() {
  const seen = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    seen.push({ method: request.method, url: request.url, headers: request.headers, body: await bodyOf(request) });
    const say = (type, body, status = 200) => response.writeHead(status, { "content-type": type }).end(body);
    switch (url.pathname.split("/")[1]) {
      case "orders": return url.pathname.endsWith("/gone") ? say("application/json", '{"message":"no such order"}', 404)
        : say("application/json", '{"id":12345678901234567890,"status":"sent","total":3.00,"items":[{"name":"pen","price":1.50},{"name":"ink","price":1.50}]}');
      case "exact": return say("application/json", '{"id":12345678901234567890,"total":3.00,"1":"x","0":"y"}');
      case "image": return say("image/png", PNG);
      case "audio": return say("audio/wav", WAV);
      case "svg": return say("image/svg+xml", SVG);
      case "html": return say("text/html; charset=utf-8", HOSTILE);
      case "bytes": return say("application/octet-stream", Buffer.from([0, 1, 2, 255]));
      default: return say("application/json", JSON.stringify({ method: request.method, url: request.url, text: HOSTILE }));
    }
  });
  return { ...(await listening(server)), seen };
}

/** The admin listener of an edge that has something of everything to tell. */
export const troubledEdge = () => listening(createServer((request, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({
    version: "0.1.0", ready: true, uptime_seconds: 42, source: "https://bundles.example/tools.mcpk", needs_upgrade: ["listen", "tls"],
    active: { revision: "abc", tools: 3, activated_at: "2026-11-16T12:00:00Z" }, last_attempt: "2026-11-16T12:00:00Z", last_success: "2026-11-16T12:00:00Z",
    remote: { etag: "e-1", digest: null, failures: 2, from_copy: true, last_error: { message: "the source is away", at: "2026-11-16T12:00:00Z" } },
    shared_limits: { limits: 4, state: "away", store: "redis://store", since: "2026-11-16T12:00:00Z", edges: 2, message: "no answer" },
    mcp_servers: [{ upstream: "wiki", state: "connected", drift: [{ tool: "wiki_search", verdict: "changed", refused: true, difference: "Finds {+all+} pages" }] }], last_error: null,
  }));
}));

/** An MCP server (Streamable HTTP, 2025-11-25). Its tools can be changed; `key` is what callers need. */
export async function mcpServer({ key = null } = {}) {
  const tools = [
    { name: "search", description: "Finds pages.", inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] } },
    { name: "fetch", description: HOSTILE, inputSchema: { type: "object", properties: { url: { type: "string", format: "uri", description: HOSTILE } } } },
  ];
  const answers = {
    initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "wiki", version: "2.1" } }),
    "tools/list": () => ({ tools }),
    "tools/call": ({ name, arguments: given }) => ({
      content: [
        { type: "text", text: `${name} ${JSON.stringify(given)}` }, { type: "text", text: HOSTILE },
        { type: "image", mimeType: "image/png", data: PNG.toString("base64") }, { type: "image", mimeType: "image/svg+xml", data: Buffer.from(SVG).toString("base64") },
        { type: "audio", mimeType: "audio/wav", data: WAV.toString("base64") },
        { type: "resource", resource: { uri: "file:///a.html", mimeType: "text/html", text: HOSTILE } },
        { type: "resource_link", uri: "javascript:window.ran.push('uri')", name: HOSTILE },
      ],
      structuredContent: { pages: [{ id: 1, title: HOSTILE }], "<b>": null },
    }),
  };
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request);
    if (key && request.headers.authorization !== `Bearer ${key}`) return response.writeHead(401).end();
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(text);
    if (id === undefined) return response.writeHead(202).end();
    const answer = answers[method];
    const said = answer ? { result: answer(params) } : { error: { code: -32601, message: `no method ${method}` } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
  });
  return { ...(await listening(server)), tools };
}
