// The pure parts: texts, addresses, states, flow of bytes, following.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast, onGround, readable, type Rgb } from '../src/colours';
import { Flow, delay } from '../src/flow';
import { Follow } from '../src/follow';
import { MUCH, Pace } from '../src/pace';
import { Model } from '../src/model';
import { bytesWithin, LONGEST_MS, stepsOf } from '../src/play';
import { readRoute, writeRoute } from '../src/route';
import { newsOf } from '../src/say';
import { begun, iconOf, kindOf, opensItself, saidOf, tabState } from '../src/state';
import { age, bytes, clock, counting, firstLine, literally, many, number, span, visible, visibleLines } from '../src/text';
import { Times } from '../src/times';
import { readFrame, type Command, type Tab } from '../src/wire';

test('times and durations as the design writes them', () => {
  assert.deepEqual([56, 999, 1000, 5843, 59_999, 60_000, 134_000, 3_599_999, 11_040_000].map(span), ['56 ms', '999 ms', '1.0 s', '5.8 s', '59.9 s', '1:00', '2:14', '59:59', '3 h 04']);
  assert.deepEqual([-5, 0, 12_999, 134_000, 11_040_000].map(counting), ['0:00', '0:00', '0:12', '2:14', '3 h 04']);
  assert.deepEqual([0, 59_999, 60_000, 41 * 60_000, 3 * 3_600_000, 24 * 3_600_000, 50 * 3_600_000].map(age), ['just now', 'just now', '1 min', '41 min', '3 h', '1 day', '2 days']);
  assert.equal(clock(new Date(2026, 10, 25, 7, 5, 9).getTime()), '07:05:09');
});

test('amounts', () => {
  assert.deepEqual([0, 1, 1023, 1024, 41 * 1024, 1 << 20, 12.4 * (1 << 20), 1.2 * 2 ** 30].map((n) => bytes(Math.round(n))), ['0 bytes', '1 byte', '1,023 bytes', '1 KB', '41 KB', '1.0 MB', '12.4 MB', '1.2 GB']);
  assert.equal(many(1, 'line'), '1 line');
  assert.equal(many(1922, 'line'), '1,922 lines');
  assert.equal(number(22701), '22,701');
});

test('hostile names are shown as escapes, and nothing else is changed', () => {
  const hostile: Record<string, string> = {
    'a\u202eb': 'a\\u{202e}b', 'a\u200bb': 'a\\u{200b}b', '\u001b[2J': '\\x1b[2J', 'a\u0000b': 'a\\x00b', 'a\u009bb': 'a\\x9bb', 'a\nb': 'a\\nb', 'a\tb': 'a\\tb', '\u2066x\u2069': '\\u{2066}x\\u{2069}',
    '\ufeffx': '\\u{feff}x', '\u{e0041}': '\\u{e0041}', '\u00ad': '\\xad', '\ud800': '\\u{d800}', '\u2028': '\\u{2028}',
  };
  for (const [name, shown] of Object.entries(hostile)) assert.equal(visible(name), shown);
  for (const name of ['npm test', 'größer 日本語 🙂', '<img src=x onerror=alert(1)>', '&amp;']) assert.equal(visible(name), name);
  assert.equal(visibleLines('a\n\tb\u202e'), 'a\n\tb\\u{202e}');
  assert.equal(firstLine('a\nb'), 'a');
  assert.ok(new RegExp(literally('a.b*(c)[d]\\')).test('a.b*(c)[d]\\'));
});

test('an output is played again with its pauses, the long ones cut', () => {
  const plain = (times: [number, number][], from = 10, to = 50) => stepsOf(times, from, to).map((s) => [s.to, s.at]);
  assert.deepEqual(plain([]), [[50, 0]]);                                                      // nobody knows when
  assert.deepEqual(plain([[5, 1000], [20, 1500], [30, 1600]]), [[20, 0], [30, 500], [50, 600]]);
  assert.deepEqual(plain([[10, 1000], [20, 900_000]]), [[20, 0], [50, LONGEST_MS]]);
  assert.deepEqual(plain([[10, 1000], [20, 400], [30, 500]]), [[20, 0], [30, 0], [50, 100]]);   // the clock was set back
  assert.deepEqual(plain([[20, 1000], [30, 1100]]), [[20, 0], [30, 0], [50, 100]]);             // before the first: at once
  assert.deepEqual(plain([[10, 1000], [50, 2000], [60, 3000]]), [[50, 0]]);                     // behind its end
  assert.deepEqual(plain([[1, 1], [5, 500], [10, 1000], [20, 1100]]), [[20, 0], [50, 100]]);
});

