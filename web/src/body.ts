// What one command printed: chunks of lines, seams where something is not shown, and the tail that still grows.
import { MIB, PART, type Part } from './api';
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
  private readonly tail_ = new Tail();
  private items_: Item[] = [];
  private parser_: Parser | null = null;
  private tailRow_ = 0;
  private started_ = false;        // a line with text was seen; blank ones before it are dropped
  private scanned_ = 0;            // rows below are counted
  private open_ = 0;               // lines between tailRow and scanned
  private before_: number | null = null;
  over = false;
  private resized_: { cols: number; rows: number } | null = null;
  private dead_ = false;
  /** The byte after the last one that is here. */
  next: number;
  binary = false;
  private dirty_ = true;
  private uncut_ = false;          // something was written since rows became chunks

  constructor(private readonly source_: Source, readonly start: number) {
    this.next = start;
    this.el.append(this.tail_.el);
  }

  /** What is shown as text besides: a screen of a program, nothing yet. */
  get alternate(): boolean { return this.parser_?.alternate ?? false; }
  get empty(): boolean { return this.items_.length === 0 && this.tail_.count === 0; }
  get lines(): number { return this.items_.reduce((n, i) => n + (i.lines ?? 0), this.tail_.count); }

  // ---- what still prints
  /** Bytes of the log from `from` on, in order. What is missing before them is read. */
  async take(from: number, data: Uint8Array): Promise<void> {
    if (from > this.next) await this.catchUp(from);
    if (this.dead_ || from + data.length <= this.next) return;
    await this.feed_(data.subarray(Math.max(0, this.next - from)));
  }
  /** Reads what was printed before `to`; where that is much, its end alone. */
  async catchUp(to: number): Promise<void> {
    if (to - this.next > MIB) {
      const part = await this.source_.read(to - WINDOW, to, true);
      this.breakAt_(part.from, new Seam(this.next, part.from, null, this.actions_));
      await this.feedPart_(part);
    }
    while (!this.dead_ && this.next < to) {
      const before = this.next;
      const part = await this.source_.read(before, to, false);
      if (this.next !== before) continue;   // it came by another way meanwhile
      await this.feedPart_(part);
      if (this.next === before) { this.breakAt_(to, new Seam(before, to, 'removed', this.actions_)); return; }
    }
  }
  /** Bytes are missing: what follows begins at `to`, in a fresh terminal. */
  gap(to: number, why: Seam['why'], from: number, detail = ''): void {
    if (why === 'skipped' && this.empty && from <= this.start) why = null;   // much was printed before this page looked
    this.breakAt_(to, new Seam(from, to, why, this.actions_, null, detail));
    this.touch_();
  }
  /** The pane has another size from here on. */
  resize(cols: number, rows: number): void { if (this.parser_ && (this.parser_.cols !== cols)) this.resized_ = { cols, rows }; }

  /** Nothing more comes: what is shown is [start, end). */
  async finish(end: number): Promise<void> {
    if (this.over) return;
    this.over = true;
    if (this.next > end) await this.load(end, null); else if (this.next < end) await this.catchUp(end);
    this.touch_();
    this.settle_();
  }
  // A terminal is 350 KB. What is over and at most a chunk stands as its lines alone, which can be read again.
  private settle_(): void {
    this.cutUp_();
    const p = this.parser_, [only] = this.items_;
    if (this.dead_ || !this.over) return;
    if (p && this.items_.length === 0) {
      this.draw();
      if (this.tail_.count > CHUNK) return;
      const chunk = new Chunk(null, 0, 0, this.tail_.count, this.start, this.next, null);
      if (this.tail_.count) { chunk.fillWith(this.tail_.take()); this.put_(chunk); }
      this.parser_ = null;
      p.dispose();
    } else if (!p && this.items_.length === 1 && only instanceof Chunk && only.parser) {
      only.draw(this.source_);
      only.parser.dispose();
      only.parser = null;
    }
  }
  private get short_(): boolean { return this.over && !this.parser_ && this.items_.length === 1; }

  private async feedPart_(part: Part): Promise<void> {
    let at = 0;
    for (const [offset, missing, why] of part.gaps) {
      const cut = Math.min(part.bytes.length, Math.max(at, offset - part.from));
      await this.feed_(part.bytes.subarray(at, cut));
      this.breakAt_(this.next + (missing ?? 0), new Seam(this.next, this.next + (missing ?? 0), missing === null ? 'unknown' : why, this.actions_));
      at = cut;
    }
    await this.feed_(part.bytes.subarray(at));
    this.next = Math.max(this.next, part.next);
  }

  private async feed_(data: Uint8Array): Promise<void> {
    if (this.resized_) { const { cols } = this.resized_; this.resized_ = null; if (cols !== this.parser_?.cols) this.breakAt_(this.next, null); }
    for (let at = 0; at < data.length && !this.dead_;) {
      const p = this.parser_ ??= this.begin_(LIVE_ROWS), slice = data.subarray(at, at + p.fitting(data.subarray(at)));
      if (this.next < this.start + 4096 && slice.includes(0)) this.binary = true;
      this.cutUp_();   // before its rows go out of the terminal unseen
      await p.write(slice);
      if (this.dead_ || p !== this.parser_) return;
      this.next = p.next;
      this.uncut_ = true;
      at += slice.length;
    }
    this.touch_();
  }
  private cutUp_(): void {
    if (!this.uncut_ || !this.parser_) return;
    this.uncut_ = false;
    this.close_(this.parser_, false);
    this.trim_();
  }

  private begin_(scrollback: number): Parser {
    const { cols, rows } = this.source_.size();
    this.tailRow_ = this.scanned_ = this.open_ = 0;
    return new Parser(this.source_.make, cols, rows, this.next, scrollback);
  }
  private breakAt_(to: number, seam: Seam | null): void {
    if (this.parser_) { this.close_(this.parser_, true); this.tail_.forget(); }
    this.parser_ = null;
    if (seam) this.put_(seam);
    this.next = to;
  }

  // Rows that cannot change any more become chunks; with `all` every row does.
  private close_(p: Parser, all: boolean): void {
    const end = all ? p.end : p.active;
    if (!this.started_) {
      for (let line: Line | null; this.tailRow_ < p.end && (line = p.line(this.tailRow_)); this.tailRow_ += line.rows) {
        if (plain(line.runs).trim()) { this.started_ = true; break; }
        if (this.tailRow_ + line.rows > end) break;
      }
      this.scanned_ = Math.max(this.scanned_, this.tailRow_);
    }
    for (let row = Math.max(this.scanned_, p.first); row < end; row++) {
      if (row > this.tailRow_ && p.isHead(row)) {
        this.open_++;
        if (this.open_ === CHUNK) this.cut_(p, row);
      }
      this.scanned_ = row + 1;
    }
    if (all && end > this.tailRow_ && (this.started_ || this.open_)) { this.open_++; this.cut_(p, end, this.next); }
  }
  private cut_(p: Parser, row: number, to = p.byteOf(row)): void {
    const chunk = new Chunk(p, this.tailRow_, row, this.open_, p.byteOf(this.tailRow_), to, this.before_);
    const made = this.tail_.release(this.tailRow_, row, this.open_);
    if (made) chunk.fillWith(made); else chunk.empty(this.source_);
    this.before_ = p.byteOf(row - 1);
    this.tailRow_ = row;
    this.open_ = 0;
    this.put_(chunk);
  }
  private put_(item: Item): void { this.insert_(this.items_.length, [item]); }
  private insert_(at: number, items: Item[]): void {
    const before = this.items_[at]?.el ?? this.tail_.el;
    for (const item of items) { this.el.insertBefore(item.el, before); this.source_.observe(item.el, true); }
    this.items_.splice(at, 0, ...items);
  }
  private remove_(at: number, count: number): void {
    for (const item of this.items_.splice(at, count)) { this.source_.observe(item.el, false); item.el.remove(); }
  }
  // Chunks whose rows the terminal has forgotten, and which nobody looks at, give way to a seam.
  private trim_(): void {
    if (this.items_.length * CHUNK < LIVE_ROWS + CHUNK) return;
    const looked = this.items_.findIndex((i) => i instanceof Chunk && i.drawn), watched = looked >= 0;
    const first = this.items_.findIndex((i) => i instanceof Chunk && !i.kept && !i.drawn && !(watched && Math.abs(this.items_.indexOf(i) - looked) * CHUNK < FAR_LINES));
    if (first < 0) return;
    let last = first;
    while (last + 1 < this.items_.length) {
      const item = this.items_[last + 1];
      if (!(item instanceof Chunk) || item.kept || item.drawn || (watched && Math.abs(last + 1 - looked) * CHUNK < FAR_LINES)) break;
      last++;
    }
    const from = this.items_[first].from, to = this.items_[last].to, above = this.items_[first - 1];
    this.remove_(first, last - first + 1);
    if (above instanceof Seam && above.loadable && above.to === from) { above.to = to; above.lines = null; above.draw(); } else this.insert_(first, [new Seam(from, to, null, this.actions_)]);
  }

  // ---- what is over: a window of it
  /** The output up to `end`; of much of it the last part. With `most` the last lines alone. */
  async load(end: number, most: number | null): Promise<void> {
    this.over = true;
    const from = end - this.start > MIB ? end - WINDOW : this.start;
    const items = await this.window_(from, end, from > this.start, most);
    if (this.dead_) return;
    this.seamBefore_(items, this.start, end);
    this.remove_(0, this.items_.length);
    this.parser_ = null;
    this.tail_.forget();
    this.insert_(0, items);
    this.next = end;
    this.settle_();
    this.touch_();
  }

  // Parses [from, to) into chunks of its own.
  private async window_(from: number, to: number, line: boolean, most: number | null = null): Promise<Item[]> {
    const part = await this.source_.read(from, to, line), items: Item[] = [];
    if (from === this.start) this.binary = part.bytes.subarray(0, 4096).includes(0);
    if (this.binary && most !== null) return items;
    let at = 0, byte = part.from;
    const stop = async (until: number): Promise<void> => {
      if (until > at) items.push(...await this.parse_(part.bytes.subarray(at, until), byte, items.length === 0, most));
      byte += until - at;
      at = until;
    };
    for (const [offset, missing, why] of part.gaps) {
      await stop(Math.min(part.bytes.length, Math.max(at, offset - byte + at)));
      items.push(new Seam(byte, byte + (missing ?? 0), missing === null ? 'unknown' : why, this.actions_));
      byte += missing ?? 0;
    }
    await stop(part.bytes.length);
    if (part.next < to) items.push(...await this.window_(Math.max(part.next, from + 1), to, false, most));
    return items;
  }

  private async parse_(data: Uint8Array, from: number, first: boolean, most: number | null): Promise<Item[]> {
    const { cols, rows } = this.source_.size(), p = new Parser(this.source_.make, cols, rows, from, KEPT_ROWS);
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
      items.push(new Seam(from, p.byteOf(heads[begin]), null, this.actions_, begin - skipped));
    } else if (p.first > 0) items.push(new Seam(from, p.byteOf(heads[begin] ?? p.first), null, this.actions_));
    for (let i = begin; i < heads.length; i += CHUNK) {
      const row = heads[i], stop = heads[i + CHUNK] ?? (heads.length ? p.end : row), to = heads[i + CHUNK] === undefined ? end : p.byteOf(stop);
      const chunk = new Chunk(p, row, heads[i + CHUNK] ?? this.lastRow_(p, heads), Math.min(CHUNK, heads.length - i), i === begin && !items.length ? from : p.byteOf(row), to, i > begin ? p.byteOf(heads[i - 1]) : null);
      chunk.empty(this.source_);
      items.push(chunk);
    }
    return items;
  }
  private lastRow_(p: Parser, heads: number[]): number {
    const last = heads[heads.length - 1];
    return last + (p.line(last)?.rows ?? 1);
  }

  // ---- seams
  private readonly actions_ = {
    show: (seam: Seam, how: 'more' | 'start' | 'all') => { void this.show(seam, how); },
    download: (from: number, to: number) => this.source_.download(from, to),
  };
  /** Shows what a seam stands for: all of it, the part before its end, or the part after its begin. */
  async show(seam: Seam, how: 'more' | 'start' | 'all'): Promise<void> {
    if (seam.busy) return;
    seam.busy = true;
    const { from, to } = seam;
    try {
      if (how === 'start') await this.splice_(seam, from, Math.min(to, from + WINDOW));
      else await this.splice_(seam, how === 'all' ? from : Math.max(from, to - PART), to);
      if (how === 'start') this.source_.jumpTo(from);
    } finally { seam.busy = false; }
  }
  // What stands in the log before the first of `items`, from `from` on.
  private seamBefore_(items: Item[], from: number, none: number): void {
    const first = items[0], at = first?.from ?? none;
    if (at <= from) return;
    if (first instanceof Seam && first.why === null) { first.from = from; first.lines = null; first.draw(); } else items.unshift(new Seam(from, at, null, this.actions_));
  }
  private async splice_(seam: Seam, from: number, to: number): Promise<void> {
    const items = await this.window_(from, to, from > seam.from), at = this.items_.indexOf(seam);
    if (this.dead_ || at < 0) return;
    const last = items[items.length - 1]?.to ?? to;
    this.seamBefore_(items, seam.from, from);
    if (last < seam.to) items.push(new Seam(last, seam.to, null, this.actions_));
    this.remove_(at, 1);
    this.insert_(at, items);
    this.touch_();
  }

  /** Makes sure that the line with `byte` is here, and returns its element. */
  async reach(byte: number): Promise<HTMLElement | null> {
    this.draw();   // what was printed since is part of it
    for (let tries = 0; tries < 4; tries++) {
      const item = this.items_.find((i) => byte >= i.from && byte < i.to);
      if (!item) break;
      if (item instanceof Chunk) { await this.drawChunk_(item); return lineAt(item.el.isConnected ? item.el : this.el, byte); }
      if (!item.loadable) return item.el;
      const from = Math.max(item.from, byte - WINDOW / 4);
      await this.splice_(item, from, Math.min(item.to, byte + WINDOW));
    }
    this.draw();
    return lineAt(this.tail_.el, byte) ?? lineAt(this.el, byte);
  }

  // ---- drawing
  draw(): void {
    const p = this.parser_;
    if (!p || !this.dirty_) return;
    this.dirty_ = false;
    this.cutUp_();
    this.tail_.draw(p, this.tailRow_, this.before_, this.source_, this.over || !this.started_);
  }
  get lastLine(): HTMLElement | undefined { return this.tail_.last; }

  /** A chunk came into view, or left it, `height` pixels high. */
  looked(chunk: Chunk, seen: boolean, height: number): void {
    chunk.seen = seen;
    if (seen) void this.drawChunk_(chunk).catch(() => undefined); else if (chunk.drawn && !this.short_) chunk.empty(this.source_, height);
  }
  private async drawChunk_(chunk: Chunk): Promise<void> {
    if (chunk.drawn) return;
    if (chunk.kept) { chunk.draw(this.source_); return; }
    await (chunk.asked ??= (this.short_ ? this.load(this.next, null) : this.readChunk_(chunk)).finally(() => { chunk.asked = null; }));
  }
  private async readChunk_(chunk: Chunk): Promise<void> {
    const part = await this.source_.read(chunk.from, chunk.to, false);
    const { cols, rows } = this.source_.size(), p = new Parser(this.source_.make, cols, rows, part.from, KEPT_ROWS);
    await p.write(part.bytes);
    const made: HTMLElement[] = [];
    let before: number | null = null;
    for (let row = p.first, line: Line | null; row < p.end && (line = p.line(row)); row += line.rows) {
      if (row + line.rows >= p.end && !plain(line.runs)) break;
      made.push(lineElement(this.source_, line, before, p.byteOf(row + line.rows)));
      before = line.byte;
    }
    p.dispose();
    chunk.fillWith(made);
    this.touch_();
  }
  /** What looks or is searched for changed: all that is drawn is drawn anew. */
  redraw(): void {
    const again = (item: Chunk): void => {
      if (item.kept) { item.draw(this.source_); return; }
      if (this.short_ && item.seen) { void this.load(this.next, null).catch(() => undefined); return; }   // what stands there stays until then
      item.empty(this.source_);
      if (item.seen) void this.drawChunk_(item).catch(() => undefined);
    };
    for (const item of [...this.items_]) if (item instanceof Chunk && item.drawn) again(item);
    this.tail_.forget();
    this.dirty_ = true;
    this.draw();
  }
  private touch_(): void { this.dirty_ = true; this.source_.changed(); }

  dispose(): void {
    this.dead_ = true;
    for (const item of this.items_) {
      this.source_.observe(item.el, false);
      if (item instanceof Chunk) item.parser?.dispose();
    }
    this.parser_?.dispose();
    this.el.remove();
  }
}

function lineAt(el: Element, byte: number): HTMLElement | null {
  let found: HTMLElement | null = null;
  for (const line of el.querySelectorAll<HTMLElement>('.ln')) { if (Number(line.dataset.b) > byte) break; found = line; }
  return found;
}
