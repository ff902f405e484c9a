// Prompts, resources, completion, subscriptions and tasks, with the official SDKs.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { judge } from './lib/oracle.mjs';
import { describeOffers } from './lib/offers.mjs';
import { Sandbox } from './lib/sandbox.mjs';

async function connectV1(command) {
  const client = new ClientV1({ name: 'sdk-v1', version: '1' });
  await client.connect(new StdioV1({ command }));
  return {
    client,
    onUpdated: (hear) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, (note) => hear(note.params.uri)),
    onListChanged: (hear) => client.setNotificationHandler(ResourceListChangedNotificationSchema, hear),
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
  };
}

const connectV2 = (mode) => async (command) => {
  const client = new ClientV2({ name: 'sdk-v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioV2({ command }));
  const modern = mode !== 'legacy';
  let subscription;
  return {
    client,
    onUpdated: (hear) => client.setNotificationHandler('notifications/resources/updated', (note) => hear(note.params.uri)),
    onListChanged: (hear) => client.setNotificationHandler('notifications/resources/list_changed', hear),
    async subscribe(uri) {
      if (!modern) {
        return client.subscribeResource({ uri });
      }
      subscription = await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
      return assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [uri], resourcesListChanged: true });
    },
    async unsubscribe(uri) {
      if (!modern) {
        return client.unsubscribeResource({ uri });
      }
      await subscription.close();
      return assert.equal(await subscription.closed, 'local');
    },
  };
};

describeOffers('SDK v1', connectV1);
describeOffers('SDK v2, legacy', connectV2('legacy'));
describeOffers('SDK v2, pinned', connectV2({ pin: '2026-07-28' }));

describe('SDK v1, tasks', () => {
  /** The messages of a task's stream. */
  async function run(client, command, options = {}) {
    const messages = [];
    const call = { name: 'execute_command', arguments: { command } };
    for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema, { task: { ttl: 60000 }, ...options })) {
      messages.push(message);
    }
    return messages;
  }

  test('a command as a task: created, watched, done', async () => {
    const sandbox = new Sandbox();
    const { client } = await connectV1(sandbox.server);
    await client.listTools(); // the SDK looks there whether the tool may be a task
    const messages = await run(client, 'echo one; sleep 1; echo two; exit 3');
    assert.equal(messages[0].type, 'taskCreated');
    assert.ok(messages.some((message) => message.type === 'taskStatus' && message.task.status === 'working'));
    const { type, result } = messages.at(-1);
    assert.equal(type, 'result', JSON.stringify(messages.at(-1)));
    assert.equal(result.structuredContent.output, 'one\ntwo\n');
    assert.equal(result.structuredContent.exit_code, 3);
    const { tasks } = await client.experimental.tasks.listTasks();
    assert.deepEqual(tasks.map((task) => task.status), ['completed']);
    await client.close();
    for (const { lines } of await sandbox.serversEnded()) {
      assert.deepEqual(judge(lines).problems, []);
    }
    await sandbox.close();
  });

  test('cancelled', async () => {
    const sandbox = new Sandbox();
    const { client } = await connectV1(sandbox.server);
    await client.listTools();
    const call = { name: 'execute_command', arguments: { command: 'sleep 600', timeout_ms: 900000 } };
    const types = [];
    for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema, { task: {} })) {
      types.push(message.type);
      if (message.type === 'taskCreated') {
        assert.equal((await client.experimental.tasks.cancelTask(message.task.taskId)).status, 'cancelled');
      }
    }
    assert.equal(types.at(-1), 'error');
    assert.equal(sandbox.processes().some((line) => line.includes('sleep 600')), false);
    await client.close();
    await sandbox.serversEnded();
    await sandbox.close();
  });
});
