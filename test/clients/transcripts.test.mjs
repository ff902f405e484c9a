// Whatever is said to the server in the golden transcripts, its answers conform to the official schema of their revision.
// That they are the right answers is test/e2e/test_transcripts.py's matter.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { judge } from './lib/oracle.mjs';
import { checkout, Sandbox } from './lib/sandbox.mjs';

const folder = join(checkout, 'test/e2e/transcripts');

for (const name of readdirSync(folder).filter((file) => file.endsWith('.txt'))) {
  test(name, { timeout: 10000 }, async () => {
    const said = readFileSync(join(folder, name), 'utf8').split('\n').filter((line) => line.startsWith('-> '));
    const sandbox = new Sandbox();
    const server = spawn(sandbox.server, { stdio: ['pipe', 'ignore', 'inherit'] });
    server.stdin.end(said.map((line) => `${line.slice(3)}\n`).join(''));
    await once(server, 'close');
    const [{ lines }] = sandbox.conversations();
    const { judged, problems } = judge(lines);
    assert.ok(judged > 0, 'the server said nothing');
    assert.deepEqual(problems, []);
    await sandbox.close();
  });
}