test('of a part with gaps each byte is found where it is, and none twice', () => {
  const part = { from: 100, next: 120, end: 120, bytes: Uint8Array.from({ length: 14 }, (_, i) => i), gaps: [[104, 5, 'lost'], [112, null, 'unknown'], [113, 1, 'lost']] as [number, number | null, 'lost' | 'unknown'][] };
  const at = new Map([...Array(4)].map((_, i) => [100 + i, i] as [number, number]));   // 100-103, 109-112, 114-119
  for (let i = 0; i < 4; i++) at.set(109 + i, 4 + i);
  for (let i = 0; i < 6; i++) at.set(114 + i, 8 + i);
  for (let from = 98; from <= 122; from++) {
    for (let to = from; to <= 122; to++) {
      const want = [...at].filter(([byte]) => byte >= from && byte < to).map(([, value]) => value);
      assert.deepEqual(bytesWithin(part, from, to).flatMap((b) => [...b]), want, `${from} to ${to}`);
    }
  }
});

test('addresses are read as they are written', () => {
  for (const r of [{ tab: '@3' }, { tab: '@3', command: '2589d535' }, { tab: 'build1:@3', from: 9213 }, { tab: '@3', from: 9213, to: 9980 }, { tab: '@3', query: 'a b?&#%' }, { tab: 'über/x:@3', command: 'b' }]) assert.deepEqual(readRoute(writeRoute(r)), r);
  assert.equal(writeRoute({ tab: 'build1:@3', from: 9213, to: 9980 }), '#/build1:@3/b/9213-9980');
  for (const bad of ['', '#', '#CODE', '#/', '#/@3/b/x', '#/@3/b/1-2-3', '#/@3/a/b']) assert.equal(readRoute(bad), null);
  assert.deepEqual(readRoute('#/%E0%A4%A'), { tab: '%E0%A4%A' });
});

test('a channel takes each byte once, at every way in which frames overlap', () => {
  const log = Uint8Array.from({ length: 12 }, (_, i) => i);
  for (let a = 0; a <= 12; a++) {
    for (let b = 0; b <= 12; b++) {
      const flow = new Flow(), got: number[] = [];
      for (const [from, to] of [[0, a], [Math.min(a, b), 12]]) {
        const t = flow.take(from, log.subarray(from, to));
        assert.equal(t.missing, 0);
        assert.equal(t.from, got.length);
        got.push(...t.bytes);
      }
      assert.deepEqual(got, [...log]);
      assert.equal(flow.next, 12);
    }
  }
});

test('bytes that are missing are counted; a gap that was told is none', () => {
  const flow = new Flow(5);
  assert.deepEqual([flow.take(8, new Uint8Array(2)).missing, flow.next], [3, 10]);
  flow.skip(100);
  assert.deepEqual([flow.take(100, new Uint8Array(1)).missing, flow.next], [0, 101]);
});

test('acknowledged is what is drawn, not each piece', () => {
  const flow = new Flow(0);
  assert.deepEqual([flow.drawn(10, false), flow.drawn(40_000, false), flow.drawn(40_001, false), flow.drawn(40_001, true), flow.drawn(40_001, true), flow.drawn(3, true)], [null, 40_000, null, 40_001, null, null]);
});

test('tries to connect again come slower, then each 5 s', () => assert.deepEqual([0, 1, 2, 3, 4, 100].map(delay), [500, 1000, 2000, 4000, 5000, 5000]));

test('following: only a person pauses, only the end resumes', () => {
  const f = new Follow();
  assert.equal(f.scrolled(500, false, 1), false);
  assert.equal(f.following, true);
  assert.equal(f.scrolled(3, true, 1), false);
  assert.equal(f.scrolled(5, true, 7), true);
  assert.deepEqual([f.following, f.pausedAt, f.missed], [false, 7, 0]);
  f.lines(30); f.lines(8);
  assert.equal(f.missed, 38);
  assert.equal(f.pause(9), false);
  assert.equal(f.pausedAt, 7);
  assert.equal(f.scrolled(0, true, 9), false);
  assert.equal(f.scrolled(200, false, 9), false);
  assert.equal(f.scrolled(2, false, 9), true);
  f.lines(5);
  assert.equal(f.following, true);
  f.pause(11);
  assert.equal(f.missed, 0);
  assert.equal(f.resume(), true);
  assert.equal(f.resume(), false);
});

