// What one command printed: chunks of lines, seams where something is not shown, and the tail that still grows.
import { MIB, type Part } from './api';
import { h } from './h';
import { Chunk, CHUNK, lineElement, Tail, type Place } from './lines';
import { Parser, type Line, type MakeTerminal } from './parser';
import { plain } from './rows';
import { Seam } from './seam';

export const LIVE_ROWS = 2000, KEPT_ROWS = 10_000, WINDOW = 256 * 1024, FAR_LINES = 5000;

export interface Source extends Place {
  make: MakeTerminal;
  size(): { cols: number; rows: number };
  read(from: number, to: number, line: boolean): Promise<Part>;
  download(from: number, to: number): string;
  /** Something is to be drawn. */
  changed(): void;
  observe(el: Element, on: boolean): void;
  jumpTo(byte: number): void;
  /** Learns when these bytes were printed. */
  times(from: number, to: number): Promise<void>;
  logEnd(): number;
}
type Item = Chunk | Seam;

export class Body {
  readonly el = h('.cmd-body');
  private readonly tail = new Tail();
  private items: Item[] = [];
  private parser: Parser | null = null;
  private tailRow = 0;
  private started = false;        // a line with text was seen; blank ones before it are dropped
  private scanned = 0;            // rows below are counted
  private open = 0;               // lines between tailRow and scanned
  private before: number | null = null;
  over = false;
  private resized: { cols: number; rows: number } | null = null;
  private dead = false;
  /** The byte after the last one that is here. */
  next: number;
  binary = false;

  constructor(private readonly source: Source, readonly start: number) {
    this.next = start;
    this.el.append(this.tail.el);
  }

  /** What is shown as text besides: a screen of a program, nothing yet. */
  get alternate(): boolean { return this.parser?.alternate ?? false; }
  get empty(): boolean { return this.items.length === 0 && this.tail.count === 0; }
  get lines(): number { return this.items.reduce((n, i) => n + (i.lines ?? 0), this.tail.count); }

  // ---- what still prints
  /** Bytes of the log from `from` on, in order. What is missing before them is read. */
  async take(from: number, data: Uint8Array): Promise<void> {
    if (from > this.next) await this.catchUp(from);
    if (this.dead || from + data.length <= this.next) return;
    await this.feed(data.subarray(Math.max(0, this.next - from)));
  }
  /** Reads what was printed before `to`; where that is much, its end alone. */
  async catchUp(to: number): Promise<void> {
    if (to - this.next > MIB) {
      const part = await this.source.read(to - WINDOW, to, true);
      this.breakAt(part.from, new Seam(this.next, part.from, null, this.actions));
      await this.feedPart(part);
    }
    while (!this.dead && this.next < to) {
      const before = this.next;
      await this.feedPart(await this.source.read(this.next, to, false));
      if (this.next === before) { this.breakAt(to, new Seam(before, to, 'removed', this.actions)); return; }
    }
  }
  /** Bytes are missing: what follows begins at `to`, in a fresh terminal. */
  gap(to: number, why: Seam['why'], from: number, detail = ''): void {
    this.breakAt(to, new Seam(from, to, why, this.actions, null, detail));
    this.source.changed();
  }
  /** The pane has another size from here on. */
  resize(cols: number, rows: number): void { if (this.parser && (this.parser.cols !== cols)) this.resized = { cols, rows }; }

  /** Nothing more comes: what is shown is [start, end). */
  async finish(end: number): Promise<void> {
    if (this.over) return;
    this.over = true;
    if (this.next > end) await this.load(end, null); else if (this.next < end) await this.catchUp(end);
    this.source.changed();
  }

  private async feedPart(part: Part): Promise<void> {
    let at = 0;
    for (const [offset, missing, why] of part.gaps) {
      const cut = Math.min(part.bytes.length, Math.max(at, offset - part.from));
      await this.feed(part.bytes.subarray(at, cut));
      this.breakAt(this.next + (missing ?? 0), new Seam(this.next, this.next + (missing ?? 0), missing === null ? 'unknown' : why, this.actions));
      at = cut;
    }
    await this.feed(part.bytes.subarray(at));
    this.next = Math.max(this.next, part.next);
  }

