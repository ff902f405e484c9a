// The judge of the other tests: it must see what is wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './lib/oracle.mjs';

const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const client = (message) => ({ from: 'client', text: JSON.stringify(message) });
const server = (message) => ({ from: 'server', text: typeof message === 'string' ? message : JSON.stringify(message) });
const ask = (id, method, params) => client({ jsonrpc: '2.0', id, method, params });
const answer = (id, result) => server({ jsonrpc: '2.0', id, result });
const content = [{ type: 'text', text: 'x' }];

const right = {
  'a legacy result': [ask(1, 'tools/call', { name: 'x' }), answer(1, { content })],
  'a modern result': [ask(1, 'tools/call', { name: 'x', _meta: modern }), answer(1, { content, resultType: 'complete' })],
  'an error without an id': [server({ jsonrpc: '2.0', error: { code: -32700, message: 'x' } })],
  'a notification': [server({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })],
};
const wrong = {
  'no JSON': [server('hello')],
  'an array': [server('[]')],
  'no version': [server('{"id":1,"result":{}}')],
  'a null id': [server({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } })],
  'an error without a message': [server({ jsonrpc: '2.0', id: 1, error: { code: -32700 } })],
  'an unknown notification': [server({ jsonrpc: '2.0', method: 'notifications/hello' })],
  'a result without content': [ask(1, 'tools/call', { name: 'x' }), answer(1, {})],
  'a legacy form of a modern result': [ask(1, 'tools/call', { name: 'x', _meta: modern }), answer(1, { content })],
  'a refusal of a revision that does not say which there are': [
    ask(1, 'tools/list', { _meta: modern }), server({ jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'x' } })],
  'a tool whose schema is no object': [ask('a', 'tools/list'), answer('a', { tools: [{ name: 'x', inputSchema: { type: 'string' } }] })],
};

for (const [what, lines] of Object.entries(right)) {
  test(`lets pass: ${what}`, () => assert.deepEqual(judge(lines).problems, []));
}
for (const [what, lines] of Object.entries(wrong)) {
  test(`objects to: ${what}`, () => assert.notDeepEqual(judge(lines).problems, []));
}
