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
  private readonly el_: HTMLElement;
  private readonly field_: HTMLInputElement;
  private readonly rest_ = h('.rest');
  private caseful_ = false;
  private regex_ = false;
  private errors_ = false;
  private all_ = false;
  private hits_: Hit[] = [];
  private id_ = 0;
  private told_: Extract<Message, { t: 'hits' }> | null = null;
  private failed_ = '';
  private at_ = -1;
  private readonly whole_ = new Set<string>();
  private timer_ = 0;

  constructor(private readonly app_: App, el: HTMLElement) {
    this.el_ = el;
    this.field_ = h<HTMLInputElement>('input.field', {
      type: 'search', 'aria-label': 'Search the log', placeholder: 'Search the whole log', autocomplete: 'off', spellcheck: 'false', maxlength: 500,
      oninput: () => { this.query = this.field_.value; this.errors_ = false; clearTimeout(this.timer_); this.timer_ = window.setTimeout(() => this.run_(), 200); },
      onkeydown: (e: KeyboardEvent) => this.key_(e),
    });
    el.append(h('.top', {}, this.field_, h('button.btn.icon', { 'aria-label': 'Close the search (Esc)', title: 'Esc', onclick: () => this.close() }, icon('close'))), this.rest_);
  }

  open(query?: string): void {
    this.shown = true;
    if (query !== undefined) { this.field_.value = this.query = query; this.run_(); }
    this.app_.changed();
    this.app_.draw();
    this.field_.focus();
    this.field_.select();
  }
  close(): void {
    this.stop_();
    this.shown = false;
    this.hits_ = [];
    this.told_ = null;
    this.mark_();
    this.app_.changed();
    this.app_.draw();
    this.app_.focusStage();
  }
  private key_(e: KeyboardEvent): void {
    if (e.key === 'Escape') this.close();
    else if (e.key === 'Enter') { if (this.at_ < 0) this.step(1); else this.app_.focusStage(); } else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') this.step(e.key === 'ArrowDown' ? 1 : -1);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
  /** The tab was switched: "This tab" is another one. */
  moved(): void { if (this.shown && !this.all_) this.run_(); }

  /** On a new connection: what was not found by then is looked for anew. */
  resume(): void { if (this.shown && !this.told_?.done) this.run_(); }

  private get pattern_(): string { return this.errors_ ? ERRORS : this.query; }
  private stop_(): void { if (this.told_ && !this.told_.done) this.app_.link.send({ t: 'stop', id: this.id_ }); }
  private run_(): void {
    this.stop_();
    this.hits_ = [];
    this.told_ = null;
    this.failed_ = '';
    this.at_ = -1;
    this.id_++;
    this.mark_();
    const tabs = this.all_ ? [...this.app_.model.tabs.keys()] : this.app_.selected ? [this.app_.selected] : [];
    if (this.pattern_ && tabs.length) {
      this.app_.link.ask({ t: 'search', id: this.id_, tabs, pattern: this.pattern_, regex: this.regex_ || this.errors_, case: this.caseful_ && !this.errors_, limit: LIMIT })
        .catch((e: Error) => { this.failed_ = e.message; this.app_.changed(); });
    }
    this.app_.changed();
  }
  take(m: Extract<Message, { t: 'hits' }>): void {
    if (m.id !== this.id_) return;
    this.hits_.push(...m.hits.slice(0, 20 * LIMIT - this.hits_.length));
    this.told_ = m;
    if (m.error) this.failed_ = m.error;
    this.app_.changed();
  }
  // What the server finds with PCRE2 is marked with the browser's own expressions, where they take the pattern.
  private mark_(): void {
    let marks: RegExp | null = null;
    if (this.shown && this.pattern_) try { marks = new RegExp(this.regex_ || this.errors_ ? this.pattern_ : literally(this.pattern_), this.caseful_ && !this.errors_ ? 'g' : 'gi'); } catch { /* not theirs */ }
    this.app_.mark(marks);
  }

  /** Next or previous hit, shown in the log. */
  step(way: 1 | -1): void {
    const order = this.groups_().flatMap((g) => g.hits);
    if (!order.length) return;
    this.at_ = Math.max(0, Math.min(order.length - 1, this.at_ < 0 ? (way > 0 ? 0 : order.length - 1) : this.at_ + way));
    this.whole_.add(keyOf(order[this.at_]));
    this.look_(order[this.at_], this.at_);
  }
  private look_(hit: Hit, at: number): void {
    this.at_ = at;
    this.app_.jumpTo(hit.tab, hit.byte);
    this.app_.changed();
  }
  private groups_(): { key: string; hits: Hit[] }[] {
    const by = new Map<string, Hit[]>();
    for (const hit of this.hits_) { const key = keyOf(hit), g = by.get(key); if (g) g.push(hit); else by.set(key, [hit]); }
    return [...by].map(([key, hits]) => ({ key, hits }));
  }

  draw(): void {
    this.el_.hidden = !this.shown;
    if (!this.shown) return;
    const chip = (label: string, on: boolean, title: string, act: () => void, mono = false) => h(`button.chip${mono ? '.mono' : ''}`, { 'aria-pressed': String(on), title, onclick: () => { act(); this.run_(); this.field_.focus(); } }, label);
    let n = 0;
    fill(this.rest_,
      h('.opts', {}, chip('Aa', this.caseful_, 'Match upper and lower case', () => { this.caseful_ = !this.caseful_; }), chip('.*', this.regex_, 'Regular expression', () => { this.regex_ = !this.regex_; }, true),
        chip('Errors', this.errors_, 'error, fail, fatal, panic, exception, traceback', () => { this.errors_ = !this.errors_; }), h('span.space'),
        chip('This tab', !this.all_, 'Search this tab', () => { this.all_ = false; }), chip('All tabs', this.all_, 'Search all tabs', () => { this.all_ = true; })),
      h('.sum.num', { role: 'status' }, this.sum_(), this.told_ && !this.told_.done ? [' ', h('button.do', { onclick: () => { this.stop_(); if (this.told_) this.told_ = { ...this.told_, done: true }; this.app_.changed(); } }, 'Stop')] : null),
      h('.hits', { tabindex: -1 }, this.groups_().map(({ key, hits }) => {
        const many = this.whole_.has(key) ? hits.length : Math.min(A_GROUP, hits.length), first = n, base = hits[0];
        n += hits.length;
        const c = this.app_.model.of(base.tab).find((x) => x.id === base.command), tab = this.app_.model.tabs.get(base.tab);
        return [h('h2', { class: c ? `is-${kindOf(c)}` : '' }, icon(c ? iconOf(c) : 'idle', 'mark'), h('span', {}, c ? visible(firstLine(c.text)) : base.command ?? 'Between commands', this.all_ ? ` · ${visible(tab?.name ?? base.tab)}` : ''), h('span.num', {}, hits.length)),
          hits.slice(0, many).map((hit, i) => this.row_(hit, first + i)),
          hits.length > many ? h('button.hit', { onclick: () => { this.whole_.add(key); this.app_.changed(); } }, h('span.t'), h('span', {}, `${hits.length - many} more`)) : null];
      })));
  }
  private row_(hit: Hit, at: number): HTMLElement {
    const ms = this.app_.timeOf(hit.tab, hit.byte), [from] = hit.marks[0] ?? [0, 0], begin = Math.max(0, from - 18), text = h('span', {}, begin ? '…' : '');
    let p = begin;
    for (const [a, z] of hit.marks) { if (a < p) continue; text.append(visible(hit.text.slice(p, a)), h('mark', {}, visible(hit.text.slice(a, z)))); p = z; }
    text.append(visible(hit.text.slice(p, p + 80)));
    return h('button.hit', { 'aria-current': at === this.at_ ? 'true' : null, onclick: () => this.look_(hit, at) }, h('span.t', {}, ms === null ? '' : clock(ms)), text);
  }
  private sum_(): string {
    if (this.failed_) return this.failed_;
    if (!this.pattern_) return '';
    const m = this.told_;
    if (!m) return 'Searching';
    if (!m.done) return `Searching: ${bytes(m.searched)} of ${bytes(m.total)}`;
    if (!this.hits_.length) return `Nothing found in ${bytes(m.searched)}.`;
    const commands = new Set(this.hits_.map(keyOf)).size;
    return `${many(this.hits_.length, 'line')} in ${many(commands, 'command')} · ${m.searched >= m.total ? `all ${bytes(m.searched)} searched` : `${bytes(m.searched)} of ${bytes(m.total)} searched`}`;
  }
}
const keyOf = (hit: Hit): string => `${hit.tab} ${hit.command}`;
