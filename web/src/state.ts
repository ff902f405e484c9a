// What a tab or a command is, in one word, one shape and one text. Pure.
import { age, counting } from './text';
import type { Command, Host, Tab } from './wire';

export type Kind = 'running' | 'wait' | 'ok' | 'failed' | 'cancelled' | 'unknown' | 'you' | 'other' | 'idle' | 'nolink';
export interface Shown { kind: Kind; icon: string; text: string; command: string; program: boolean }

export const running = (c: Command): boolean => c.state === 'running';
/** Its output has begun, and `start` is where; before that it is where it was typed. */
export const begun = (c: Command): boolean => !running(c) || c.kind === 'hand' || c.typed_byte === undefined || c.start > c.typed_byte;
/** It runs, and is no person at work. */
export const cancellable = (c: Command): boolean => running(c) && c.kind !== 'hand';
/** It waits for a person: a password or a line. */
export const waits = (c: Command): boolean => running(c) && (c.awaiting?.kind === 'password' || c.awaiting?.kind === 'line');

export function kindOf(c: Command): Kind {
  if (c.kind === 'hand') return 'you';
  if (waits(c)) return 'wait';
  if (running(c)) return 'running';
  if (c.state === 'cancelled') return 'cancelled';
  if (c.state === 'failed' || c.exit === null || c.exit === undefined) return c.kind === 'between' ? 'idle' : 'unknown';
  return c.exit === 0 ? 'ok' : 'failed';
}

export function iconOf(c: Command, alternate = false): string {
  const kind = kindOf(c);
  if (kind === 'wait') return c.awaiting?.kind === 'password' ? 'password' : 'input';
  if (kind === 'you') return 'hand';
  return kind === 'running' && alternate ? 'program' : kind;
}

const STEPS = { interrupt: 'Ctrl C sent', terminate: 'SIGTERM sent', kill: 'SIGKILL sent' };
/** What stands beside a command's text, where that is worth a word. */
export function saidOf(c: Command): string {
  if (waits(c)) return 'waits for you';
  if (running(c)) return c.cancel ? STEPS[c.cancel.step] ?? 'cancelling' : c.awaiting?.kind === 'stopped' ? 'stopped' : '';
  switch (kindOf(c)) {
    case 'failed': return `exit ${c.exit}`;
    case 'cancelled': return 'cancelled';
    case 'unknown': return 'unknown';
    default: return '';
  }
}

export const ended = (c: Command, now: number): number => c.ms ?? (running(c) ? Math.max(0, now - c.at) : 0);
export const isLost = (host?: Host): boolean => host !== undefined && host.state === 'lost';
/** Its tabs are not told yet. */
export const isComing = (host?: Host): boolean => host?.state === 'connecting';

export function tabState(t: Tab, now: number, host?: Host): Shown {
  const c = t.command, holder = t.control?.holder ?? null, text = c?.text ?? '';
  const shown = (kind: Kind, icon: string, words: string, program = false): Shown => ({ kind, icon, text: words, command: text, program });
  if (holder?.kind === 'you') return shown('you', 'hand', 'you');
  if (holder?.kind === 'person') return shown('other', 'hand', holder.name);
  if (isLost(host)) return shown('nolink', 'nolink', 'unknown');
  if (!c) return shown('idle', 'idle', '');
  const kind = kindOf(c), icon = iconOf(c, t.alternate);
  switch (kind) {
    case 'wait': return shown(kind, icon, c.awaiting?.kind === 'password' ? 'password' : 'input');
    case 'running': return shown(kind, icon, c.cancel ? saidOf(c) : counting(now - c.at), t.alternate);
    case 'ok': return shown(kind, icon, age(now - c.at - (c.ms ?? 0)));
    default: return shown(kind, icon, saidOf(c));
  }
}

/** Whether a command's output is shown without being asked for. `newest`: no command came after it. */
export function opensItself(c: Command, newest: boolean): boolean {
  if (running(c) || newest || kindOf(c) === 'failed') return true;
  return typeof c.lines === 'number' && c.lines > 0 && c.lines <= 6;
}
