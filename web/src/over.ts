// What lies over the page: Go to, the keys, a question. One at a time; Esc closes it, and focus goes back where it was.
import { h } from './h';
import { icon } from './icons';
import type { App } from './app';
import { cancellable, iconOf, kindOf, tabState } from './state';
import { bytes, clock, firstLine, visible, visibleLines } from './text';

export type Over = 'palette' | 'help';
interface Row { icon: string; kind: string; text: string | Node; find: string; sub: string; act(): void }

let before: Element | null = null;
let closed: (() => void) | undefined;
const root = (): HTMLElement => document.getElementById('over') as HTMLElement;
export const isOver = (): boolean => root().childElementCount > 0;

export function closeOver(): boolean {
  if (!isOver()) return false;
  root().replaceChildren();
  closed?.();
  closed = undefined;
  if (before instanceof HTMLElement && before.isConnected) before.focus();
  return true;
}
/** `onClose` is called once it is not shown any more. */
export function put(sheet: HTMLElement, focus?: HTMLElement, onClose?: () => void): void {
  if (!isOver()) before = document.activeElement;
  const o = root();
  sheet.setAttribute('aria-modal', 'true');
  o.replaceChildren(sheet);
  closed?.();
  closed = onClose;
  o.onclick = (e) => { if (e.target === o) closeOver(); };
  o.onkeydown = (e) => {
    if (e.key === 'Escape') closeOver(); else if (e.key === 'Tab') keepIn(e, sheet);
    e.stopPropagation();
  };
  (focus ?? sheet).focus();
}
function keepIn(e: KeyboardEvent, sheet: HTMLElement): void {
  const all = [...sheet.querySelectorAll<HTMLElement>('button, input, [tabindex="0"]')], first = all[0], last = all[all.length - 1];
  if (!first) return;
  if (e.shiftKey ? document.activeElement === first || document.activeElement === sheet : document.activeElement === last) { e.preventDefault(); (e.shiftKey ? last : first).focus(); }
}

/** A question with a way out; `yes` is done in the press itself. */
export function question(title: string, text: string, label: string, yes: () => void, mono = true): void {
  const no = h('button.btn', { onclick: () => closeOver() }, 'Cancel');
  put(h('.sheet.question', { role: 'dialog', 'aria-label': title, tabindex: -1 }, h('h2', {}, title), h(mono ? 'pre.mono' : 'p', { tabindex: mono ? 0 : null }, visibleLines(text)),
    h('.acts', {}, h('button.btn.primary', { onclick: () => { closeOver(); yes(); } }, label), no)), no);
}
/** One line to type: a name. */
export function prompt(title: string, value: string, label: string, yes: (text: string) => void): void {
  const field = h<HTMLInputElement>('input.field', { value, 'aria-label': title, maxlength: 200, autocomplete: 'off' });
  put(h('.sheet.question', { role: 'dialog', 'aria-label': title, tabindex: -1 }, h('h2', {}, title),
    h('form', { onsubmit: (e: Event) => { e.preventDefault(); closeOver(); yes(field.value); } }, field, h('button.btn.primary', {}, label))), field);
  field.select();
}

