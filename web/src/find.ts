// Search: takes the rail's place, runs on the server over whole logs, shows hits in the log.
import { fill, h } from './h';
import { icon } from './icons';
import type { App } from './app';
import { iconOf, kindOf } from './state';
import { bytes, clock, firstLine, literally, many, visible } from './text';
import type { Hit, Message } from './wire';

const ERRORS = '\\b(error|fail(ed|ure)?|fatal|panic|exception|traceback)\\b', A_GROUP = 9, LIMIT = 1000;

export class Find {
  shown = false;
  query = '';
  private readonly el: HTMLElement;
  private readonly field: HTMLInputElement;
  private readonly rest = h('.rest');
  private caseful = false;
  private regex = false;
  private errors = false;
  private all = false;
  private hits: Hit[] = [];
  private id = 0;
  private told: Extract<Message, { t: 'hits' }> | null = null;
  private failed = '';
  private at = -1;
  private readonly whole = new Set<string>();
  private timer = 0;

  constructor(private readonly app: App, el: HTMLElement) {
    this.el = el;
    this.field = h<HTMLInputElement>('input.field', {
      type: 'search', 'aria-label': 'Search the log', placeholder: 'Search the whole log', autocomplete: 'off', spellcheck: 'false', maxlength: 500,
      oninput: () => { this.query = this.field.value; this.errors = false; clearTimeout(this.timer); this.timer = window.setTimeout(() => this.run(), 200); },
      onkeydown: (e: KeyboardEvent) => this.key(e),
    });
    el.append(h('.top', {}, this.field, h('button.btn.icon', { 'aria-label': 'Close the search (Esc)', title: 'Esc', onclick: () => this.close() }, icon('close'))), this.rest);
  }

