// The official conformance suite on the program itself: those of its scenarios that ask for no tool, prompt or resource of a fixture.
// conformance_fixture.test.mjs has all of them, on a server that is for them.
// test/clients/CMakeLists.txt has which of them are in scripts/test, by their names here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serve } from './lib/served.mjs';
import { checksIn, letIn, runSuite } from './lib/suite.mjs';

let served;
let door;

before(async () => {
  served = await serve();
  door = await letIn(served);
});

after(async () => {
  door.closeAllConnections();
  door.close();
  await served.end();
});

const checksOf = async (scenario, version) => {
  const out = join(served.root, `${scenario}-${version}`);
  await runSuite(door, out, ['--scenario', scenario, '--spec-version', version]);
  return checksIn(out, scenario);
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

/** What the suite does not ask, as the program says that it does not have it. */
const skipped = {
  'server-stateless': [
    'sep-2575-server-sends-prompts-list-changed-on-subscription', 'sep-2575-server-sends-tools-list-changed-on-subscription',
  ],
};

for (const [version, names] of Object.entries(scenarios)) {
  describe(version, { concurrency: false }, () => {
    for (const name of names) {
      test(`${name} ${version}`, async () => {
        const checks = await checksOf(name, version);
        const having = (wanted) => checks.filter(({ status }) => status === wanted);
        assert.ok(having('SUCCESS').length > 0);
        assert.deepEqual(having('WARNING'), []);
        assert.deepEqual([...new Set(having('SKIPPED').map(({ id }) => id))].sort(), skipped[name] ?? []);
        const failed = having('FAILURE');
        assert.deepEqual(failed.filter(({ details }) => details?.untestable).map(({ id }) => id), notSeen[name] ?? []);
        assert.deepEqual(failed.filter(({ details }) => !details?.untestable), []);
      });
    }
  });
}