const command = (c: Partial<Command> = {}): Command => ({ id: 'a', text: 'x', state: 'completed', exit: 0, start: 0, end: 1, at: 0, ms: 5, ...c });
const tab = (t: Partial<Tab> = {}): Tab => ({ id: '@1', name: 'main', created_at: 0, cols: 80, rows: 24, log_bytes: 0, ...t });

test('each state of a command has its own shape and word', () => {
  const states: [Partial<Command>, string, string, string][] = [
    [{ state: 'running', exit: null }, 'running', 'running', ''],
    [{ state: 'running', cancel: { by: 'person', step: 'interrupt' } }, 'running', 'running', 'Ctrl C sent'],
    [{ state: 'running', cancel: { by: 'person', step: 'kill' } }, 'running', 'running', 'SIGKILL sent'],
    [{ state: 'running', awaiting: { kind: 'password', prompt: '', process: 'p', pid: 1 } }, 'wait', 'password', 'waits for you'],
    [{ state: 'running', awaiting: { kind: 'line', prompt: '', process: 'p', pid: 1 } }, 'wait', 'input', 'waits for you'],
    [{ state: 'running', awaiting: { kind: 'program', prompt: '', process: 'p', pid: 1 } }, 'running', 'running', ''],
    [{}, 'ok', 'ok', ''], [{ exit: 2 }, 'failed', 'failed', 'exit 2'], [{ state: 'cancelled', exit: 130 }, 'cancelled', 'cancelled', 'cancelled'],
    [{ state: 'failed', exit: null }, 'unknown', 'unknown', 'unknown'], [{ kind: 'hand' }, 'you', 'hand', ''],
  ];
  for (const [c, kind, icon, said] of states) assert.deepEqual([kindOf(command(c)), iconOf(command(c)), saidOf(command(c))], [kind, icon, said]);
  assert.equal(iconOf(command({ state: 'running' }), true), 'program');
});

test('each state of a tab', () => {
  const text = (t: Partial<Tab>, now = 12_000) => { const s = tabState(tab(t), now); return `${s.kind} ${s.text}`; };
  assert.equal(text({}), 'idle ');
  assert.equal(text({ command: command({ state: 'running', exit: null, ms: null }) }), 'running 0:12');
  assert.equal(text({ command: command({ exit: 2 }) }), 'failed exit 2');
  assert.equal(text({ command: command({ ms: 1000 }) }, 61_000 + 1000), 'ok 1 min');
  assert.equal(text({ control: { holder: { kind: 'you', name: 'me' } } }), 'you you');
  assert.equal(text({ control: { holder: { kind: 'person', name: 'ana' } } }), 'other ana');
  assert.equal(tabState(tab({ command: command() }), 0, { name: 'web', state: 'lost' }).kind, 'nolink');
});

test('what opens by itself', () => {
  assert.equal(opensItself(command({ lines: 6 }), false), true);
  assert.equal(opensItself(command({ lines: 7 }), false), false);
  assert.equal(opensItself(command({ lines: 0 }), false), false);
  assert.equal(opensItself(command({ lines: 900 }), true), true);
  assert.equal(opensItself(command({ lines: 900, exit: 1 }), false), true);
  assert.equal(opensItself(command({ lines: 900, state: 'cancelled' }), false), false);
});

test('what is announced', () => {
  const was = command({ state: 'running', exit: null });
  assert.equal(newsOf(was, command({ text: 'npm test', exit: 1, ms: 5843 }), 'main'), 'npm test failed, exit 1, after 5.8 s');
  assert.equal(newsOf(was, command({ state: 'running', awaiting: { kind: 'password', prompt: '', process: 'p', pid: 1 } }), 'release'), 'release waits for a password');
  assert.equal(newsOf(was, was, 'main'), '');
  assert.equal(newsOf(undefined, command(), 'main'), '');
});

