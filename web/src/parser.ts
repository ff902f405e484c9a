// Bytes of a log → lines with the offset of their first byte. xterm.js is the only parser; it is never opened here.
// Rows have numbers that never change (0: the first one ever), lines are rows joined where xterm wrapped them.
import type { IMarker, Terminal } from '@xterm/xterm';
import { readRuns, type Run } from './rows';

export interface Line { row: number; rows: number; byte: number; runs: Run[] }
export type MakeTerminal = (options: { cols: number; rows: number; scrollback: number }) => Terminal;

const LF = 10, FF = 12;

export class Parser {
  private readonly term_: Terminal;
  private readonly starts_ = new Map<number, number>();
  private gone_ = 0;          // rows before the first that the buffer still has
  private mark_: IMarker | undefined;
  private markRow_ = 0;
  private chunk_: Uint8Array = new Uint8Array(0);
  private at_ = -1;
  private byteAt_ = 0;
  /** The byte after the last that was parsed. */
  next: number;

  constructor(make: MakeTerminal, readonly cols: number, rows: number, readonly from: number, private readonly scrollback_: number) {
    this.next = from;
    this.term_ = make({ cols, rows, scrollback: scrollback_ });
    this.starts_.set(0, from);
    this.term_.onLineFeed(() => this.fed_());
    this.term_.parser.registerEscHandler({ final: 'c' }, () => this.reset_());
  }

  get alternate(): boolean { return this.term_.buffer.active.type === 'alternate'; }
  get first(): number { return this.gone_; }
  /** The first row that may still change. */
  get active(): number { return this.gone_ + this.buffer_.baseY; }
  get cursorRow(): number { return this.gone_ + this.buffer_.baseY + this.buffer_.cursorY; }
  get cursorColumn(): number { return this.buffer_.cursorX; }
  /** One behind the last row that has something. */
  get end(): number {
    const b = this.buffer_, least = b.baseY + b.cursorY;
    let last = b.length - 1;
    while (last > least && !b.getLine(last)?.translateToString(true)) last--;
    return this.gone_ + last + 1;
  }

  /** How many of `bytes` can be written at once without rows going out of the buffer unseen. */
  fitting(bytes: Uint8Array): number {
    let room = Math.floor(this.scrollback_ / 2), i = 0, column = 0;
    for (; i < bytes.length && room > 0; i++) if (bytes[i] === LF || ++column >= this.cols) { room--; column = 0; }
    return i;
  }

  /** `bytes` follow what was written before; resolves when they are parsed. One at a time. */
  write(bytes: Uint8Array): Promise<void> {
    this.chunk_ = bytes;
    this.at_ = -1;
    this.byteAt_ = this.next;
    this.remark_();
    return new Promise((done) => this.term_.write(bytes, () => {
      this.next += bytes.length;
      this.settle_();
      done();
    }));
  }

  dispose(): void { this.term_.dispose(); }

  /** The line that begins at `row`; null: the buffer has it no more, or not yet. */
  line(row: number): Line | null {
    const b = this.buffer_;
    let y = row - this.gone_, at = b.getLine(y);
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
    while (row > this.gone_ && this.buffer_.getLine(row - this.gone_)?.isWrapped) row--;
    return row;
  }
  isHead(row: number): boolean { return !this.buffer_.getLine(row - this.gone_)?.isWrapped; }
  byteOf(row: number): number {
    for (let r = row; r >= this.gone_; r--) { const byte = this.starts_.get(r); if (byte !== undefined) return byte; }
    return this.from;
  }

  private get buffer_() { return this.term_.buffer.normal; }

  // The k-th line feed that the parser executes is the k-th such byte.
  private fed_(): void {
    do this.at_++; while (this.at_ < this.chunk_.length && (this.chunk_[this.at_] < LF || this.chunk_[this.at_] > FF));
    if (this.term_.buffer.active.type !== 'normal') return;
    this.moved_();
    this.starts_.set(this.cursorRow, this.byteAt_ + this.at_ + 1);
  }
  // Rows went out of the buffer's top: the marker has moved up by as many.
  private moved_(): void {
    if (!this.mark_) this.remark_(); else if (!this.mark_.isDisposed) this.gone_ = this.markRow_ - this.mark_.line;
  }
  private remark_(): void {
    if (this.term_.buffer.active.type !== 'normal') return;   // there are no markers on the alternate screen
    this.mark_?.dispose();
    this.markRow_ = this.cursorRow;
    this.mark_ = this.term_.registerMarker(0);
  }
  // A reset of the terminal (ESC c) begins with an empty buffer: all rows before it are over.
  private reset_(): boolean {
    this.gone_ = this.end;
    this.starts_.clear();
    this.starts_.set(this.gone_, this.next);
    this.mark_ = undefined;
    return false;
  }
  private settle_(): void {
    this.moved_();
    if (this.starts_.size > this.buffer_.length * 2) for (const row of this.starts_.keys()) if (row < this.gone_) this.starts_.delete(row);
  }
}
