// Lines of output as DOM: chunks of them, made when they come into view and emptied when they leave it.
import { h } from './h';
import type { Line, Parser } from './parser';
import { draw, plain, sameRuns } from './rows';

export const CHUNK = 50;

/** What lines need to know of where they stand. */
export interface Place {
  link(byte: number): string;
  /** When the byte was printed, as the gutter shows it. */
  stamp(byte: number): string;
  find(): RegExp | null;
  aimed(from: number, to: number): boolean;
  rowHeight(): number;
}

export function lineElement(place: Place, line: Line, before: number | null, next: number): HTMLElement {
  const text = place.stamp(line.byte), show = text !== '' && (before === null || place.stamp(before) !== text);
  return h('.ln', { class: place.aimed(line.byte, next) ? 'aim' : '', 'data-b': line.byte },
    h('a.t', { href: place.link(line.byte), 'data-t': text, class: show ? 'show' : '', tabindex: -1, 'aria-hidden': 'true' }), draw(line.runs, place.find()));
}

/** Some lines that will not change any more. Without its parser, or when that has forgotten them, they are read again from the log. */
export class Chunk {
  readonly el: HTMLElement = h('.chunk');
  drawn = false;
  /** Its lines are asked for again. */
  asked: Promise<void> | null = null;
  /** It is in view. */
  seen = false;

  constructor(public parser: Parser | null, readonly row: number, readonly endRow: number, public lines: number, readonly from: number, readonly to: number, private readonly before_: number | null) {
    (this.el as HTMLElement & { chunk?: Chunk }).chunk = this;
  }

  get kept(): boolean { return this.parser !== null && this.row >= this.parser.first; }

  draw(place: Place): void {
    const p = this.parser;
    if (!p) return;
    const made: HTMLElement[] = [];
    let before = this.before_;
    for (let row = this.row; row < this.endRow;) {
      const line = p.line(row);
      if (!line) break;
      row += line.rows;
      made.push(lineElement(place, line, before, row < this.endRow ? p.byteOf(row) : this.to));
      before = line.byte;
    }
    this.fillWith(made);
  }
  fillWith(made: Node[]): void {
    this.el.replaceChildren(...made);
    this.el.style.height = '';
    this.drawn = true;
  }
  /** Its place stays as high as it is; whoever knows how high says so. */
  empty(place: Place, height = this.drawn ? this.el.getBoundingClientRect().height : 0): void {
    if (this.drawn) this.el.style.height = `${height}px`;
    else if (!this.el.style.height) this.el.style.height = `${this.lines * place.rowHeight()}px`;
    this.el.replaceChildren();
    this.drawn = false;
  }
}

/** The last lines of what still prints: drawn anew each frame, where they changed. */
export class Tail {
  readonly el = h('.chunk');
  private shown_: { line: Line; el: HTMLElement }[] = [];

  /** Draws from `row` on; `from` is the first row that is not in a chunk. */
  draw(parser: Parser, row: number, before: number | null, place: Place, trim: boolean): void {
    const lines: Line[] = [];
    for (let line: Line | null, r = row, end = parser.end; r < end && (line = parser.line(r)); r += line.rows) lines.push(line);
    while (lines.length && trim && !plain(lines[lines.length - 1].runs).trim()) lines.pop();
    while (lines.length > 1 && before === null && !plain(lines[0].runs).trim()) lines.shift();
    const old = new Map(this.shown_.map((s) => [s.line.row, s]));
    this.shown_ = lines.map((line, i) => {
      const was = old.get(line.row), next = lines[i + 1]?.byte ?? Infinity;
      if (was && was.line.byte === line.byte && sameRuns(was.line.runs, line.runs)) return was;
      return { line, el: lineElement(place, line, i ? lines[i - 1].byte : before, next) };
    });
    let at: ChildNode | null = this.el.firstChild;
    for (const { el } of this.shown_) {
      if (el === at) at = at.nextSibling; else this.el.insertBefore(el, at);
    }
    while (at) { const next: ChildNode | null = at.nextSibling; at.remove(); at = next; }
  }
  /** The elements of rows [from, to), which a chunk takes over; null where not all are drawn. */
  release(from: number, to: number, count: number): HTMLElement[] | null {
    const out = this.shown_.filter((s) => s.line.row >= from && s.line.row < to);
    this.shown_ = this.shown_.filter((s) => s.line.row >= to);
    return out.length === count ? out.map((s) => s.el) : null;
  }
  forget(): void { this.shown_ = []; this.el.replaceChildren(); }
  /** Its elements, which a chunk takes over. */
  take(): HTMLElement[] { const all = this.shown_.map((s) => s.el); this.forget(); return all; }
  get last(): HTMLElement | undefined { return this.shown_[this.shown_.length - 1]?.el; }
  get count(): number { return this.shown_.length; }
}
