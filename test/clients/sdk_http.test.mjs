// The official TypeScript SDKs over HTTP, in each way that they negotiate a revision.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { program } from './lib/sandbox.mjs';

const root = mkdtempSync('/tmp/tc-'); // short: a socket's path ends at 108 bytes
const env = {
  HOME: join(root, 'home'), PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', SHELL: '/bin/bash', TERM: 'xterm-256color',
  TERMINALLY_RUNTIME_DIR: join(root, 'run'), TERMINALLY_STATE_DIR: join(root, 'state'),
};
let served;
let address;
let headers;

before(async () => {
  mkdirSync(env.HOME);
  served = spawn(program, ['serve', '--listen', '127.0.0.1:0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: served.stdout })) {
    address = new URL(`${/http:\/\/[\d.:]+\d/.exec(line)[0]}/mcp`);
    break;
  }
  headers = { Authorization: `Bearer ${execFileSync(program, ['token'], { env, encoding: 'utf8' }).trim()}` };
});

after(async () => {
  const ended = new Promise((resolve) => served.once('exit', resolve));
  served.kill('SIGTERM');
  assert.equal(await ended, 0);
  rmSync(root, { recursive: true });
});

const connectV1 = async () => {
  const client = new ClientV1({ name: 'sdk-v1', version: '1' });
  await client.connect(new TransportV1(address, { requestInit: { headers } }));
  return { client, call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options) };
};

const connectV2 = (mode) => async () => {
  const client = new Client({ name: 'sdk-v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
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
      const command = 'echo begun; sleep 60';
      await assert.rejects(call('execute_command', { window_id: tab, command }, { signal: AbortSignal.timeout(1500) }));
      for (let state = 'running'; state !== 'cancelled';) {
        state = (await call('get_command_state', { window_id: tab })).structuredContent.state;
      }
      await client.close();
    });
  });
}
