// Everything that is known of one command, beside its header.
import { h } from './h';
import type { Page } from './page';
import { kindOf, running } from './state';
import { clock, date, number, span, visible, visibleLines } from './text';
import type { Command } from './wire';

const REASONS: Record<string, string> = {
  timeout: 'its time-out', cancelled_by_client: 'cancelled by its client', cancelled_by_person: 'cancelled by a person', interrupted_in_tab: 'interrupted in the tab', shell_exited: 'its shell ended', tab_closed: 'its tab was closed',
  tmux_server_lost: 'tmux ended', no_shell_answered: 'no shell answered: it may have run',
};

function ending(c: Command): string {
  if (c.kind === 'hand') return running(c) ? 'goes on' : 'given back';
  if (running(c)) return 'runs still';
  if (c.reason) return REASONS[c.reason] ?? visible(c.reason);
  if (kindOf(c) === 'unknown') return 'no exit code can be known';
  return c.state === 'cancelled' ? 'cancelled' : `by itself, exit ${c.exit}`;
}

export function details(page: Page, tab: string, c: Command): HTMLElement {
  const row = (k: string, v: string | Node | null) => (v ? [h('dt', {}, k), h('dd.num', {}, v)] : []);
  const end = c.end ?? 0, w = c.who;
  return h('.details', { role: 'dialog', 'aria-label': 'Details of the command', 'data-keep': `${c.id} ${c.state}` },
    h('pre', { tabindex: 0 }, visibleLines(c.text), c.text_bytes && c.text_bytes > c.text.length * 4 ? h('i', {}, `\n… of ${number(c.text_bytes)} bytes`) : null),
    h('dl', {},
      row('Ran by', w ? visible(`${w.name} ${w.version ?? ''}`.trim()) : null), row('Directory', c.cwd ? visible(c.cwd) : null),
      row('Started', `${date(c.at)}, ${clock(c.at)}.${String(Math.floor(c.at) % 1000).padStart(3, '0')}`),
      row('Took', c.ms !== null && c.ms !== undefined && !running(c) ? c.ms < 10_000 ? `${number(Math.round(c.ms))} ms` : span(c.ms) : null), row('Ended', ending(c)),
      row('Log', end ? `bytes ${number(c.start)} to ${number(end)} of ${tab}` : `from byte ${number(c.start)} of ${tab}`), row('Id', h('span.mono', {}, c.id))),
    h('.acts', {},
      h('button.btn', { onclick: () => page.copy(c.text, 'The command is copied.') }, 'Copy command'), h('button.btn', { onclick: () => page.copyOutput(c) }, 'Copy output'),
      h('button.btn', { onclick: () => page.copyLink({ tab, command: c.id }) }, 'Copy link'), h('button.btn', { onclick: () => page.downloadOutput(c) }, 'Download'), h('button.btn', { title: 'P', onclick: () => page.play(c) }, 'Play')));
}