  private async feed(data: Uint8Array): Promise<void> {
    if (this.resized) { const { cols } = this.resized; this.resized = null; if (cols !== this.parser?.cols) this.breakAt(this.next, null); }
    for (let at = 0; at < data.length && !this.dead;) {
      const p = this.parser ??= this.begin(LIVE_ROWS), slice = data.subarray(at, at + p.fitting(data.subarray(at)));
      if (this.next < this.start + 4096 && slice.includes(0)) this.binary = true;
      await p.write(slice);
      if (this.dead || p !== this.parser) return;
      this.next = p.next;
      at += slice.length;
      this.close(p, false);
      this.trim();
    }
    this.source.changed();
  }

  private begin(scrollback: number): Parser {
    const { cols, rows } = this.source.size();
    this.tailRow = this.scanned = this.open = 0;
    return new Parser(this.source.make, cols, rows, this.next, scrollback);
  }
  private breakAt(to: number, seam: Seam | null): void {
    if (this.parser) { this.close(this.parser, true); this.tail.forget(); }
    this.parser = null;
    if (seam) this.put(seam);
    this.next = to;
  }

  // Rows that cannot change any more become chunks; with `all` every row does.
  private close(p: Parser, all: boolean): void {
    const end = all ? p.end : p.active;
    if (!this.started) {
      for (let line: Line | null; this.tailRow < p.end && (line = p.line(this.tailRow)); this.tailRow += line.rows) {
        if (plain(line.runs).trim()) { this.started = true; break; }
        if (this.tailRow + line.rows > end) break;
      }
      this.scanned = Math.max(this.scanned, this.tailRow);
    }
    for (let row = Math.max(this.scanned, p.first); row < end; row++) {
      if (row > this.tailRow && p.isHead(row)) {
        this.open++;
        if (this.open === CHUNK) this.cut(p, row);
      }
      this.scanned = row + 1;
    }
    if (all && end > this.tailRow && (this.started || this.open)) { this.open++; this.cut(p, end, this.next); }
  }
  private cut(p: Parser, row: number, to = p.byteOf(row)): void {
    const chunk = new Chunk(p, this.tailRow, row, this.open, p.byteOf(this.tailRow), to, this.before);
    const made = this.tail.release(this.tailRow, row, this.open);
    if (made) chunk.fillWith(made); else chunk.empty(this.source);
    this.before = p.byteOf(row - 1);
    this.tailRow = row;
    this.open = 0;
    this.put(chunk);
  }
  private put(item: Item): void { this.insert(this.items.length, [item]); }
  private insert(at: number, items: Item[]): void {
    const before = this.items[at]?.el ?? this.tail.el;
    for (const item of items) { this.el.insertBefore(item.el, before); this.source.observe(item.el, true); }
    this.items.splice(at, 0, ...items);
  }
  private remove(at: number, count: number): void {
    for (const item of this.items.splice(at, count)) { this.source.observe(item.el, false); item.el.remove(); }
  }
  // Chunks whose rows the terminal has forgotten, and which nobody looks at, give way to a seam.
  private trim(): void {
    if (this.items.length * CHUNK < LIVE_ROWS + CHUNK) return;
    const looked = this.items.findIndex((i) => i instanceof Chunk && i.drawn), watched = looked >= 0;
    const first = this.items.findIndex((i) => i instanceof Chunk && !i.kept && !i.drawn && !(watched && Math.abs(this.items.indexOf(i) - looked) * CHUNK < FAR_LINES));
    if (first < 0) return;
    let last = first;
    while (last + 1 < this.items.length) {
      const item = this.items[last + 1];
      if (!(item instanceof Chunk) || item.kept || item.drawn || (watched && Math.abs(last + 1 - looked) * CHUNK < FAR_LINES)) break;
      last++;
    }
    const from = this.items[first].from, to = this.items[last].to, above = this.items[first - 1];
    this.remove(first, last - first + 1);
    if (above instanceof Seam && above.loadable && above.to === from) { above.to = to; above.lines = null; above.draw(); } else this.insert(first, [new Seam(from, to, null, this.actions)]);
  }

