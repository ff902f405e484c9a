// Live bytes are cut at the records of commands, at whatever place frames are split.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contiguous, Cutter, joined } from '../src/cut';

const NONCE = '0123456789abcdef0123456789abcdef', OTHER = 'ffffffffffffffffffffffffffffffff';
const START = `\x1b]7;mcp:START:${NONCE}\x07\x1b]133;C;mcp=START:${NONCE};x=1\x07`, END = `\x1b]133;D;0;mcp=END:${NONCE};parts=1 0;by=shell\x07\x1b]7;mcp:END:${NONCE}\x07`;
const raw = (s: string): Uint8Array => new TextEncoder().encode(s);

/** What belongs to whom, in order, by byte; pieces of one owner are put together. */
function cut(cutter: Cutter, ...frames: Uint8Array[]): [string | null, number, string][] {
  const out: [string | null, number, string][] = [];
  let at = 1000;
  for (const f of frames) {
    for (const p of cutter.push(at, f)) {
      const last = out[out.length - 1], text = new TextDecoder('latin1').decode(p.bytes);
      if (last && last[0] === p.id && last[1] + last[2].length === p.from) last[2] += text; else out.push([p.id, p.from, text]);
    }
    at += f.length;
  }
  return out;
}

test('every split of prompt, output and prompt gives the same', () => {
  const text = `$ typed${START}one\r\n\x1b[31mtwo\x1b[0m\x1b]0;title\x07${END}$ `, log = raw(text), whole = cut(new Cutter(), log);
  const begin = text.indexOf(`one`), end = text.indexOf('\x1b]133;D');
  assert.deepEqual(whole.filter(([id]) => id), [['01234567', 1000 + begin, text.slice(begin, end)]]);
  for (let i = 0; i <= log.length; i++) assert.deepEqual(cut(new Cutter(), log.subarray(0, i), log.subarray(i)), whole, `split at ${i}`);
  assert.deepEqual(cut(new Cutter(), ...Array.from(log, (_, i) => log.subarray(i, i + 1))), whole);
});

test('begun within a command', () => {
  assert.deepEqual(cut(new Cutter('01234567'), raw(`tail${END}x`)).map(([id]) => id), ['01234567', null]);
});

test('the records of others are output', () => {
  const forged = `a\x1b]133;C;mcp=START:${OTHER}\x07b\x1b]133;D;0;mcp=END:${OTHER}\x07c`, c = new Cutter('01234567');
  assert.deepEqual(cut(c, raw(forged)).map(([id]) => id), ['01234567']);
  assert.equal(c.command, '01234567');
  assert.deepEqual(cut(new Cutter(), raw(END)).map(([id]) => id), [null], 'an end of what is not running');
});

test('a record that never ends holds nothing back', () => {
  const c = new Cutter('01234567'), parts = cut(c, raw('a\x1b]133;' + 'x'.repeat(500)));
  assert.equal(parts.map((p) => p[2]).join('').length, 507);
  c.ended('ffffffff');
  assert.equal(c.command, '01234567');
  c.ended('01234567');
  assert.equal(c.command, null);
});

test('parts that follow each other become one; another command, a hole and enough end it', () => {
  const part = (id: string | null, from: number, text: string) => ({ id, from, bytes: new TextEncoder().encode(text) });
  const parts = [part('a', 10, 'one'), part('a', 13, 'two'), part('a', 16, 'three'), part('b', 21, 'of b'), part('b', 30, 'behind a hole')];
  const all = joined(contiguous(parts, 100));
  assert.deepEqual([all.id, all.from, new TextDecoder().decode(all.bytes)], ['a', 10, 'onetwothree']);
  assert.deepEqual([0, 1, 3, 4, 6, 7].map((enough) => contiguous(parts, enough).length), [0, 1, 1, 2, 2, 3]);
  assert.equal(contiguous(parts.slice(3), 100).length, 1);
  assert.equal(contiguous([], 100).length, 0);
});
