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

const task = { taskId: 't', status: 'working', createdAt: '2026-11-21T09:00:00Z', lastUpdatedAt: '2026-11-21T09:00:00Z' };
const subscribed = { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } };
const create = (meta) => ask(1, 'tools/call', { name: 'x', ...(meta ? { _meta: meta } : { task: {} }) });

const right = {
  'a legacy task': [create(), answer(1, { task: { ...task, ttl: null } })],
  'a modern task': [create(modern), answer(1, { resultType: 'task', ...task, ttlMs: null })],
  'a modern task that is over': [
    ask(1, 'tasks/get', { taskId: 't', _meta: modern }), answer(1, { resultType: 'complete', ...task, status: 'completed', ttlMs: null, result: {} })],
  'a modern notification among legacy ones': [
    server({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: {}, ...subscribed } })],
  'a legacy result': [ask(1, 'tools/call', { name: 'x' }), answer(1, { content })],
  'a modern result': [ask(1, 'tools/call', { name: 'x', _meta: modern }), answer(1, { content, resultType: 'complete' })],
  'an error without an id': [server({ jsonrpc: '2.0', error: { code: -32700, message: 'x' } })],
  'a notification': [server({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })],
};
const wrong = {
  'a legacy task without its wrapper': [create(), answer(1, { ...task, ttl: null })],
  'a modern task with one': [create(modern), answer(1, { resultType: 'task', task })],
  'a modern task with a legacy field': [create(modern), answer(1, { resultType: 'task', ...task, ttlMs: null, ttl: 1 })],
  'a modern task that is over without what it came to': [
    ask(1, 'tasks/get', { taskId: 't', _meta: modern }), answer(1, { resultType: 'complete', ...task, status: 'completed', ttlMs: null })],
  'a modern notification without a subscription': [
    server({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } })],
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
