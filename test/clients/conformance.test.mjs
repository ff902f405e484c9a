// The official conformance suite: those of its scenarios that ask for no tool, prompt or resource of a fixture.
// test/clients/CMakeLists.txt has which of them are in scripts/test, by their names here.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serve } from './lib/served.mjs';

const suite = new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url).pathname;
let served;
let door;

/** The suite has no token: whoever stands here lets it in, and changes nothing else but the port that is named. */
const letIn = ({ address, headers }) =>
  http.createServer((request, answer) => {
    const named = (value) => value?.replace(`:${door.address().port}`, `:${address.port}`);
    const sent = { ...request.headers, ...headers };
    for (const name of ['host', 'origin']) {
      if (sent[name]) sent[name] = named(sent[name]);
    }
    const passed = http.request(
      { host: address.hostname, port: address.port, path: request.url, method: request.method, headers: sent },
      (answered) => {
        answer.writeHead(answered.statusCode, answered.headers);
        answered.pipe(answer);
        answered.on('error', () => answer.destroy());
      },
    );
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    request.pipe(passed);
  });

before(async () => {
  served = await serve();
  door = letIn(served);
  await new Promise((resolve) => door.listen(0, '127.0.0.1', resolve));
});

after(async () => {
  door.closeAllConnections();
  door.close();
  await served.end();
});

/** What the suite found: `{ id, name, status, errorMessage }` of each check. */
const checksOf = async (scenario, version) => {
  const out = join(served.root, `${scenario}-${version}`);
  const url = `http://127.0.0.1:${door.address().port}/mcp`;
  await new Promise((resolve) => {
    execFile(process.execPath, [suite, 'server', '--url', url, '--scenario', scenario, '--spec-version', version, '-o', out], resolve);
  });
  const [folder] = readdirSync(out);
  return JSON.parse(readFileSync(join(out, folder, 'checks.json'), 'utf8'));
};

const scenarios = {
  '2025-11-25': [
    'server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection', 'server-session-lifecycle', 'server-sse-multiple-streams',
    'logging-set-level', 'resources-list', 'resources-subscribe', 'resources-unsubscribe', 'prompts-list',
  ],
  '2026-07-28': [
    'tools-list', 'dns-rebinding-protection', 'server-sse-multiple-streams', 'sep-2164-resource-not-found', 'caching',
    'http-header-validation', 'input-required-result-unsupported-methods', 'resources-list', 'prompts-list', 'server-stateless',
  ],
};

/** It wants tools of a fixture to see these, and says so. */
const notSeen = {
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream', 'sep-2575-server-no-log-without-loglevel',
  ],
};

for (const [version, names] of Object.entries(scenarios)) {
  describe(version, { concurrency: false }, () => {
    for (const name of names) {
      test(`${name} ${version}`, async () => {
        const checks = await checksOf(name, version);
        assert.ok(checks.some(({ status }) => status === 'SUCCESS'));
        const failed = checks.filter(({ status }) => status === 'FAILURE');
        assert.deepEqual(failed.filter(({ details }) => details?.untestable).map(({ id }) => id), notSeen[name] ?? []);
        assert.deepEqual(failed.filter(({ details }) => !details?.untestable), []);
      });
    }
  });
}
