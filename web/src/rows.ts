// A row of a terminal's buffer → runs of equal looks → DOM. No HTML is parsed here, and no style attribute written as text.
import type { IBufferCell, IBufferLine } from '@xterm/xterm';
import { css, cube, onGround, readable, readTokens, rgb, type Rgb, type Tokens } from './colours';

/** A colour: -1 the terminal's own, below 256 of the palette, else 1 << 24 | rgb. */
export interface Run { text: string; fg: number; bg: number; looks: number; wide: boolean }

const BOLD = 1, DIM = 2, ITALIC = 4, UNDER = 8, STRIKE = 16, INVERSE = 32, HIDDEN = 64;
const CLASSES: [number, string][] = [[BOLD, 'b'], [DIM, 'dim'], [ITALIC, 'it'], [UNDER, 'ul'], [STRIKE, 'st']];

const fgOf = (c: IBufferCell): number => (c.isFgDefault() ? -1 : c.isFgRGB() ? 1 << 24 | c.getFgColor() : c.getFgColor());
const bgOf = (c: IBufferCell): number => (c.isBgDefault() ? -1 : c.isBgRGB() ? 1 << 24 | c.getBgColor() : c.getBgColor());
const looksOf = (c: IBufferCell): number =>
  (c.isBold() ? BOLD : 0) | (c.isDim() ? DIM : 0) | (c.isItalic() ? ITALIC : 0) | (c.isUnderline() ? UNDER : 0) |
  (c.isStrikethrough() ? STRIKE : 0) | (c.isInverse() ? INVERSE : 0) | (c.isInvisible() ? HIDDEN : 0);

let cell: IBufferCell | undefined;
/** `full`: the line goes on in the next row, so blanks at its end are text. */
export function readRuns(line: IBufferLine, full: boolean): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (let x = 0; x < line.length; x++) {
    cell = line.getCell(x, cell);
    if (!cell || cell.getWidth() === 0) continue;
    const fg = fgOf(cell), bg = bgOf(cell), looks = looksOf(cell), wide = cell.getWidth() === 2;
    if (!run || wide || run.wide || fg !== run.fg || bg !== run.bg || looks !== run.looks) runs.push(run = { text: '', fg, bg, looks, wide });
    run.text += looks & HIDDEN ? ' ' : cell.getChars() || ' ';
  }
  while (!full && runs.length) {
    const last = runs[runs.length - 1];
    if (last.bg !== -1 || last.looks & (INVERSE | UNDER)) break;
    last.text = last.text.replace(/ +$/, '');
    if (last.text) break;
    runs.pop();
  }
  return runs;
}

export const plain = (runs: Run[]): string => runs.map((r) => r.text).join('');
export const sameRuns = (a: Run[], b: Run[]): boolean =>
  a.length === b.length && a.every((r, i) => r.text === b[i].text && r.fg === b[i].fg && r.bg === b[i].bg && r.looks === b[i].looks);

let tokens: Tokens | undefined, table = new Map<number, Rgb>();
/** The theme or the font is another one now. */
export function looksChanged(font: string): void {
  tokens = readTokens();
  table = new Map();
  fits.clear();
  pen ??= document.createElement('canvas').getContext('2d');
  if (pen) { pen.font = font; width = pen.measureText('0').width; }
}

/** One line as DOM; `find` marks what a search found. */
export function draw(runs: Run[], find: RegExp | null): HTMLElement {
  const out = document.createElement('span'), marks: [number, number][] = [];
  out.className = 'ln-text';
  if (find) for (const m of plain(runs).matchAll(find)) if (m[0]) marks.push([m.index, m.index + m[0].length]);
  let at = 0;
  for (const run of runs) {
    const size = run.text.length, cuts = new Set([0, size]);
    for (const mark of marks) for (const c of mark) if (c > at && c < at + size) cuts.add(c - at);
    const sorted = [...cuts].sort((a, b) => a - b);
    for (let i = 0; i + 1 < sorted.length; i++) {
      const hit = marks.some(([a, z]) => at + sorted[i] >= a && at + sorted[i] < z);
      out.append(piece(run, run.text.slice(sorted[i], sorted[i + 1]), hit));
    }
    at += size;
  }
  return out;
}

const colourOf = (n: number, own: Rgb): Rgb => (n < 0 ? own : n < 16 ? (tokens as Tokens).ansi[n] : n < 256 ? cube(n) : rgb(n));

function piece(run: Run, text: string, hit: boolean): Node {
  let { fg, bg } = run;
  const { looks } = run, inverse = (looks & INVERSE) > 0;
  if (looks & BOLD && fg >= 0 && fg < 8) fg += 8;   // bold is also bright, as in the terminals people know
  if (fg === -1 && bg === -1 && looks === 0 && !hit && !run.wide && fitsAll(text)) return document.createTextNode(text);
  const e = document.createElement(hit ? 'mark' : 'span'), classes = CLASSES.filter(([bit]) => looks & bit).map(([, c]) => c);
  if (bg === -1 && !inverse && fg < 16) {
    if (fg >= 0) classes.push(`f${fg}`);
  } else if (tokens) ground(e, fg, bg, inverse, tokens);
  if (classes.length) e.className = classes.join(' ');
  put(e, text, run.wide);
  return e;
}

function ground(e: HTMLElement, fg: number, bg: number, inverse: boolean, t: Tokens): void {
  let front = colourOf(fg, t.t1), back = colourOf(bg, t.bg);
  const plainGround = inverse ? false : bg === -1;
  if (inverse) [front, back] = [back, front];
  const key = (fg + 1) * 2 ** 26 + (bg + 1) * 2 + (inverse ? 1 : 0);
  let shown = table.get(key);
  if (!shown) {
    if (table.size > 4000) table.clear();
    table.set(key, shown = plainGround ? readable(front, back) : onGround(front, back, t));
  }
  e.style.color = css(shown);
  if (!plainGround) e.style.backgroundColor = css(back);
}

// A character that the font does not draw one cell wide gets a cell of its own, so that columns stay columns.
const fits = new Map<string, boolean>();
let pen: CanvasRenderingContext2D | null = null, width = 0;
function fitsOne(ch: string): boolean {
  if (ch < '\u0250' || !pen) return true;
  let known = fits.get(ch);
  if (known === undefined) {
    if (fits.size > 10_000) fits.clear();
    fits.set(ch, known = Math.abs(pen.measureText(ch).width - width) < 0.05);
  }
  return known;
}
const fitsAll = (text: string): boolean => !/[\u0250-\uffff]/.test(text) || [...text].every(fitsOne);

function put(e: HTMLElement, text: string, wide: boolean): void {
  if (!wide && fitsAll(text)) { e.append(text); return; }
  for (const ch of wide ? [text] : text) {
    if (!wide && fitsOne(ch)) { e.append(ch); continue; }
    const c = document.createElement('span');
    c.className = wide ? 'w2' : 'w1';
    c.textContent = ch;
    e.append(c);
  }
}
