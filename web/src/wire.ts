// The wire between page and server: doc/page-wire.md. What is said here of a field is what the page relies on.

export interface Awaiting { kind: 'line' | 'password' | 'program' | 'stopped'; prompt: string; process: string; pid: number }
export interface Survivor { pid: number; command: string; why?: string }
export interface Cancel { by: string | null; step: 'interrupt' | 'terminate' | 'kill'; survivors?: Survivor[] }
export interface Who { name: string; version?: string | null; person?: boolean }

/** Offsets are bytes of the tab's log; times are ms since the epoch. */
export interface Command {
  id: string;
  kind?: 'command' | 'hand' | 'between';
  typed_byte?: number;
  text: string;
  text_bytes?: number;
  who?: Who | null;
  state: 'running' | 'completed' | 'cancelled' | 'failed';
  reason?: string | null;
  exit?: number | null;
  start: number;
  end?: number | null;
  at: number;
  ms?: number | null;
  cwd?: string;
  lines?: number | null;
  awaiting?: Awaiting | null;
  cancel?: Cancel | null;
  notes?: string[];
}

export interface Holder { kind: 'you' | 'person' | 'agent'; name: string }
export interface Control { holder: Holder | null; until?: number | null }

export interface Tab {
  id: string;
  name: string | null;
  host?: string | null;
  cwd?: string | null;
  created_at: number;
  foreground?: string | null;
  alternate?: boolean;
  cols: number;
  rows: number;
  log_bytes: number;
  first_byte?: number;
  last_output_at?: number | null;
  control?: Control | null;
  command?: Command | null;
  closed_at?: number | null;
  closed_by?: string | null;
  keep_until?: number | null;
}

export interface Host { name: string; kind?: string; rtt_ms?: number | null; state: string; since?: number | null; error?: string | null }
export interface Instance { name: string; project: string; kind?: string; server?: boolean; tabs?: number; running?: number; waiting?: number }
export interface Hit { tab: string; command: string | null; byte: number; text: string; marks: [number, number][] }
export type Why = 'skipped' | 'lost' | 'removed' | 'unknown';

export type Message =
  | { t: 'hello'; v: number; instance: string | null; project?: string; version: string; role: 'view' | 'exec'; you?: string; now: number; window?: number; hosts?: Host[]; instances?: Instance[] }
  | { t: 'instances'; instances: Instance[] }
  | { t: 'tabs'; tabs: Tab[] }
  | { t: 'tab'; tab: Tab }
  | { t: 'gone'; tab?: string; id?: string }
  | { t: 'commands'; tab: string; commands: Command[]; more: boolean }
  | { t: 'command'; tab: string; command: Command }
  | { t: 'withdrawn'; tab: string; command: string }
  | { t: 'screen'; ch: number; at: number; cols: number; rows: number; alternate: boolean; ansi: string }
  | { t: 'control'; tab: string; holder: Holder | null; until?: number | null }
  | { t: 'gap'; ch: number; from: number; to: number | null; why: Why; detail?: string | null }
  | { t: 'size'; tab: string; cols: number; rows: number; at: number }
  | { t: 'rate'; rate?: Record<string, number>; rates?: Record<string, number> }
  | { t: 'hits'; id: number; hits: Hit[]; searched: number; total: number; done: boolean; error?: string | null }
  | { t: 'host'; host: Host }
  | { t: 'done'; re: number | string | null }
  | { t: 'error'; re: number | string | null; code?: string; message: string }
  | { t: 'bye'; why: string };

export interface Frame { channel: number; current: boolean; closed: boolean; from: number; bytes: Uint8Array }

/** A binary frame: u8 kind 1, u8 flags, u16 channel, u32 0, u64 offset, little-endian, then bytes of the log. */
export function readFrame(data: ArrayBuffer): Frame | null {
  if (data.byteLength < 16) return null;
  const v = new DataView(data), flags = v.getUint8(1);
  if (v.getUint8(0) !== 1) return null;
  return {
    channel: v.getUint16(2, true), current: (flags & 1) > 0, closed: (flags & 2) > 0,
    from: v.getUint32(12, true) * 2 ** 32 + v.getUint32(8, true), bytes: new Uint8Array(data, 16),
  };
}