const KEYS: [string, [string, string][]][] = [
  ['Go', [['Ctrl K', 'Anywhere'], ['/', 'Search the log'], ['[ ]', 'Previous, next tab'], ['W', 'Next tab that waits'], ['j k', 'Next, previous command'], ['e E', 'Next, previous failure'], ['n N', 'Next, previous hit'], ['g', 'Start of the log'], ['End', 'Follow']]],
  ['Command', [['Enter', 'Fold, unfold'], ['i', 'Details'], ['c', 'Copy its output'], ['l', 'Copy a link'], ['d', 'Download its output'], ['P', 'Play it again'], ['Ctrl C Ctrl C', 'Cancel what runs']]],
  ['Tab', [['s', 'Commands or Screen'], ['Ctrl Shift Enter', 'Take over, give back'], ['w', 'Wrap lines'], ['t', 'Times: clock, since start, none']]],
];
export function help(app: App): void {
  const key = (keys: string, text: string) => h('div', {}, h('span', {}, text), h('span', {}, ...keys.split(' ').flatMap((k, i) => [i ? ' ' : null, h('kbd', {}, k)])));
  const flag = (text: string, on: boolean, set: (on: boolean) => void) => { const box: HTMLInputElement = h('input', { type: 'checkbox', checked: on, onchange: (): void => set(box.checked) }); return h('label.flag', {}, box, text); };
  put(h('.sheet', { role: 'dialog', 'aria-label': 'Keyboard', tabindex: -1 },
    h('.keys-grid', { tabindex: 0 }, KEYS.map(([title, keys]) => [h('h2', {}, title), keys.map(([k, text]) => key(k, text))]),
      h('h2', {}, 'Settings'), flag('Single keys', app.settings.single, (on) => app.set('single', on)), flag('Say what happens to screen readers', app.settings.announce, (on) => app.set('announce', on)))));
}

export function palette(app: App): void {
  const all = rows(app), list = h('ul', { role: 'listbox', 'aria-label': 'Results', id: 'results' });
  let chosen = 0, found: Row[] = [];
  const draw = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), kids: Node[] = [];
    found = [];
    for (const [title, group] of all) {
      const fits = group.filter((r) => words.every((w) => r.find.toLowerCase().includes(w))).slice(0, words.length ? 12 : title === 'Commands' ? 3 : 20);
      if (!fits.length) continue;
      kids.push(h('li.group', { role: 'presentation' }, title));
      for (const r of fits) {
        const i = found.push(r) - 1;
        kids.push(h('li', { class: `${i === chosen ? 'sel ' : ''}${r.kind ? `is-${r.kind}` : ''}`, role: 'option', id: `r-${i}`, 'aria-selected': String(i === chosen), onclick: () => run(i) }, icon(r.icon), h('span', {}, r.text), h('span.sub.num', {}, r.sub)));
      }
    }
    if (!found.length) kids.push(h('li.group', { role: 'option', 'aria-selected': 'false' }, 'Nothing found'));
    list.replaceChildren(...kids);
    field.setAttribute('aria-activedescendant', found.length ? `r-${chosen}` : '');
    list.querySelector('.sel')?.scrollIntoView({ block: 'nearest' });
  };
  const run = (i: number) => { const r = found[i]; closeOver(); r?.act(); };
  const field = h<HTMLInputElement>('input', {
    placeholder: 'Go to a tab, a command, or do something', 'aria-label': 'Go to a tab, a command, or do something', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'results', autocomplete: 'off', spellcheck: 'false',
    oninput: () => { chosen = 0; draw(); },
    onkeydown: (e: KeyboardEvent) => {
      if (e.key === 'Enter') run(chosen); else if (e.key === 'ArrowDown') chosen = Math.min(found.length - 1, chosen + 1); else if (e.key === 'ArrowUp') chosen = Math.max(0, chosen - 1); else return;
      e.preventDefault();
      if (e.key !== 'Enter') draw();
    },
  });
  put(h('.sheet', { role: 'dialog', 'aria-label': 'Go to', tabindex: -1 }, field, list), field);
  draw();
}

