// The MCP Inspector's command line: a client of its own, started anew for each call.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { judge } from './lib/oracle.mjs';
import { Sandbox } from './lib/sandbox.mjs';

const inspector = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'));
const launcher = join(inspector, 'clients/launcher/build/index.js');
const toolError = 5;

/** Runs the Inspector to its end against a fresh server, whose lines are judged. Returns {code, answer}. */
async function inspect(era, ...args) {
  const sandbox = new Sandbox();
  const argv = [launcher, '--cli', sandbox.server, '--protocol-era', era, '--format', 'json', '-q', ...args];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: sandbox.home } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  await sandbox.serversEnded();
  for (const { lines } of sandbox.conversations()) {
    assert.deepEqual(judge(lines).problems, []);
  }
  await sandbox.close();
  let answer;
  try {
    answer = JSON.parse(stdout);
  } catch {
    assert.fail(`exit code ${code}, no JSON on stdout: ${stdout}\n${stderr}`);
  }
  return { code, answer };
}

const call = (era, tool, args) =>
  inspect(era, '--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));

for (const era of ['legacy', 'auto', 'modern']) {
  describe(`Inspector, ${era}`, () => {
    test('tools/list, and the schemas are portable', async () => {
      const { code, answer } = await inspect(era, '--method', 'tools/list', '--strict');
      assert.equal(code, 0, JSON.stringify(answer));
      assert.equal((answer.result ?? answer).tools[0].name, 'list_tabs');
    });

    test('tools/call runs a command', async () => {
      const { code, answer } = await call(era, 'execute_command', { command: 'echo "a  b"; exit 3' });
      assert.equal(code, 0);
      assert.equal((answer.result ?? answer).structuredContent.output, 'a  b\n');
      assert.equal((answer.result ?? answer).structuredContent.exit_code, 3);
    });

    test('a long command, which this client has as a task where it can', async () => {
      const { code, answer } = await call(era, 'execute_command', { command: 'echo one; sleep 2; echo two' });
      assert.equal(code, 0, JSON.stringify(answer));
      assert.equal((answer.result ?? answer).structuredContent.output, 'one\ntwo\n');
    });

    test('resources and prompts', async () => {
      const listed = await inspect(era, '--method', 'resources/list');
      assert.deepEqual((listed.answer.result ?? listed.answer).resources.map((resource) => resource.uri), ['terminally://tabs']);
      const prompts = await inspect(era, '--method', 'prompts/list');
      assert.equal((prompts.answer.result ?? prompts.answer).prompts.length, 3);
    });

    test('a tool error has its own exit code', async () => {
      const { code, answer } = await call(era, 'execute_command', { command: '' });
      assert.equal(code, toolError, JSON.stringify(answer));
    });
  });
}
