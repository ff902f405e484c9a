// What is asked for by HTTP: parts of logs, older commands, times, text.
import type { Command, Why } from './wire';

export interface Part { from: number; next: number; end: number; bytes: Uint8Array; gaps: [number, number | null, Why][] }
export const MIB = 1 << 20;

let instance = '';
export const nameInstance = (name: string): void => { instance = name; };
export const instanceNamed = (): string => instance;

export function address(what: string, tab: string, query: Record<string, string | number | undefined>): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) if (v !== undefined) q.set(k, String(v));
  if (instance) q.set('instance', instance);
  return `/api/${what}/${encodeURIComponent(tab)}?${q}`;
}

async function get(url: string): Promise<Response> {
  const answer = await fetch(url, { credentials: 'same-origin', cache: 'no-store' });
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => null) as { error?: { message?: string } } | null;
  throw new Error(said?.error?.message ?? `The server answered ${answer.status}.`);
}

/** How much longer a line may be for a read that begins at its start. */
const LINE = 64 * 1024;
export const PART = MIB - LINE;

/** Bytes of a log from `from`, to `to` at most. With `line` from the start of the line that `from` is in. */
export async function readLog(tab: string, from: number, to: number, line = false): Promise<Part> {
  const answer = await get(address('log', tab, { from, max: Math.max(1, Math.min(to - from + (line ? LINE : 0), MIB)), align: line ? 'line' : undefined }));
  const head = (name: string, other: number): number => Number(answer.headers.get(name) ?? other);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const at = head('X-From', from), gaps = JSON.parse(answer.headers.get('X-Gaps') ?? '[]') as Part['gaps'];
  const next = head('X-Next', at + bytes.length);
  if (next <= to || gaps.length) return { from: at, next, end: head('X-End', next), bytes, gaps };
  return { from: at, next: to, end: head('X-End', next), bytes: bytes.subarray(0, to - at), gaps };
}
export async function readTimes(tab: string, from: number, to: number): Promise<[number, number][]> {
  return ((await (await get(address('times', tab, { from, to }))).json()) as { times: [number, number][] }).times;
}
export async function readCommands(tab: string, before: string, limit: number): Promise<{ commands: Command[]; more: boolean }> {
  return (await get(address('commands', tab, { before, limit }))).json();
}
export const downloadLink = (tab: string, view: 'raw' | 'plain', from?: number, to?: number): string => address('download', tab, { from, to, view });
export async function readPlain(tab: string, from: number, to: number): Promise<string> {
  return (await get(downloadLink(tab, 'plain', from, to))).text();
}