function rows(app: App): [string, Row[]][] {
  const { model } = app, t = app.tab(), tabs: Row[] = [], commands: Row[] = [], acts: Row[] = [];
  const state = (id: string) => { const tab = model.tabs.get(id); return tab ? tabState(tab, app.now(), model.host(tab)) : null; };
  const open = model.open, waiting = app.waiting();
  for (const tab of [...waiting, ...open.filter((x) => !waiting.includes(x)), ...model.closed]) {
    const s = state(tab.id), name = visible(tab.name ?? tab.id), where = tab.host ? ` · ${visible(tab.host)}` : '';
    if (s) tabs.push({ icon: tab.closed_at ? 'idle' : s.icon, kind: tab.closed_at ? '' : s.kind, text: name + where, find: `${name}${where} ${tab.id}`, sub: tab.closed_at ? 'closed' : s.text, act: () => app.go(tab.id) });
  }
  for (const tab of open) {
    const known = model.of(tab.id);
    for (const c of known.length ? known.toReversed() : tab.command ? [tab.command] : []) {
      const text = visible(firstLine(c.text));
      commands.push({ icon: iconOf(c), kind: kindOf(c), text: h('span.mono', {}, text), find: c.text, sub: `${visible(tab.name ?? tab.id)} · ${clock(c.at)}`, act: () => app.jumpCommand(tab.id, c.id) });
    }
  }
  const act = (i: string, text: string, sub: string, run: () => void, kind = '') => acts.push({ icon: i, kind, text, find: text, sub, act: run });
  const name = visible(t?.name ?? t?.id ?? ''), running = t && model.of(t.id).findLast(cancellable);
  if (t && running && app.mayType) act('running', `Cancel ${visible(firstLine(running.text))} in ${name}`, 'Ctrl C Ctrl C', () => app.cancel(t.id, running));
  if (t && app.mayType && !t.closed_at) act('hand', app.mine() ? `Give back ${name}` : `Take over ${name}`, 'Ctrl Shift Enter', () => (app.mine() ? app.give() : app.take()));
  if (t) {
    act('program', app.view === 'screen' ? 'Show the commands' : 'Show the screen', 's', () => app.show(app.view === 'screen' ? 'commands' : 'screen'));
    act('download', `Download the log of ${name}`, bytes(t.log_bytes), () => app.download('raw'));
    act('search', 'Search the log', '/', () => app.find.open());
  }
  act('theme', 'Switch between light and dark', '', () => app.switchTheme());
  act('input', 'Show all keys', '?', () => app.openOver('help'));
  for (const i of model.instances) if (i.name !== model.instance) act('menu', `Go to project ${visible(i.project)}`, visible(i.name), () => app.enterInstance(i.name));
  return [['Tabs', tabs], ['Commands', commands], ['Do', acts]];
}

/** A menu below the button that opened it. */
export function menu(at: HTMLElement, label: string, rows: { text: string; sub?: string; act(): void; on?: boolean }[]): void {
  document.getElementById('menu')?.remove();
  const buttons = rows.map((r) => h('button', { role: r.on === undefined ? 'menuitem' : 'menuitemradio', 'aria-checked': r.on === undefined ? null : String(r.on), tabindex: -1, onclick: () => { close(true); r.act(); } }, h('span', {}, r.text), r.sub ? h('span.sub.num', {}, r.sub) : null));
  const el = h('div', { id: 'menu', role: 'menu', 'aria-label': label }, buttons), box = at.getBoundingClientRect();
  const outside = (e: Event) => { if (!el.contains(e.target as Node)) close(false); };
  const close = (back: boolean) => { el.remove(); removeEventListener('pointerdown', outside, true); if (back && at.isConnected) at.focus(); };
  el.onkeydown = (e) => {
    const i = buttons.indexOf(document.activeElement as HTMLElement), step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
    if (step) buttons[(i + step + buttons.length) % buttons.length].focus(); else if (e.key === 'Home') buttons[0].focus(); else if (e.key === 'End') buttons[buttons.length - 1].focus(); else if (e.key === 'Escape' || e.key === 'Tab') close(true); else return;
    e.preventDefault();
    e.stopPropagation();
  };
  (document.getElementById('main') ?? document.body).append(el);  // within a landmark, as axe asks
  el.style.top = `${box.bottom + 4}px`;
  el.style.left = `${Math.max(8, Math.min(box.left, innerWidth - el.offsetWidth - 8))}px`;
  addEventListener('pointerdown', outside, true);
  buttons[0]?.focus();
}
