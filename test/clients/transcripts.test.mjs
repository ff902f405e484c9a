// Whatever is said to the server in the golden transcripts, its answers conform to the official schema of their revision.
// That they are the right answers is test/e2e/test_transcripts.py's matter.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { judge } from './lib/oracle.mjs';
import { checkout, poll, Sandbox } from './lib/sandbox.mjs';

const folder = join(checkout, 'test/e2e/transcripts');
const named = /^<(?!any>)([a-z]+)>$/;

/** Finds what the names in `expected`, such as "<task>", stand for in `actual`. */
function learn(expected, actual, names) {
  if (typeof expected === 'string' && named.test(expected)) {
    names.set(expected, actual);
  } else if (expected !== null && typeof expected === 'object' && actual !== null && typeof actual === 'object') {
    Object.keys(expected).forEach((key) => learn(expected[key], actual[key], names));
  }
}

/** Says what the file says to the server, in its order: after an answer that the file has, not before it. */
async function play(lines, server) {
  const atAnyTime = new Set(lines.filter((line) => line.startsWith('<~ ')).map((line) => JSON.parse(line.slice(3)).method));
  const names = new Map();
  let heard = '';
  let answered = 0;
  server.stdout.on('data', (chunk) => (heard += chunk));
  const answers = () => heard.split('\n').slice(0, -1).map((line) => JSON.parse(line)).filter((message) => !atAnyTime.has(message.method));
  for (const line of lines) {
    if (line.startsWith('-> ')) {
      server.stdin.write(`${line.slice(3).replace(/<[a-z]+>/g, (name) => names.get(name) ?? name)}\n`);
    } else if (line.startsWith('<- ')) {
      const answer = await poll(() => answers()[answered], 15000, `an answer: ${line}`);
      answered += 1;
      learn(JSON.parse(line.slice(3)), answer, names);
    }
  }
  server.stdin.end();
}

for (const name of readdirSync(folder).filter((file) => file.endsWith('.txt'))) {
  test(name, { timeout: 60000 }, async () => {
    const sandbox = new Sandbox();
    const server = spawn(sandbox.server, { stdio: ['pipe', 'pipe', 'inherit'] });
    await play(readFileSync(join(folder, name), 'utf8').split('\n'), server);
    await once(server, 'close');
    const [{ lines }] = sandbox.conversations();
    const { judged, problems } = judge(lines);
    assert.ok(judged > 0, 'the server said nothing');
    assert.deepEqual(problems, []);
    await sandbox.close();
  });
}
