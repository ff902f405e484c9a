// How times, amounts and strangers' names are written. Pure.

const two = (n: number): string => String(n).padStart(2, '0');
const grouped = new Intl.NumberFormat('en-US');

export const number = (n: number): string => grouped.format(n);
export const many = (n: number, one: string): string => `${number(n)} ${one}${n === 1 ? '' : 's'}`;
export const firstLine = (text: string): string => text.split('\n', 1)[0];

/** The reader's own time of day. */
export function clock(ms: number): string {
  const d = new Date(ms);
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}
const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const days = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
export const date = (ms: number): string => dates.format(ms);
export const day = (ms: number): string => days.format(ms).replace(',', '');

/** What still counts: 0:12, 2:14, 3 h 04. */
export function counting(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)}`;
}
/** What is over: 56 ms, 5.8 s, 2:14, 3 h 04. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 60_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : counting(ms);
}
export function age(ms: number): string {
  const min = Math.floor(ms / 60_000);
  if (min < 1) return 'just now';
  if (min < 60) return `${min} min`;
  return min < 1440 ? `${Math.floor(min / 60)} h` : many(Math.floor(min / 1440), 'day');
}

export function bytes(n: number): string {
  if (n < 1024) return many(n, 'byte');
  if (n < 1 << 20) return `${Math.round(n / 1024)} KB`;
  return n < 1 << 30 ? `${(n / (1 << 20)).toFixed(1)} MB` : `${(n / (1 << 30)).toFixed(1)} GB`;
}

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;
/** A name or command of somebody else's on one line: what would hide, turn or move text is shown as an escape. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (c) => {
    const code = c.codePointAt(0) ?? 0;
    if (code === 9) return '\\t';
    if (code === 10) return '\\n';
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
/** The same of a text whose own lines and tabs are wanted. */
export const visibleLines = (text: string): string => text.split(/([\n\t])/).map((p) => (p === '\n' || p === '\t' ? p : visible(p))).join('');

/** A pattern that finds `text` as it stands. */
export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
