// `serve`, or the fixture of the conformance suite, in a sandbox of its own, for clients over HTTP.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fixture, program } from './sandbox.mjs';

const firstLine = async (served) => {
  for await (const line of createInterface({ input: served.stdout })) {
    const [, address, rest] = /(http:\/\/[\d.:]+\d) *(.*)/.exec(line);
    return { address: new URL(`${address}/mcp`), rest };
  }
  throw new Error('it said nothing');
};

const letting = (token) => ({ Authorization: `Bearer ${token}` });

const end = async (served, root, code) => {
  const ended = new Promise((resolve) => served.once('exit', resolve));
  served.kill('SIGTERM');
  assert.equal(await ended, code);
  rmSync(root, { recursive: true });
};

/** `address` is that of MCP, `headers` let a client in, `end` checks that it ends as it should. */
export const serve = async () => {
  const root = mkdtempSync('/tmp/tc-'); // short: a socket's path ends at 108 bytes
  const env = {
    HOME: join(root, 'home'), PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', SHELL: '/bin/bash', TERM: 'xterm-256color',
    TERMINALLY_RUNTIME_DIR: join(root, 'run'), TERMINALLY_STATE_DIR: join(root, 'state'),
  };
  mkdirSync(env.HOME);
  const served = spawn(program, ['serve', '--listen', '127.0.0.1:0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const { address } = await firstLine(served);
  const token = execFileSync(program, ['token'], { env, encoding: 'utf8' }).trim();
  return { address, headers: letting(token), root, end: () => end(served, root, 0) };
};

/** The same of the fixture, which says its token itself. */
export const serveFixture = async () => {
  const root = mkdtempSync('/tmp/tc-');
  const served = spawn(fixture, [join(root, 'state')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { address, rest } = await firstLine(served);
  return { address, headers: letting(rest), root, end: () => end(served, root, 128 + 15) };
};
