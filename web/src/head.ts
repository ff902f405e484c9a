// What stands over the output: the tab's name and what can be done with it, and one line of what is so.
import { h } from './h';
import { icon } from './icons';
import type { App } from './app';
import { downloadLink } from './api';
import { isLost, tabState } from './state';
import { clock, counting, date, visible } from './text';

export function head(app: App): (Node | null)[] {
  const t = app.tab(), tabs = h('button.btn.icon.only-phone', { 'aria-label': 'Tabs', onclick: () => app.showRail(true) }, icon('menu'));
  if (!t) return [tabs, h('.names', {}, h('h1', { id: 'tab-name' }, visible(app.model.project || 'Terminally')))];
  const s = tabState(t, app.now(), app.model.host(t)), mine = app.mine();
  const words = mine ? 'you have it' : s.kind === 'running' ? `running ${s.text}` : s.kind === 'wait' ? 'waits for you' : s.text;
  const view = (v: 'commands' | 'screen', label: string) => h('button', { 'aria-pressed': String(app.view === v), title: `${label} (s switches)`, onclick: () => app.show(v) }, label);
  return [tabs,
    h('.names', {}, h('h1', { id: 'tab-name' }, visible(t.name ?? t.id)), h('span.where.only-phone', {}, visible(words))),
    h('span.where.mono.no-phone', {}, visible(t.cwd ?? '')), h('span.space.no-phone'),
    app.mayType ? null : h('span.note.no-phone', { title: 'To type or cancel, open the page with: terminally-mcp open --exec' }, icon('eye'), 'View only'),
    h('.acts', {},
      h('.seg.no-phone', { role: 'group', 'aria-label': 'How to show this tab' }, view('commands', 'Commands'), view('screen', 'Screen')),
      h('button.btn.icon', { title: 'Search the log (/)', 'aria-label': 'Search the log', onclick: () => app.find.open() }, icon('search')),
      app.mayType && !t.closed_at && !mine ? h('button.btn.no-phone', { onclick: () => app.take(), disabled: !app.live, title: app.live ? 'Ctrl Shift Enter' : 'Not connected' }, 'Take over') : null,
      h('button.btn.icon', { title: 'More', 'aria-label': 'More: download, copy link, rename, close', 'aria-haspopup': 'menu', onclick: (e: Event) => app.openMenu('tab', e.currentTarget as HTMLElement) }, icon('more')))];
}

export interface Banner { kind: '' | 'mine' | 'wait'; icon: string; say: string; num?: string; acts?: Node[]; phone?: boolean }

export function banner(app: App): Banner | null {
  const { model } = app, t = app.tab(), button = (text: string, act: () => void, primary = false) => h(`button.btn${primary ? '.primary' : ''}`, { onclick: act }, text);
  if (model.ended) return { kind: 'wait', icon: 'nolink', say: `${model.ended} Logs stay on disk; terminally-mcp open starts it again.`, acts: [button('Try now', () => app.link.connect())] };
  if (model.lost !== null && !app.live) {
    const again = Math.max(0, Math.ceil((app.again - Date.now()) / 1000));
    return { kind: 'wait', icon: 'nolink', say: `Connection lost at ${clock(app.now())}. Commands go on; nothing is lost. `, num: again ? `Trying again in ${again} s` : 'Trying now', acts: [button('Try now', () => app.link.connect())] };
  }
  if (!t) return null;
  if (app.mine()) return { kind: 'mine', icon: 'hand', phone: true, say: 'You have this tab. What runs goes on; agents’ input is refused until you give it back.', num: `Goes back by itself in ${counting(app.holdLeft())}`, acts: [h('button.btn.primary', { onclick: () => app.give(), title: 'Ctrl Shift Enter' }, 'Give back')] };
  const holder = t.control?.holder;
  if (holder && holder.kind === 'person') return { kind: '', icon: 'hand', say: `${visible(holder.name)} has this tab.`, acts: app.mayType ? [button('Take it', () => app.take())] : [] };
  if (t.closed_at) {
    const by = visible(t.closed_by ?? ''), stays = t.keep_until ? ` Its log stays until ${date(t.keep_until).replace(/ \d{4}$/, '')}.` : '';
    return { kind: '', icon: 'cancelled', say: `${by ? `${by} closed this tab` : 'This tab was closed'} at ${clock(t.closed_at)}.${stays}`, acts: [h('a.btn', { href: downloadLink(t.id, 'raw'), download: '' }, icon('download'), 'Download the log')] };
  }
  const host = model.host(t);
  if (isLost(host)) return { kind: 'wait', icon: 'nolink', say: `No link to ${visible(host?.name ?? '')}${host?.since ? ` since ${clock(host.since)}` : ''}. Its commands go on there.` };
  return null;
}

export function bannerNodes(b: Banner): (Node | null)[] {
  const hide = b.phone ? '.no-phone' : '';
  return [icon(b.icon), h('span.say', {}, b.say), b.num && !b.phone ? h('span.num', {}, b.num) : null,
    b.acts?.length ? h(`span.acts${hide}`, {}, b.phone && b.num ? h('span.num', {}, b.num) : null, ...b.acts) : null];
}
