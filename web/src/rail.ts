// The list of tabs: what each runs, who waits, which hosts.
import { h } from './h';
import { icon } from './icons';
import type { App } from './app';
import { isComing, isLost, tabState } from './state';
import { age, clock, counting, firstLine, many, visible } from './text';
import type { Host, Tab } from './wire';

const NS = 'http://www.w3.org/2000/svg';

/** 12 bars for the last minute, 5 s each, by square root. */
function spark(rates: number[] | undefined): Node | null {
  if (!rates?.some((r) => r > 0)) return null;
  const svg = document.createElementNS(NS, 'svg'), top = Math.max(...rates), shift = 12 - rates.length;
  for (const [k, v] of Object.entries({ class: 'spark', width: 47, height: 12, 'aria-hidden': true })) svg.setAttribute(k, String(v));
  rates.forEach((r, i) => {
    if (!r) return;
    const bar = document.createElementNS(NS, 'rect'), height = Math.max(2, Math.round(12 * Math.sqrt(r / top)));
    for (const [k, v] of Object.entries({ x: (i + shift) * 4, y: 12 - height, width: 3, height, fill: 'currentColor' })) bar.setAttribute(k, String(v));
    svg.append(bar);
  });
  return svg;
}

function tabRow(app: App, t: Tab): HTMLElement {
  const s = tabState(t, app.now(), app.model.host(t)), name = visible(t.name ?? t.id), words = t.closed_at ? age(app.now() - t.closed_at) : s.text;
  const command = s.kind === 'you' && t.alternate ? t.foreground ?? '' : firstLine(s.command);
  const bars = s.kind === 'running' && !s.program ? spark(app.model.rates.get(t.id)) : null;
  return h('a.tab', {
    href: `#/${t.id}`, class: `is-${t.closed_at ? 'idle' : s.kind}${s.program ? ' is-program' : ''}`, 'aria-current': t.id === app.selected ? 'page' : null,
    onclick: (e: MouseEvent) => { if (e.ctrlKey || e.metaKey || e.shiftKey) return; e.preventDefault(); app.go(t.id); },
  }, icon(t.closed_at ? 'idle' : s.icon, 'mark'), h('span.name', {}, name), h('span.state.num', {}, visible(words)), h('span.cmd', {}, visible(command)), bars);
}

function hostRow(app: App, host: Host | undefined, name: string): HTMLElement {
  const lost = isLost(host), since = host?.since ? counting(app.now() - host.since) : '';
  const right = lost ? `no link${since ? `, ${since}` : ''}` : isComing(host) ? 'connecting' : host?.rtt_ms ? `${Math.round(host.rtt_ms)} ms` : '';
  return h('.host', { class: lost ? 'off' : '', title: host?.error ? visible(host.error) : null }, h('b', {}, visible(name)), host?.kind && host.kind !== 'ssh' && host.kind !== 'local' ? visible(host.kind) : '', right ? h('span.num', {}, right) : null);
}

export function rail(app: App): Node[] {
  const { model } = app, open = model.open, waiting = app.waiting(), closed = model.closed;
  const names = [...new Set([...(open.some((t) => !t.host) || !open.length ? [''] : []), ...open.map((t) => t.host ?? ''), ...model.hosts.filter((x) => x.kind !== 'local').map((x) => x.name)])];
  names.sort((a, b) => Number(a !== '') - Number(b !== ''));
  const others = model.instances.length > 1;
  const needs = waiting.length ? h('button.needs', { onclick: () => app.nextWaiting() }, icon(tabState(waiting[0], app.now()).icon), `${many(waiting.length, 'tab')} wait${waiting.length === 1 ? 's' : ''} for you`, h('kbd.no-phone', {}, 'W')) : null;
  const list = open.length || closed.length ? names.map((name) => [
    name === '' && !open.length ? null : hostRow(app, model.hosts.find((x) => x.name === name), name || 'This machine'),
    open.filter((t) => (t.host ?? '') === name).map((t) => tabRow(app, t)),
  ]) : model.greeted ? h('.host', {}, 'No tabs yet') : null;
  const shut = closed.length ? [
    h('button.more-tabs', { 'aria-expanded': String(app.showClosed), onclick: () => { app.showClosed = !app.showClosed; app.changed(); } }, icon('caret', app.showClosed ? 'turned' : ''), 'Closed', h('span.num', {}, closed.length)),
    app.showClosed ? closed.map((t) => tabRow(app, t)) : null,
  ] : null;
  return [
    h('.top', {},
      h('button.project', { 'aria-haspopup': 'menu', title: 'Other projects on this machine', disabled: !others, onclick: (e: Event) => app.openMenu('instances', e.currentTarget as HTMLElement) }, h('span', {}, visible(model.project)), others ? icon('down') : null),
      h('button.btn.icon', { title: 'Go to… (Ctrl K)', 'aria-label': 'Go to a tab, command or action', onclick: () => app.openOver('palette') }, icon('search')),
      h('button.btn.icon.only-phone', { 'aria-label': 'Close the list of tabs', onclick: () => app.showRail(false) }, icon('close'))),
    needs, h('.tabs', {}, list, shut),
    h('.foot', { class: app.live ? '' : 'off' }, h('span.dot'), app.live ? 'Live' : model.lost ? `As of ${clock(app.now())}` : 'Connecting', model.greeted && !app.mayType ? h('span', {}, '· view only') : null,
      h('span.right', {}, h('button.btn.icon', { title: 'Keyboard (?)', 'aria-label': 'Keyboard shortcuts', onclick: () => app.openOver('help') }, h('kbd', {}, '?')),
        h('button.btn.icon', { title: 'Light or dark', 'aria-label': 'Switch between light and dark', onclick: () => app.switchTheme() }, icon('theme')))),
  ].filter((n): n is HTMLElement => n !== null);
}
