// What a server offers besides tools, as every client must be able to use it: prompts, resources, completion, subscriptions.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { judge } from './oracle.mjs';
import { poll, Sandbox } from './sandbox.mjs';

/**
 * Declares the tests of one kind of client. `connect(command)` resolves to {client, onUpdated(f), onListChanged(f),
 * subscribe(uri), unsubscribe(uri)}; `client` has the SDKs' own listPrompts, getPrompt, listResources, readResource and so on.
 */
export function describeOffers(title, connect) {
  describe(title, { concurrency: false }, () => {
    const sandbox = new Sandbox();
    const updated = [];
    let listChanges = 0;
    let connection;
    let client;
    let tab;
    const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;

    before(async () => {
      connection = await connect(sandbox.server);
      client = connection.client;
      connection.onUpdated((uri) => updated.push(uri));
      connection.onListChanged(() => (listChanges += 1));
      tab = (await call('create_tab', { name: 'offers' })).window_id;
    });

    after(async () => {
      await client?.close();
      await sandbox.close();
    });

    test('prompts are listed and filled in', async () => {
      const { prompts } = await client.listPrompts();
      assert.deepEqual(prompts.map((prompt) => prompt.name), ['build_and_fix', 'start_dev_server', 'investigate_test_failure']);
      const { messages } = await client.getPrompt({ name: 'build_and_fix', arguments: { command: 'make all' } });
      assert.match(messages[0].content.text, /make all[^]*execute_command/);
      await assert.rejects(client.getPrompt({ name: 'build_and_fix', arguments: {} }), (error) => error.code === -32602);
    });

    test('resources are listed and read; what is missing is an error', async () => {
      const log = `terminally://tab/${tab}/log`;
      const { resources } = await client.listResources();
      assert.deepEqual(resources.map((resource) => resource.uri), ['terminally://tabs', log, `terminally://tab/${tab}/screen`]);
      await call('execute_command', { window_id: tab, command: 'echo to the log' });
      const { contents } = await client.readResource({ uri: log });
      assert.match(contents[0].text, /to the log/);
      assert.equal(JSON.parse((await client.readResource({ uri: 'terminally://tabs' })).contents[0].text).tabs[0].window_id, tab);
      await assert.rejects(client.readResource({ uri: 'terminally://tab/@77/log' }), /not found/);
    });

    test('templates are completed', async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      for (const { uriTemplate } of resourceTemplates) {
        const { completion } = await client.complete({ ref: { type: 'ref/resource', uri: uriTemplate }, argument: { name: 'window_id', value: '@' } });
        assert.deepEqual(completion.values, [tab]);
      }
    });

    test('a subscription tells of output and of tabs, until it is ended', async () => {
      const uri = `terminally://tab/${tab}/log`;
      await connection.subscribe(uri);
      const before = listChanges;
      await call('execute_command', { window_id: tab, command: 'echo told' });
      await poll(() => updated.includes(uri), 5000, 'an update');
      const other = (await call('create_tab')).window_id;
      await poll(() => listChanges > before, 5000, 'a change of the list');
      await call('close_tab', { window_id: other, force: true });
      await connection.unsubscribe(uri);
    });

    test('every line conforms to the official schema', async () => {
      await client.close();
      client = undefined;
      for (const { lines } of await sandbox.serversEnded()) {
        assert.deepEqual(judge(lines).problems, []);
      }
    });
  });
}
