// The official conformance suite, whole, on a server that has what its scenarios call (test/fixture): all that it scores must pass.
// test/clients/CMakeLists.txt has which of it is in scripts/test, by the names here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serveFixture } from './lib/served.mjs';
import { checksIn, letIn, requirementsOf, runSuite } from './lib/suite.mjs';

/** The checks that fail, all of them unscored, and why this server does not have what they ask for. */
const expected = {
  'tasks-mrtr-input': {
    checks: ['sep-2663-tasks-get-status-input-required', 'tasks-mrtr-partial-fulfillment'],
    reason: 'no tool of the product asks anything while it is a task, so a task of the library is never input_required',
  },
  'http-custom-header-server-validation': {
    checks: [
      'sep-2243-server-no-xmcp-tool', 'sep-2243-server-decode-base64', 'sep-2243-server-validate-param-match',
      'sep-2243-server-reject-invalid-param-chars', 'sep-2243-server-reject-param-mismatch',
    ],
    reason: 'no tool of the product has x-mcp-header, so the door compares no Mcp-Param header with its argument',
  },
};

/** A few that see most, one after the other. */
const quick = {
  '2025-11-25': ['server-session-lifecycle', 'tools-call-sampling', 'tools-call-elicitation', 'server-sse-polling'],
  '2026-07-28': ['server-stateless', 'input-required-result-multi-round', 'input-required-result-tampered-state'],
};

let served;
let door;

before(async () => {
  served = await serveFixture();
  door = await letIn(served);
});

after(async () => {
  door.closeAllConnections();
  door.close();
  await served.end();
});

const judge = (context, scenario, checks) => {
  assert.ok(checks.length > 0, 'it did not run');
  for (const { id, details, errorMessage, description } of checks.filter(({ status }) => status === 'SKIPPED')) {
    context.diagnostic(`${scenario}: the suite skips ${id}: ${details?.note ?? details?.message ?? errorMessage ?? description}`);
  }
  assert.ok(checks.some(({ status }) => status === 'SUCCESS'), 'nothing was shown');
  const warned = checks.filter(({ status }) => status === 'WARNING');
  assert.deepEqual(warned, []);
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  if (!expected[scenario]) {
    assert.deepEqual(failed, []);
    return;
  }
  context.diagnostic(`${scenario}: fails as expected: ${expected[scenario].reason}`);
  assert.deepEqual(failed.map(({ id }) => id), expected[scenario].checks);
};

for (const version of Object.keys(quick)) {
  const { scored, unscored } = requirementsOf(version);

  test(`whole ${version}: ${scored.length} scored scenarios, and ${unscored.length} others`, async (context) => {
    assert.deepEqual(scored.filter((name) => expected[name]), [], 'what is scored has to pass');
    const out = join(served.root, version);
    const { code, text } = await runSuite(door, out, ['--requirements', version]);
    for (const scenario of [...scored, ...unscored]) {
      await context.test(scenario, (of) => judge(of, scenario, checksIn(out, scenario)));
    }
    assert.equal(code, 0, text);
  });

  describe(`quick ${version}`, { concurrency: false }, () => {
    for (const scenario of quick[version]) {
      test(`quick ${version} ${scenario}`, async (context) => {
        const out = join(served.root, `${version}-${scenario}`);
        await runSuite(door, out, ['--scenario', scenario, '--spec-version', version]);
        judge(context, scenario, checksIn(out, scenario));
      });
    }
  });
}
