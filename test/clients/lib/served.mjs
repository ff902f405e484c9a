// `serve` in a sandbox of its own, for clients over HTTP.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { program } from './sandbox.mjs';

/** `address` is that of MCP, `headers` let a client in, `end` checks that it ends as it should. */
export const serve = async () => {
  const root = mkdtempSync('/tmp/tc-'); // short: a socket's path ends at 108 bytes
  const env = {
    HOME: join(root, 'home'), PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', SHELL: '/bin/bash', TERM: 'xterm-256color',
    TERMINALLY_RUNTIME_DIR: join(root, 'run'), TERMINALLY_STATE_DIR: join(root, 'state'),
  };
  mkdirSync(env.HOME);
  const served = spawn(program, ['serve', '--listen', '127.0.0.1:0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let address;
  for await (const line of createInterface({ input: served.stdout })) {
    address = new URL(`${/http:\/\/[\d.:]+\d/.exec(line)[0]}/mcp`);
    break;
  }
  const headers = { Authorization: `Bearer ${execFileSync(program, ['token'], { env, encoding: 'utf8' }).trim()}` };
  const end = async () => {
    const ended = new Promise((resolve) => served.once('exit', resolve));
    served.kill('SIGTERM');
    assert.equal(await ended, 0);
    rmSync(root, { recursive: true });
  };
  return { address, headers, root, end };
};
