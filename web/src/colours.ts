// Colours that programs chose, kept readable: 4.5:1 on whatever they stand on. Pure but for `readTokens`.

export type Rgb = [number, number, number];
/** a0 … a15, and what text and the ground are by themselves. */
export interface Tokens { ansi: Rgb[]; bg: Rgb; t1: Rgb }

const linear = (c: number): number => (c <= 10.31475 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
export const luminance = ([r, g, b]: Rgb): number => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
export function contrast(a: Rgb, b: Rgb): number {
  const x = luminance(a), y = luminance(b);
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** xterm's own palette from 16 on. */
export function cube(n: number): Rgb {
  if (n >= 232) { const v = 8 + (n - 232) * 10; return [v, v, v]; }
  const at = (k: number): number => (k ? 55 + k * 40 : 0);
  return [at(Math.floor((n - 16) / 36)), at(Math.floor((n - 16) / 6) % 6), at((n - 16) % 6)];
}
export const rgb = (n: number): Rgb => [(n >> 16) & 255, (n >> 8) & 255, n & 255];
export const css = (c: Rgb): string => `rgb(${c.join(',')})`;

/** `fg` moved towards black or white, in steps of a tenth, until it can be read on `bg`; else the better of both ends. */
export function readable(fg: Rgb, bg: Rgb): Rgb {
  if (contrast(fg, bg) >= 4.5) return fg;
  const way = (to: number): Rgb => {
    let c = fg;
    for (let i = 0; i < 30 && contrast(c, bg) < 4.5; i++) c = c.map((v) => (to ? Math.min(255, v + Math.ceil((255 - v) * 0.1)) : Math.floor(v * 0.9))) as Rgb;
    return c;
  };
  const first = luminance(fg) < luminance(bg) ? 0 : 1, one = way(first);
  if (contrast(one, bg) >= 4.5) return one;
  const other = way(1 - first);
  return contrast(other, bg) > contrast(one, bg) ? other : one;
}

/** On a coloured ground: the program's colour if it can be read there, else `bg` or `t1`, whichever has more. */
export function onGround(fg: Rgb, ground: Rgb, tokens: Tokens): Rgb {
  if (contrast(fg, ground) >= 4.5) return fg;
  const best = contrast(tokens.bg, ground) > contrast(tokens.t1, ground) ? tokens.bg : tokens.t1;
  return contrast(best, ground) >= 4.5 ? best : readable(fg, ground);
}

export function readTokens(): Tokens {
  const probe = document.body.appendChild(document.createElement('span'));
  const read = (name: string): Rgb => {
    probe.style.color = `var(${name})`;
    return (getComputedStyle(probe).color.match(/[\d.]+/g) ?? ['0', '0', '0']).slice(0, 3).map(Number) as Rgb;
  };
  const tokens: Tokens = { ansi: Array.from({ length: 16 }, (_, i) => read(`--a${i}`)), bg: read('--bg'), t1: read('--t1') };
  probe.remove();
  return tokens;
}