test('when a byte was printed', () => {
  const t = new Times();
  assert.equal(t.of(5), null);
  t.add([[100, 1], [0, 0], [200, 2]]);
  t.seen(300, 500); t.seen(310, 550); t.seen(320, 600); t.seen(250, 900);
  assert.deepEqual([0, 99, 100, 199, 250, 300, 315, 320, 9999].map((b) => t.of(b)), [0, 0, 1, 1, 2, 500, 500, 600, 600]);
  t.add([[100, 7]]);
  assert.equal(t.of(150), 7);
});

test('frames: little-endian, offsets beyond 32 bits; what is none is dropped', () => {
  const data = new ArrayBuffer(18), v = new DataView(data);
  v.setUint8(0, 1); v.setUint8(1, 3); v.setUint16(2, 517, true); v.setBigUint64(8, 10_000_000_000n, true); v.setUint8(16, 65);
  const f = readFrame(data);
  assert.deepEqual([f?.channel, f?.current, f?.closed, f?.from, [...(f?.bytes ?? [])]], [517, true, true, 10_000_000_000, [65, 0]]);
  assert.equal(readFrame(new ArrayBuffer(15)), null);
  v.setUint8(0, 2);
  assert.equal(readFrame(data), null);
});

test('colours can be read wherever they stand', () => {
  const tokens = { ansi: [], bg: [15, 17, 20] as Rgb, t1: [228, 231, 235] as Rgb };
  let seed = 7;
  const any = (): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % 256;
  for (let i = 0; i < 2000; i++) {
    const fg: Rgb = [any(), any(), any()], bg: Rgb = [any(), any(), any()];
    assert.ok(contrast(readable(fg, bg), bg) >= 4.5, `${fg} on ${bg}`);
    assert.ok(contrast(onGround(fg, bg, tokens), bg) >= 4.5, `${fg} on ${bg}`);
  }
  assert.deepEqual(onGround([255, 255, 255], [0, 0, 0], tokens), [255, 255, 255]);
});

test('the model: order of commands, one whole tab at a time, another instance forgets', () => {
  const m = new Model(), hello = { t: 'hello', v: 1, version: '1', role: 'exec', now: Date.now() } as const;
  m.take({ ...hello, instance: 'a' });
  m.take({ t: 'tabs', tabs: [tab()] });
  m.take({ t: 'commands', tab: '@1', commands: [command({ id: 'b', start: 10 }), command({ id: 'c', start: 20 })], more: false });
  m.take({ t: 'command', tab: '@1', command: command({ id: 'd', start: 15 }) });
  m.command('@1', command({ id: 'a', start: 1 }));
  assert.deepEqual(m.of('@1').map((c) => c.id), ['a', 'b', 'd', 'c']);
  m.take({ t: 'control', tab: '@1', holder: { kind: 'you', name: 'me' } });
  assert.ok(m.mine('@1'));
  m.take({ t: 'tab', tab: tab({ name: 'x' }) });
  assert.ok(m.mine('@1'), 'a tab without a word on control keeps it');
  m.take({ ...hello, instance: 'a' });
  assert.equal(m.tabs.size, 1);
  m.take({ ...hello, instance: 'b' });
  assert.equal(m.tabs.size + m.commands.size, 0);
});

test('the model: what came while nobody looked is not taken for all there is', () => {
  const m = new Model(), many = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => command({ id: `c${from + i}`, start: from + i }));
  m.take({ t: 'tabs', tabs: [tab()] });
  m.take({ t: 'commands', tab: '@1', commands: many(1, 4), more: false });
  m.take({ t: 'tab', tab: tab({ command: command({ id: 'c40', start: 40 }) }) });
  m.take({ t: 'commands', tab: '@1', commands: many(40, 240), more: true });
  assert.deepEqual([m.of('@1').length, m.of('@1')[0].id, m.more.get('@1')], [200, 'c40', true]);
  m.take({ t: 'commands', tab: '@1', commands: many(100, 300), more: true });
  assert.deepEqual([m.of('@1').length, m.of('@1')[0].id], [260, 'c40'], 'what hangs together stays');
  m.take({ t: 'command', tab: '@1', command: command({ id: 'c299', start: 299, lines: 5 }) });
  const before = m.of('@1').at(-1);
  m.take({ t: 'tab', tab: tab({ command: command({ id: 'c299', start: 299, lines: null }) }) });
  assert.equal(m.of('@1').at(-1), before, 'nothing new about it');
});

