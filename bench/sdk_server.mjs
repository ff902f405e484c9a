// A server of the TypeScript SDK with nothing in it, over HTTP: what bench_http.py compares with. A session has a transport that
// is kept, as in the SDK's own examples.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const clients = createRequire(new URL("../test/clients/package.json", import.meta.url));
const { NodeStreamableHTTPServerTransport } = clients("@modelcontextprotocol/node");
const { McpServer } = clients("@modelcontextprotocol/server");

const sessions = new Map();

async function begun() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await new McpServer({ name: "nothing", version: "1" }).connect(transport);
  return transport;
}

const server = createServer(async (request, response) => {
  const transport = sessions.get(request.headers["mcp-session-id"]) ?? (await begun());
  await transport.handleRequest(request, response);
});
server.listen(0, "127.0.0.1", () => console.log(`127.0.0.1:${server.address().port}`));
