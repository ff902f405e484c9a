// The official TypeScript SDK, version 2, in the three ways it can negotiate a revision.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describeSession } from './lib/session.mjs';

const connect = (mode) => async (command) => {
  const client = new Client({ name: 'sdk-v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command }));
  return {
    listTools: () => client.listTools(),
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, options),
    serverName: () => client.getServerVersion().name,
    version: () => client.getNegotiatedProtocolVersion(),
    close: () => client.close(),
  };
};

describeSession('SDK v2, legacy', connect('legacy'), { version: '2025-11-25' });
// these two start a throw-away server first, only to ask it for its revisions
describeSession('SDK v2, auto', connect('auto'), { version: '2026-07-28', processes: 2 });
describeSession('SDK v2, pinned', connect({ pin: '2026-07-28' }), { version: '2026-07-28', processes: 2 });
