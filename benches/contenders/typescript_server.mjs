// The TypeScript SDK with one tool that GETs a record from an upstream: no sessions, JSON answers.
// `node typescript_server.mjs ADDRESS UPSTREAM PROCESSES`
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import cluster from "node:cluster";
import { createServer } from "node:http";
import { Pool } from "undici";
import { z } from "zod";

const [address, upstream, processes] = process.argv.slice(2);
const [host, port] = address.split(":");

if (cluster.isPrimary && Number(processes) > 1) {
  for (let count = 0; count < Number(processes); count += 1) cluster.fork();
} else {
  serve();
}

function serve() {
  const pool = new Pool(`http://${upstream}`, { connections: 1024 });
  const inputSchema = { id: z.string() };

  async function getRecord({ id }) {
    const answer = await pool.request({ method: "GET", path: `/users/${encodeURIComponent(id)}` });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the upstream answered ${answer.statusCode}`);
    return { content: [{ type: "text", text }] };
  }

  const listener = createServer(async (request, response) => {
    // As the SDK's documentation has it: without sessions, server and transport live for one request.
    const server = new McpServer({ name: "load", version: "1.0.0" });
    const description = "Gets one record of the size 300, by the id of its owner.";
    server.registerTool("get_300", { description, inputSchema }, getRecord);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    response.on("close", () => {
      transport.close();
      server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
  listener.listen({ host, port: Number(port), backlog: 4096 });
}
