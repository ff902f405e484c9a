// What is told to screen readers: politely, one thing each 3 s at most. Output never is.
import { kindOf, waits } from './state';
import { firstLine, span, visible } from './text';
import type { Command } from './wire';

const PACE_MS = 3000;
let queue: string[] = [], timer = 0;

export function announce(text: string): void {
  if (queue.length > 4) queue = queue.slice(-4);
  queue.push(text);
  if (!timer) next();
}
function next(): void {
  const text = queue.shift(), at = document.getElementById('say');
  if (text === undefined || !at) { timer = 0; return; }
  at.textContent = text;
  timer = window.setTimeout(next, PACE_MS);
}

/** What became of a command between two of its states, in a sentence; empty: nothing to tell. */
export function newsOf(was: Command | undefined, is: Command, tab: string): string {
  if (!was || is.kind === 'hand' || (was.state === is.state && waits(was) === waits(is))) return '';
  if (waits(is)) return `${tab} waits for ${is.awaiting?.kind === 'password' ? 'a password' : 'input'}`;
  if (is.state === 'running') return '';
  const text = visible(firstLine(is.text)).slice(0, 80), after = is.ms ? `, after ${span(is.ms)}` : '';
  switch (kindOf(is)) {
    case 'failed': return `${text} failed, exit ${is.exit}${after}`;
    case 'cancelled': return `${text} was cancelled${after}`;
    case 'ok': return `${text} is done${after}`;
    default: return `${text} ended${after}`;
  }
}
