// The MCP Inspector's command line over HTTP: a client of its own, started anew for each call.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serve } from './lib/served.mjs';

const inspector = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'));
const launcher = join(inspector, 'clients/launcher/build/index.js');
let served;

before(async () => {
  served = await serve();
});

after(() => served.end());

/** What it prints of an answer that is no error. */
const inspect = (era, ...args) =>
  new Promise((resolve, reject) => {
    const header = Object.entries(served.headers).map(([name, value]) => `${name}: ${value}`)[0];
    const argv = [launcher, '--cli', served.address.href, '--transport', 'http', '--header', header];
    argv.push('--protocol-era', era, '--format', 'json', '-q', ...args);
    execFile(process.execPath, argv, { env: { ...process.env, HOME: served.root } }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
  });

for (const era of ['legacy', 'auto', 'modern']) {
  describe(`Inspector over HTTP, ${era}`, { concurrency: false }, () => {
    test('tools/list', async () => {
      const answer = await inspect(era, '--method', 'tools/list');
      assert.equal((answer.result ?? answer).tools[0].name, 'list_tabs');
    });

    test('a long command, which this client has as a task where it can', async () => {
      const command = { command: 'echo one; sleep 2; echo two' };
      const args = ['--tool-name', 'execute_command', '--tool-args-json', JSON.stringify(command)];
      const answer = await inspect(era, '--method', 'tools/call', ...args);
      assert.equal((answer.result ?? answer).structuredContent.output, 'one\ntwo\n');
    });
  });
}