test('what is before the START of a command is not its output', () => {
  assert.equal(begun(command({ state: 'running', start: 5, typed_byte: 5 })), false);
  assert.equal(begun(command({ state: 'running', start: 9, typed_byte: 5 })), true);
  assert.equal(begun(command({ state: 'running', start: 5, typed_byte: 5, kind: 'hand' })), true);
  assert.equal(begun(command({ state: 'failed', start: 5, typed_byte: 5 })), true);   // it never came
});

test('the model: a command that was not run after all goes', () => {
  const m = new Model(), runs = command({ id: 'b', start: 5, state: 'running', end: null });
  m.take({ t: 'tabs', tabs: [tab()] });
  m.take({ t: 'commands', tab: '@1', commands: [command({ id: 'a', start: 1 }), runs], more: false });
  m.take({ t: 'withdrawn', tab: '@1', command: 'b' });
  assert.deepEqual(m.of('@1').map((c) => c.id), ['a']);
  m.take({ t: 'command', tab: '@1', command: runs });
  m.take({ t: 'commands', tab: '@1', commands: [command({ id: 'a', start: 1 })], more: false });   // it was withdrawn while nobody told
  assert.deepEqual(m.of('@1').map((c) => c.id), ['a']);
});

test('a lost connection stops the clock', () => {
  const m = new Model();
  m.lost = 1000;
  assert.equal(m.now(), 1000);
});

test('bars: one each 5 s, twelve, none for what is silent', () => {
  const m = new Model();
  m.rate({ '@1': 5 });
  for (let i = 0; i < 20; i++) m.tick();
  assert.deepEqual(m.rates.get('@1'), Array(12).fill(5));
  m.rate({ '@1': 0 });
  for (let i = 0; i < 12; i++) m.tick();
  assert.equal(m.rates.size, 0);
});

test('tabs of a host stay as they were until that host has told its own', () => {
  const model = new Model(), host = (state: string) => ({ name: 'web', state });
  const tab = (id: string, name: string | null = null) => ({ id, host: name, created_at: 1, cols: 80, rows: 24, log_bytes: 0, name: null }) as unknown as Tab;
  const hello = (state: string) => model.take({ t: 'hello', v: 1, instance: 'work', version: '1', role: 'exec', now: 0, hosts: [host(state)] });
  hello('up');
  model.take({ t: 'tabs', tabs: [tab('@0'), tab('web:@0', 'web'), tab('web:@1', 'web')] });
  hello('connecting');
  model.take({ t: 'tabs', tabs: [tab('@1')] });
  assert.deepEqual([...model.tabs.keys()], ['@1', 'web:@0', 'web:@1']);
  model.take({ t: 'tab', tab: tab('web:@1', 'web') });
  model.take({ t: 'host', host: host('up') });
  assert.deepEqual([...model.tabs.keys()], ['@1', 'web:@1']);
  hello('lost');
  model.take({ t: 'tabs', tabs: [tab('@1')] });
  assert.deepEqual([...model.tabs.keys()], ['@1']);
});

test('a page draws each frame, and rests where a tab is flooded', () => {
  const p = new Pace();
  assert.equal(p.feed(MUCH - 1, 9 * MUCH, 1000), false);
  assert.equal(p.feed(1, 2 * MUCH, 1000), true);
  p.drew(1000, 1100);
  assert.equal(p.wait(1100), 0, 'what is here is drawn soon');
  assert.equal(p.feed(MUCH, 2 * MUCH + 1, 1000), true);
  p.drew(1300, 1310);
  assert.equal(p.wait(1310), 120, 'the longer drawing took, the longer the rest');
  p.feed(MUCH, 3 * MUCH, 1000);
  p.drew(1500, 1600);
  assert.equal(p.wait(1600), 0, 'nothing was printed since: what is left is drawn soon');
  p.feed(MUCH, 3 * MUCH, 2000);
  p.drew(1700, 2100);
  assert.equal(p.wait(2100), 1500, 'and a rest has an end');
  p.calm();
  assert.equal(p.wait(2101), 0, 'what printed has ended');
  p.feed(10, 3 * MUCH, 3000);
  p.drew(5000, 5400);
  assert.equal(p.wait(5400), 0, 'a drawing of something else');
});