  // ---- what is over: a window of it
  /** The output up to `end`; of much of it the last part. With `most` the last lines alone. */
  async load(end: number, most: number | null): Promise<void> {
    const from = end - this.start > MIB ? end - WINDOW : this.start;
    const items = await this.window(from, end, from > this.start, most);
    if (this.dead) return;
    const first = items[0]?.from ?? end;
    if (first > this.start && !(items[0] instanceof Seam && items[0].from === this.start)) items.unshift(new Seam(this.start, first, null, this.actions));
    this.remove(0, this.items.length);
    this.parser = null;
    this.tail.forget();
    this.insert(0, items);
    this.next = end;
    this.over = true;
    this.source.changed();
  }

  // Parses [from, to) into chunks of its own.
  private async window(from: number, to: number, line: boolean, most: number | null = null): Promise<Item[]> {
    const part = await this.source.read(from, to, line), items: Item[] = [];
    if (from === this.start) this.binary = part.bytes.subarray(0, 4096).includes(0);
    if (this.binary && most !== null) return items;
    let at = 0, byte = part.from;
    const stop = async (until: number): Promise<void> => {
      if (until > at) items.push(...await this.parse(part.bytes.subarray(at, until), byte, items.length === 0, most));
      byte += until - at;
      at = until;
    };
    for (const [offset, missing, why] of part.gaps) {
      await stop(Math.min(part.bytes.length, Math.max(at, offset - byte + at)));
      items.push(new Seam(byte, byte + (missing ?? 0), missing === null ? 'unknown' : why, this.actions));
      byte += missing ?? 0;
    }
    await stop(part.bytes.length);
    if (part.next < to) items.push(...await this.window(Math.max(part.next, from + 1), to, false, most));
    return items;
  }

  private async parse(data: Uint8Array, from: number, first: boolean, most: number | null): Promise<Item[]> {
    const { cols, rows } = this.source.size(), p = new Parser(this.source.make, cols, rows, from, KEPT_ROWS);
    for (let at = 0; at < data.length;) {
      const slice = data.subarray(at, at + Math.min(128 * 1024, p.fitting(data.subarray(at))));
      await p.write(slice);
      at += slice.length;
    }
    const heads: number[] = [];
    for (let row = p.head(p.first); row < p.end; row++) if (p.isHead(row)) heads.push(row);
    const blank = (row: number): boolean => !plain(p.line(row)?.runs ?? []).trim();
    while (heads.length && blank(heads[heads.length - 1])) heads.pop();
    let begin = 0;
    if (first) while (begin < heads.length && blank(heads[begin])) begin++;
    const skipped = begin, end = from + data.length, items: Item[] = [];
    if (most !== null && heads.length - begin > most + 2) {
      begin = heads.length - most;
      while (begin < heads.length - 1 && blank(heads[begin])) begin++;
      items.push(new Seam(from, p.byteOf(heads[begin]), null, this.actions, begin - skipped));
    } else if (p.first > 0) items.push(new Seam(from, p.byteOf(heads[begin] ?? p.first), null, this.actions));
    for (let i = begin; i < heads.length; i += CHUNK) {
      const row = heads[i], stop = heads[i + CHUNK] ?? (heads.length ? p.end : row), to = heads[i + CHUNK] === undefined ? end : p.byteOf(stop);
      const chunk = new Chunk(p, row, heads[i + CHUNK] ?? this.lastRow(p, heads), Math.min(CHUNK, heads.length - i), p.byteOf(row), to, i > begin ? p.byteOf(heads[i - 1]) : null);
      chunk.empty(this.source);
      items.push(chunk);
    }
    return items;
  }
  private lastRow(p: Parser, heads: number[]): number {
    const last = heads[heads.length - 1];
    return last + (p.line(last)?.rows ?? 1);
  }

