// What every client must be able to do with the server, written once for all of them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { judge } from './oracle.mjs';
import { poll, Sandbox } from './sandbox.mjs';

/**
 * Declares the tests of one kind of client.
 * `connect(command)` starts the server and resolves to {listTools(), callTool(name, args, options), serverName(), version(), close()};
 * `callTool` validates structuredContent by the tool's outputSchema, as the SDK does that it belongs to.
 */
export function describeSession(title, connect, expected) {
  describe(title, { concurrency: false }, () => {
    const sandbox = new Sandbox();
    const called = new Set();
    let client;
    let tools;
    let tab;

    /** A call that must succeed. Returns its structuredContent. */
    async function call(name, args = {}, options = {}) {
      called.add(name);
      const result = await client.callTool(name, args, options);
      assert.ok(!result.isError, `${name}: ${result.content[0]?.text}`);
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, `${name}: content and structuredContent differ`);
      return result.structuredContent;
    }
    const execute = (command, args = {}, options = {}) => call('execute_command', { window_id: tab, command, ...args }, options);
    const settled = () => poll(async () => {
      const now = await call('get_command_state', { window_id: tab, verbose: true });
      return now.state !== 'running' && now;
    }, 8000, 'the end of the command');

    before(async () => {
      client = await connect(sandbox.server);
      tools = (await client.listTools()).tools;
      tab = (await call('create_tab', { name: 'clients' })).window_id;
    });

    after(async () => {
      await client?.close();
      await sandbox.close();
    });

    test('says who it is and which version it speaks', () => {
      assert.equal(client.serverName(), 'terminally-mcp');
      assert.equal(client.version(), expected.version);
    });

    test('every tool has schemas that a strict validator takes', () => {
      assert.equal(tools[0].name, 'list_tabs');
      for (const tool of tools) {
        const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
        assert.equal(typeof ajv.compile(tool.inputSchema), 'function', tool.name);
        assert.equal(typeof ajv.compile(tool.outputSchema), 'function', tool.name);
        assert.ok(tool.description.length > 10, tool.name);
      }
    });

    test('a command: output, exit code, state kept in the tab', async () => {
      const { log_path: log } = (await call('list_tabs')).tabs.find((row) => row.window_id === tab);
      assert.ok(log.startsWith(sandbox.root), log);
      assert.deepEqual(await execute('cd /; x=é; echo "$x"; false'), { output: 'é\n', exit_code: 1, timed_out: false, state: 'completed' });
      assert.equal((await execute('echo "$? $x $PWD"')).output, '1 é /\n');
      assert.equal((await execute('sleep 30', { timeout_ms: 300 })).timed_out, true);
    });

    test('a process: started, seen, stopped', async () => {
      await call('start_process', { window_id: tab, command: 'echo up; exec sleep 60' });
      await poll(async () => /up\r?\n/.test((await call('read_logs_from_tab', { window_id: tab, lines: 5 })).content), 5000, 'the first line');
      assert.equal((await call('stop_process', { window_id: tab })).success, true);
      await settled();
      const chunk = await call('stream_logs_from_tab', { window_id: tab, from_byte: 0, encoding: 'base64' });
      assert.match(Buffer.from(chunk.chunk, 'base64').toString(), /up\r\n/);
    });

    test('a background command, cancelled by the tool', async () => {
      const running = await execute('sleep 60', { timeout_ms: 200, on_timeout: 'background' });
      assert.equal(running.state, 'running');
      assert.equal((await call('cancel_command', { window_id: tab })).state, 'cancelled');
    });

    test('the rest of the tools; none is left out', async () => {
      assert.equal((await call('set_history_limit', { limit: 5000 })).limit, 5000);
      const other = (await call('create_tab')).window_id;
      assert.equal((await call('rename_tab', { window_id: other, name: 'a "b" ü' })).name, 'a "b" ü');
      assert.equal((await call('close_tab', { window_id: other, force: true })).closed, true);
      const asked = await call('start_process', { window_id: tab, command: "read -p 'name? ' name; echo hi $name", until: 'input' });
      assert.deepEqual(asked.awaiting_input, { kind: 'line', prompt: 'name?' });
      assert.match((await call('read_screen', { window_id: tab })).text, /name\?\n$/);
      await call('send_keys', { window_id: tab, keys: ['x', 'BSpace'] });
      await call('send_text', { window_id: tab, text: 'anna' });
      assert.equal((await call('wait_for', { window_id: tab, until: 'exit' })).exit_code, 0);
      assert.equal((await call('search_logs', { window_id: tab, pattern: '^hi anna$' })).matches.length, 1);
      const file = (await call('list_files')).entries.find((entry) => entry.type === 'file').name;
      assert.equal((await call('read_file', { path: file, max_bytes: 0 })).content, '');
      called.add('write_file');
      const refused = await client.callTool('write_file', { path: '/nowhere/file', content: 'x' });
      assert.ok(refused.isError);
      assert.match(refused.content[0].text, /--file-root/);
      assert.deepEqual(tools.map((tool) => tool.name).filter((name) => !called.has(name)), []);
    });

    test('a tool error is a result that says what was wrong', async () => {
      const result = await client.callTool('execute_command', { window_id: tab, command: 'true', timeout: 1 });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /timeout/);
    });

    test('what is streamed is the output', async () => {
      let text = '';
      const onprogress = ({ message }) => { text += message ?? ''; };
      const result = await execute('for i in 1 2 3 4 5 6; do echo line $i; sleep 0.2; done', { timeout_ms: 30000 }, { onprogress });
      assert.equal(text, result.output);
      assert.match(text, /^line 1\n.*line 6\n$/s);
    });

    test('progress keeps a request alive beyond its time-out', async () => {
      const options = { timeout: 3000, resetTimeoutOnProgress: true, onprogress: () => {} };
      const result = await execute('for i in $(seq 1 50); do echo $i; sleep 0.1; done', { timeout_ms: 60000 }, options);
      assert.equal(result.exit_code, 0);
    });

    for (const [how, options] of [
      ["the client's own timeout", () => ({ timeout: 2500 })], // the command has to run by then
      ['an abort', () => ({ signal: AbortSignal.timeout(2500) })],
    ]) {
      test(`${how} ends the command`, async () => {
        const mark = `31${Math.floor(Math.random() * 1e6)}`; // no real wait: the number tells this sleep from any other
        const sleeping = () => sandbox.processes().some((line) => line.includes(`sleep ${mark}`));
        const refused = assert.rejects(execute(`sleep ${mark}`, { timeout_ms: 60000 }, options()));
        await poll(sleeping, 5000, 'the command to run');
        await refused;
        const end = await settled();
        assert.equal(end.state, 'cancelled');
        assert.equal(end.reason, 'cancelled_by_client');
        assert.equal(sleeping(), false);
        assert.equal((await execute('echo next')).output, 'next\n');
      });
    }

    test('every line conforms to the official schema', async () => {
      await client.close();
      client = undefined;
      const conversations = await sandbox.serversEnded();
      assert.equal(conversations.length, expected.processes ?? 1);
      for (const { lines } of conversations) {
        const { judged, problems } = judge(lines);
        assert.ok(judged > 0);
        assert.deepEqual(problems, []);
      }
    });
  });
}