  open(query?: string): void {
    this.shown = true;
    if (query !== undefined) { this.field.value = this.query = query; this.run(); }
    this.app.changed();
    this.app.draw();
    this.field.focus();
    this.field.select();
  }
  close(): void {
    this.stop();
    this.shown = false;
    this.hits = [];
    this.told = null;
    this.mark();
    this.app.changed();
    this.app.draw();
    this.app.focusStage();
  }
  private key(e: KeyboardEvent): void {
    if (e.key === 'Escape') this.close();
    else if (e.key === 'Enter') { if (this.at < 0) this.step(1); else this.app.focusStage(); } else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') this.step(e.key === 'ArrowDown' ? 1 : -1);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
  /** The tab was switched: "This tab" is another one. */
  moved(): void { if (this.shown && !this.all) this.run(); }

  private get pattern(): string { return this.errors ? ERRORS : this.query; }
  private stop(): void { if (this.told && !this.told.done) this.app.link.send({ t: 'stop', id: this.id }); }
  private run(): void {
    this.stop();
    this.hits = [];
    this.told = null;
    this.failed = '';
    this.at = -1;
    this.id++;
    this.mark();
    const tabs = this.all ? [...this.app.model.tabs.keys()] : this.app.selected ? [this.app.selected] : [];
    if (this.pattern && tabs.length) {
      this.app.link.ask({ t: 'search', id: this.id, tabs, pattern: this.pattern, regex: this.regex || this.errors, case: this.caseful && !this.errors, limit: LIMIT })
        .catch((e: Error) => { this.failed = e.message; this.app.changed(); });
    }
    this.app.changed();
  }
  take(m: Extract<Message, { t: 'hits' }>): void {
    if (m.id !== this.id) return;
    this.hits.push(...m.hits.slice(0, 20 * LIMIT - this.hits.length));
    this.told = m;
    if (m.error) this.failed = m.error;
    this.app.changed();
  }
  // What the server finds with PCRE2 is marked with the browser's own expressions, where they take the pattern.
  private mark(): void {
    let marks: RegExp | null = null;
    if (this.shown && this.pattern) try { marks = new RegExp(this.regex || this.errors ? this.pattern : literally(this.pattern), this.caseful && !this.errors ? 'g' : 'gi'); } catch { /* not theirs */ }
    this.app.mark(marks);
  }

  /** Next or previous hit, shown in the log. */
  step(way: 1 | -1): void {
    const order = this.groups().flatMap((g) => g.hits);
    if (!order.length) return;
    this.at = Math.max(0, Math.min(order.length - 1, this.at < 0 ? (way > 0 ? 0 : order.length - 1) : this.at + way));
    this.whole.add(keyOf(order[this.at]));
    this.look(order[this.at], this.at);
  }
  private look(hit: Hit, at: number): void {
    this.at = at;
    this.app.jumpTo(hit.tab, hit.byte);
    this.app.changed();
  }
  private groups(): { key: string; hits: Hit[] }[] {
    const by = new Map<string, Hit[]>();
    for (const hit of this.hits) { const key = keyOf(hit), g = by.get(key); if (g) g.push(hit); else by.set(key, [hit]); }
    return [...by].map(([key, hits]) => ({ key, hits }));
  }

  draw(): void {
    this.el.hidden = !this.shown;
    if (!this.shown) return;
    const chip = (label: string, on: boolean, title: string, act: () => void, mono = false) => h(`button.chip${mono ? '.mono' : ''}`, { 'aria-pressed': String(on), title, onclick: () => { act(); this.run(); this.field.focus(); } }, label);
    let n = 0;
    fill(this.rest,
      h('.opts', {}, chip('Aa', this.caseful, 'Match upper and lower case', () => { this.caseful = !this.caseful; }), chip('.*', this.regex, 'Regular expression', () => { this.regex = !this.regex; }, true),
        chip('Errors', this.errors, 'error, fail, fatal, panic, exception, traceback', () => { this.errors = !this.errors; }), h('span.space'),
        chip('This tab', !this.all, 'Search this tab', () => { this.all = false; }), chip('All tabs', this.all, 'Search all tabs', () => { this.all = true; })),
      h('.sum.num', { role: 'status' }, this.sum(), this.told && !this.told.done ? [' ', h('button.do', { onclick: () => { this.stop(); if (this.told) this.told = { ...this.told, done: true }; this.app.changed(); } }, 'Stop')] : null),
      h('.hits', { tabindex: -1 }, this.groups().map(({ key, hits }) => {
        const many = this.whole.has(key) ? hits.length : Math.min(A_GROUP, hits.length), first = n, base = hits[0];
        n += hits.length;
        const c = this.app.model.of(base.tab).find((x) => x.id === base.command), tab = this.app.model.tabs.get(base.tab);
        return [h('h2', { class: c ? `is-${kindOf(c)}` : '' }, icon(c ? iconOf(c) : 'idle', 'mark'), h('span', {}, c ? visible(firstLine(c.text)) : base.command ?? 'Between commands', this.all ? ` · ${visible(tab?.name ?? base.tab)}` : ''), h('span.num', {}, hits.length)),
          hits.slice(0, many).map((hit, i) => this.row(hit, first + i)),
          hits.length > many ? h('button.hit', { onclick: () => { this.whole.add(key); this.app.changed(); } }, h('span.t'), h('span', {}, `${hits.length - many} more`)) : null];
      })));
  }
  private row(hit: Hit, at: number): HTMLElement {
    const ms = this.app.timeOf(hit.tab, hit.byte), [from] = hit.marks[0] ?? [0, 0], begin = Math.max(0, from - 18), text = h('span', {}, begin ? '…' : '');
    let p = begin;
    for (const [a, z] of hit.marks) { if (a < p) continue; text.append(visible(hit.text.slice(p, a)), h('mark', {}, visible(hit.text.slice(a, z)))); p = z; }
    text.append(visible(hit.text.slice(p, p + 80)));
    return h('button.hit', { 'aria-current': at === this.at ? 'true' : null, onclick: () => this.look(hit, at) }, h('span.t', {}, ms === null ? '' : clock(ms)), text);
  }
  private sum(): string {
    if (this.failed) return this.failed;
    if (!this.pattern) return '';
    const m = this.told;
    if (!m) return 'Searching';
    if (!m.done) return `Searching: ${bytes(m.searched)} of ${bytes(m.total)}`;
    if (!this.hits.length) return `Nothing found in ${bytes(m.searched)}.`;
    const commands = new Set(this.hits.map(keyOf)).size;
    return `${many(this.hits.length, 'line')} in ${many(commands, 'command')} · ${m.searched >= m.total ? `all ${bytes(m.searched)} searched` : `${bytes(m.searched)} of ${bytes(m.total)} searched`}`;
  }
}
const keyOf = (hit: Hit): string => `${hit.tab} ${hit.command}`;
