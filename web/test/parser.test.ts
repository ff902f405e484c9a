// Lines and the offsets of their first bytes, as the parser of the page finds them, at every split.
import { Terminal } from '@xterm/headless';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser, type MakeTerminal } from '../src/parser';
import { plain, readRuns } from '../src/rows';

const make = ((o: object) => new Terminal({ allowProposedApi: true, ...o })) as unknown as MakeTerminal;
const raw = (s: string): Uint8Array => new TextEncoder().encode(s);

async function lines(frames: Uint8Array[], cols = 20, rows = 5, scrollback = 100, from = 1000): Promise<[number, string][]> {
  const p = new Parser(make, cols, rows, from, scrollback), out: [number, string][] = [];
  for (const f of frames) for (let at = 0; at < f.length;) { const n = p.fitting(f.subarray(at)); await p.write(f.subarray(at, at + n)); at += n; }
  for (let row = p.head(p.first), line; row < p.end && (line = p.line(row)); row += line.rows) out.push([line.byte, plain(line.runs)]);
  p.dispose();
  return out;
}

test('each line knows its first byte; wrapped rows are one line', async () => {
  const text = 'one\r\n' + 'w'.repeat(45) + '\r\n\r\n\x1b[31mred\x1b[0m end\r\nünï 日本\r\nlast', log = raw(text);
  const want: [number, string][] = [];
  let at = 1000;
  for (const l of text.split('\n')) { want.push([at, l.replace(/\x1b\[\d*m|\r/g, '')]); at += raw(l).length + 1; }
  assert.deepEqual(await lines([log]), want);
  for (let i = 0; i <= log.length; i += 3) assert.deepEqual(await lines([log.subarray(0, i), log.subarray(i)]), want, `split at ${i}`);
});

test('rows that left the buffer keep the numbers of those that stay', async () => {
  const text = Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\r\n'), got = await lines([raw(text)], 20, 5, 50);
  assert.equal(got.length, 55);
  for (const [byte, line] of got) assert.equal(text.slice(byte - 1000, byte - 1000 + line.length), line);
});

test('after a reset of the terminal, and after clear, what is left is right', async () => {
  for (const wipe of ['\x1bc', '\x1b[H\x1b[2J\x1b[3J']) {
    const before = Array.from({ length: 60 }, (_, i) => `old ${i}`).join('\r\n') + '\r\n', after = Array.from({ length: 30 }, (_, i) => `new ${i}`).join('\r\n');
    const text = before + wipe + after, got = (await lines([raw(before), raw(wipe + after)])).filter(([, l]) => l);
    assert.deepEqual(got.map(([, l]) => l), after.split('\r\n'), JSON.stringify(wipe));
    for (const [byte, line] of got.slice(1)) assert.equal(text.slice(byte - 1000, byte - 1000 + line.length), line);
  }
});

test('a program on the alternate screen leaves the lines before it alone', async () => {
  const text = `a\r\nb\r\n\x1b[?1049h\x1b[Hfull\r\nscreen\x1b[?1049lc\r\nd`;
  assert.deepEqual((await lines([raw(text)])).map(([, l]) => l), ['a', 'b', 'c', 'd']);
});

test('at most half of the buffer is written at once', () => {
  const p = new Parser(make, 10, 5, 0, 100);
  assert.equal(p.fitting(raw('\n'.repeat(500))), 50);
  assert.equal(p.fitting(raw('x'.repeat(5000))), 500);
  assert.equal(p.fitting(raw('short')), 5);
});

test('runs: looks are kept, blanks at the end of a line are not text', async () => {
  const t = new Terminal({ cols: 20, rows: 2, allowProposedApi: true });
  await new Promise<void>((done) => t.write('\x1b[1;31mab\x1b[0m  \x1b[44m \x1b[0m   ', done));
  const line = t.buffer.active.getLine(0);
  assert.ok(line);
  const runs = readRuns(line as never, false);
  assert.deepEqual(runs.map((r) => [r.text, r.fg, r.bg, r.looks]), [['ab', 1, -1, 1], ['  ', -1, -1, 0], [' ', -1, 4, 0]]);
});
