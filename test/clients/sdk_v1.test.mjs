// The official TypeScript SDK, version 1: what most clients of today are built on.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describeSession } from './lib/session.mjs';

async function connect(command) {
  const client = new Client({ name: 'sdk-v1', version: '1' });
  const transport = new StdioClientTransport({ command });
  let version;
  transport.setProtocolVersion = (negotiated) => (version = negotiated);
  await client.connect(transport);
  return {
    listTools: () => client.listTools(),
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    serverName: () => client.getServerVersion().name,
    version: () => version,
    close: () => client.close(),
  };
}

describeSession('SDK v1', connect, { version: '2025-11-25' });
