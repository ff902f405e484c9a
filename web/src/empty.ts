// Pages without output: no tab yet, no right to enter.
import { h } from './h';
import { icon } from './icons';
import type { Page } from './page';

export function empty(page: Page): HTMLElement {
  const line = (label: string, code: string) => h('.snip', {}, h('span.lbl', {}, label), h('code', {}, code), h('button.btn.icon', { 'aria-label': `Copy the line for ${label}`, title: 'Copy', onclick: () => page.copy(code, 'The line is copied.') }, icon('copy')));
  return h('.empty', {}, h('h2', {}, 'No tabs yet'), h('p', {}, 'When an agent runs its first command in this project, it appears here at once. Connect one, if none is:'),
    line('Claude Code', 'claude mcp add terminally -- terminally-mcp --agent'), line('Codex', 'terminally-mcp setup codex'), line('By hand', 'terminally-mcp new'),
    h('p.end', {}, 'This page may stay open. Nothing that it shows leaves this machine.'));
}

export function entry(why: string): HTMLElement {
  return h('.empty', {}, h('h2', { id: 'entry' }, 'Not open yet'), h('p', {}, why), h('.snip', {}, h('span.lbl', {}, 'In a terminal'), h('code', {}, 'terminally-mcp open')), h('p.end', {}, 'With --exec the page may also type and cancel.'));
}