  // ---- seams
  private readonly actions = {
    show: (seam: Seam, how: 'more' | 'start' | 'all') => { void this.show(seam, how); },
    download: (from: number, to: number) => this.source.download(from, to),
  };
  /** Shows what a seam stands for: all of it, the part before its end, or the part after its begin. */
  async show(seam: Seam, how: 'more' | 'start' | 'all'): Promise<void> {
    if (seam.busy) return;
    seam.busy = true;
    const { from, to } = seam;
    try {
      if (how === 'start') await this.splice(seam, from, Math.min(to, from + WINDOW));
      else await this.splice(seam, how === 'all' ? from : Math.max(from, to - MIB), to);
      if (how === 'start') this.source.jumpTo(from);
    } finally { seam.busy = false; }
  }
  private async splice(seam: Seam, from: number, to: number): Promise<void> {
    const items = await this.window(from, to, from > seam.from), at = this.items.indexOf(seam);
    if (this.dead || at < 0) return;
    const first = items[0]?.from ?? from, last = items[items.length - 1]?.to ?? to;
    if (first > seam.from) items.unshift(new Seam(seam.from, first, null, this.actions));
    if (last < seam.to) items.push(new Seam(last, seam.to, null, this.actions));
    this.remove(at, 1);
    this.insert(at, items);
    this.source.changed();
  }

  /** Makes sure that the line with `byte` is here, and returns its element. */
  async reach(byte: number): Promise<HTMLElement | null> {
    for (let tries = 0; tries < 4; tries++) {
      const item = this.items.find((i) => byte >= i.from && byte < i.to);
      if (!item) break;
      if (item instanceof Chunk) { await this.drawChunk(item); return lineAt(item.el, byte); }
      if (!item.loadable) return item.el;
      const from = Math.max(item.from, byte - WINDOW / 4);
      await this.splice(item, from, Math.min(item.to, byte + WINDOW));
    }
    this.draw();
    return lineAt(this.tail.el, byte) ?? lineAt(this.el, byte);
  }

  // ---- drawing
  draw(): void {
    const p = this.parser;
    if (!p) return;
    this.tail.draw(p, this.tailRow, this.before, this.source, this.over || !this.started);
  }
  get lastLine(): HTMLElement | undefined { return this.tail.last; }

  /** A chunk came into view, or left it. */
  looked(chunk: Chunk, seen: boolean): void {
    if (seen) void this.drawChunk(chunk); else if (chunk.drawn) chunk.empty(this.source);
  }
  private async drawChunk(chunk: Chunk): Promise<void> {
    if (chunk.drawn || chunk.asked) return;
    if (chunk.kept) { chunk.draw(this.source); return; }
    chunk.asked = true;
    try {
      const part = await this.source.read(chunk.from, chunk.to, false);
      const { cols, rows } = this.source.size(), p = new Parser(this.source.make, cols, rows, part.from, KEPT_ROWS);
      await p.write(part.bytes);
      const made: HTMLElement[] = [];
      let before: number | null = null;
      for (let row = p.first, line: Line | null; row < p.end && (line = p.line(row)); row += line.rows) {
        if (row + line.rows >= p.end && !plain(line.runs)) break;
        made.push(lineElement(this.source, line, before, p.byteOf(row + line.rows)));
        before = line.byte;
      }
      p.dispose();
      chunk.fillWith(made);
      this.source.changed();
    } finally { chunk.asked = false; }
  }
  /** What looks or is searched for changed: all that is drawn is drawn anew. */
  redraw(): void {
    for (const item of this.items) if (item instanceof Chunk && item.drawn) if (item.kept) item.draw(this.source); else { item.empty(this.source); void this.drawChunk(item); }
    this.tail.forget();
    this.draw();
  }
  dispose(): void {
    this.dead = true;
    for (const item of this.items) this.source.observe(item.el, false);
    this.el.remove();
  }
}

function lineAt(el: Element, byte: number): HTMLElement | null {
  let found: HTMLElement | null = null;
  for (const line of el.querySelectorAll<HTMLElement>('.ln')) { if (Number(line.dataset.b) > byte) break; found = line; }
  return found;
}
