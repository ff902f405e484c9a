// Bytes of a log → lines with the offset of their first byte. xterm.js is the only parser; it is never opened here.
// Rows have numbers that never change (0: the first one ever), lines are rows joined where xterm wrapped them.
import type { IMarker, Terminal } from '@xterm/xterm';
import { readRuns, type Run } from './rows';

export interface Line { row: number; rows: number; byte: number; runs: Run[] }
export type MakeTerminal = (options: { cols: number; rows: number; scrollback: number }) => Terminal;

const LF = 10, FF = 12;

export class Parser {
  private readonly term: Terminal;
  private readonly starts = new Map<number, number>();
  private gone = 0;          // rows before the first that the buffer still has
  private mark: IMarker | undefined;
  private markRow = 0;
  private chunk: Uint8Array = new Uint8Array(0);
  private at = -1;
  private byteAt = 0;
  /** The byte after the last that was parsed. */
  next: number;

  constructor(make: MakeTerminal, readonly cols: number, rows: number, readonly from: number, private readonly scrollback: number) {
    this.next = from;
    this.term = make({ cols, rows, scrollback });
    this.starts.set(0, from);
    this.term.onLineFeed(() => this.fed());
    this.term.parser.registerEscHandler({ final: 'c' }, () => this.reset());
  }

  get alternate(): boolean { return this.term.buffer.active.type === 'alternate'; }
  get first(): number { return this.gone; }
  /** The first row that may still change. */
  get active(): number { return this.gone + this.buffer.baseY; }
  get cursorRow(): number { return this.gone + this.buffer.baseY + this.buffer.cursorY; }
  get cursorColumn(): number { return this.buffer.cursorX; }
  /** One behind the last row that has something. */
  get end(): number {
    const b = this.buffer, least = b.baseY + b.cursorY;
    let last = b.length - 1;
    while (last > least && !b.getLine(last)?.translateToString(true)) last--;
    return this.gone + last + 1;
  }

  /** How many of `bytes` can be written at once without rows going out of the buffer unseen. */
  fitting(bytes: Uint8Array): number {
    let room = Math.floor(this.scrollback / 2), i = 0, column = 0;
    for (; i < bytes.length && room > 0; i++) if (bytes[i] === LF || ++column >= this.cols) { room--; column = 0; }
    return i;
  }

  /** `bytes` follow what was written before; resolves when they are parsed. One at a time. */
  write(bytes: Uint8Array): Promise<void> {
    this.chunk = bytes;
    this.at = -1;
    this.byteAt = this.next;
    this.remark();
    return new Promise((done) => this.term.write(bytes, () => {
      this.next += bytes.length;
      this.settle();
      done();
    }));
  }

  dispose(): void { this.term.dispose(); }

  /** The line that begins at `row`; null: the buffer has it no more, or not yet. */
  line(row: number): Line | null {
    const b = this.buffer;
    let y = row - this.gone, at = b.getLine(y);
    if (y < 0 || !at) return null;
    const runs: Run[] = [];
    for (let rows = 1; ; rows++, y++) {
      const below = b.getLine(y + 1), goesOn = below?.isWrapped ?? false;
      runs.push(...readRuns(at, goesOn));
      if (!goesOn || !below) return { row, rows, byte: this.byteOf(row), runs };
      at = below;
    }
  }
  /** The row at which the line of `row` begins. */
  head(row: number): number {
    while (row > this.gone && this.buffer.getLine(row - this.gone)?.isWrapped) row--;
    return row;
  }
  isHead(row: number): boolean { return !this.buffer.getLine(row - this.gone)?.isWrapped; }
  byteOf(row: number): number {
    for (let r = row; r >= this.gone; r--) { const byte = this.starts.get(r); if (byte !== undefined) return byte; }
    return this.from;
  }

  private get buffer() { return this.term.buffer.normal; }

  // The k-th line feed that the parser executes is the k-th such byte.
  private fed(): void {
    do this.at++; while (this.at < this.chunk.length && (this.chunk[this.at] < LF || this.chunk[this.at] > FF));
    if (this.term.buffer.active.type !== 'normal') return;
    this.moved();
    this.starts.set(this.cursorRow, this.byteAt + this.at + 1);
  }
  // Rows went out of the buffer's top: the marker has moved up by as many.
  private moved(): void {
    if (!this.mark) this.remark(); else if (!this.mark.isDisposed) this.gone = this.markRow - this.mark.line;
  }
  private remark(): void {
    if (this.term.buffer.active.type !== 'normal') return;   // there are no markers on the alternate screen
    this.mark?.dispose();
    this.markRow = this.cursorRow;
    this.mark = this.term.registerMarker(0);
  }
  // A reset of the terminal (ESC c) begins with an empty buffer: all rows before it are over.
  private reset(): boolean {
    this.gone = this.end;
    this.starts.clear();
    this.starts.set(this.gone, this.next);
    this.mark = undefined;
    return false;
  }
  private settle(): void {
    this.moved();
    if (this.starts.size > this.buffer.length * 2) for (const row of this.starts.keys()) if (row < this.gone) this.starts.delete(row);
  }
}
