// When which part of an output was printed, for playing it again. Pure.
import type { Part } from './api';

/** The bytes before `to` stand there `at` ms after the begin. */
export interface Step { to: number; at: number }
/** No pause is longer. */
export const LONGEST_MS = 2000;

/** `times`, pairs [byte, ms], say when what follows each byte was printed; what is printed before the first of them comes at once. */
export function stepsOf(times: [number, number][], from: number, to: number): Step[] {
  const within = times.filter(([byte]) => byte < to), steps: Step[] = [];
  let at = 0, before = within[0]?.[1] ?? 0;
  if (!within.length || within[0][0] > from) steps.push({ to: within[0]?.[0] ?? to, at });
  within.forEach(([byte, ms], i) => {
    at = byte <= from ? 0 : at + Math.max(0, Math.min(ms - before, LONGEST_MS));
    before = ms;
    const end = within[i + 1]?.[0] ?? to;
    if (end > from && end > byte) steps.push({ to: end, at });
  });
  return steps;
}

/** What of a part of a log is in [from, to), without what is missing there. */
export function bytesWithin(part: Part, from: number, to: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  let byte = part.from, at = 0;
  const add = (count: number): void => {
    const begin = Math.max(from, byte), end = Math.min(to, byte + count);
    if (end > begin) found.push(part.bytes.subarray(at + begin - byte, at + end - byte));
    byte += count;
    at += count;
  };
  for (const [offset, missing] of part.gaps) {
    add(Math.max(0, Math.min(part.bytes.length - at, offset - byte)));
    byte += missing ?? 0;
  }
  add(part.bytes.length - at);
  return found;
}
