// The official TypeScript SDKs over HTTP, in each way that they negotiate a revision.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serve } from './lib/served.mjs';

let served;

before(async () => {
  served = await serve();
});

after(() => served.end());

const connectV1 = async () => {
  const client = new ClientV1({ name: 'sdk-v1', version: '1' });
  await client.connect(new TransportV1(served.address, { requestInit: { headers: served.headers } }));
  return { client, call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options) };
};

const connectV2 = (mode) => async () => {
  const client = new Client({ name: 'sdk-v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(served.address, { requestInit: { headers: served.headers } }));
  return { client, call: (name, args, options) => client.callTool({ name, arguments: args }, options) };
};

const clients = {
  'SDK v1': connectV1,
  'SDK v2, legacy': connectV2('legacy'),
  'SDK v2, auto': connectV2('auto'),
  'SDK v2, pinned': connectV2({ pin: '2026-07-28' }),
};

for (const [title, connect] of Object.entries(clients)) {
  describe(title, { concurrency: false }, () => {
    test('lists tools, calls them, and is told of progress', async () => {
      const { client, call } = await connect();
      assert.ok((await client.listTools()).tools.length > 10);
      const tab = (await call('create_tab', { name: 'http' })).structuredContent.window_id;
      const told = [];
      const command = 'for i in 1 2 3; do echo $i; sleep 0.5; done';
      const ran = await call('execute_command', { window_id: tab, command }, { onprogress: (step) => told.push(step) });
      assert.equal(ran.structuredContent.output, '1\n2\n3\n');
      assert.ok(told.length > 0);
      await client.close();
    });

    test('what it gives up is cancelled', async () => {
      const { client, call } = await connect();
      const tab = (await call('create_tab', { name: 'given up' })).structuredContent.window_id;
      await call('execute_command', { window_id: tab, command: 'true' }); // its shell is there
      const command = 'echo begun; sleep 60';
      await assert.rejects(call('execute_command', { window_id: tab, command }, { signal: AbortSignal.timeout(1500) }));
      for (let state = 'running'; state !== 'cancelled';) {
        await setTimeout(100);
        state = (await call('get_command_state', { window_id: tab })).structuredContent.state;
      }
      await client.close();
    });
  });
}
