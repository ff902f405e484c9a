// One command in the list: its header, what it printed, and what it asks for.
import { ask, type Asking } from './ask';
import { Body, type Source } from './body';
import { details } from './details';
import { fill, h } from './h';
import { icon } from './icons';
import type { Page } from './page';
import { begun, cancellable, ended, iconOf, kindOf, opensItself, running, saidOf, waits } from './state';
import { bytes, clock, counting, firstLine, many, span, visible, visibleLines } from './text';
import type { Command } from './wire';

const TAIL = 40, OLD_TAIL = 8;   // last lines of a failure: of the newest command, of an older one

/** What a person folded or opened stays so, as long as the browser's tab lives. */
const chosen = {
  get(id: string): boolean | null { const v = sessionStorage.getItem(`fold-${id}`); return v === null ? null : v === '1'; },
  set(id: string, open: boolean): void { sessionStorage.setItem(`fold-${id}`, open ? '1' : '0'); },
};

export class Block {
  readonly el: HTMLElement;
  readonly day = h('.quietly.day', { hidden: true });
  private readonly head_ = h('.cmd-head');
  private readonly under_ = h('.under-lines');
  body: Body | null = null;
  open = false;
  script = false;
  private asking_: Asking | null = null;
  private loading_: Promise<void> | null = null;
  private lastLine_: HTMLElement | undefined;
  failure = '';
  private drawn_: Command | null = null;
  private key_ = '';

  constructor(private readonly page_: Page, private readonly source_: Source, readonly tab: string, public command: Command, private newest_: boolean) {
    this.el = h('article.cmd-block', { id: `c-${command.id}`, 'aria-labelledby': `h-${command.id}` }, this.head_);
    this.open = chosen.get(command.id) ?? opensItself(command, newest_);
  }

  /** Its output comes by itself, from the live bytes. */
  get live(): boolean { return running(this.command); }
  get end(): number { return this.command.end ?? this.source_.logEnd(); }
  get silent(): boolean { return !this.live && this.end <= this.command.start; }

  toggle(): void {
    this.open = !this.open;
    chosen.set(this.command.id, this.open);
    if (!this.open) this.drop();
    this.page_.changed();
  }
  /** Opened for a reason: a jump, a search. */
  reveal(): void { if (!this.open) { this.open = true; this.page_.changed(); } }

  /** A newer command began while the view follows: it folds, unless somebody is at it. */
  overtaken(follows: boolean): void {
    this.newest_ = false;
    if (!this.open || chosen.get(this.command.id) !== null || !follows || this.busy_) return;
    if (!opensItself({ ...this.command, lines: this.command.lines ?? this.body?.lines ?? null }, false)) { this.open = false; this.drop(); }
  }
  private get busy_(): boolean {
    const s = getSelection(), selected = s !== null && !s.isCollapsed && s.rangeCount > 0 && s.getRangeAt(0).intersectsNode(this.el);
    return selected || this.el.contains(document.activeElement) || this.el.querySelector('mark, .aim') !== null;
  }
  /** Live bytes go on into it from here: true where they are wanted. */
  wants(): boolean { return this.open && !(this.body?.binary ?? false); }

  /** The body, there and filled. */
  async ready(all = false, from = this.command.start): Promise<Body> {
    if (!this.body) {
      this.body = new Body(this.source_, begun(this.command) ? this.command.start : from);
      this.el.append(this.body.el);
      const b = this.body;
      b.el.id = `b-${this.command.id}`;
      if (!this.live && !this.silent) {
        const failed = kindOf(this.command) === 'failed' && !all && chosen.get(this.command.id) !== true;
        this.loading_ = this.source_.times(this.command.start, this.end).then(() => b.load(this.end, failed ? this.newest_ ? TAIL : OLD_TAIL : null)).catch((e: Error) => { this.failure = e.message; });
        void this.loading_.then(() => this.page_.changed());
      }
    }
    await this.loading_;
    return this.body ?? this.ready(all);
  }
  drop(): void {
    this.body?.dispose();
    this.body = null;
    this.loading_ = null;
    this.failure = '';
  }

  // ---- drawing
  drawHead(here: boolean, at: number, of: number): void {
    const c = this.command, kind = kindOf(c), live = this.live, page = this.page_, detailed = page.detailed === c.id, alternate = live && page.tab()?.alternate;
    const count = this.counted_(), extra = this.silent ? 'no output' : !this.open && count ? many(count, 'line') : '';
    const took = live ? counting(ended(c, page.now())) : c.ms === null || c.ms === undefined ? '' : span(c.ms);
    const key = [this.open, here, at, of, this.script, detailed, alternate, page.mayType, page.live, page.mayKill(c), extra, took].join();
    if (c === this.drawn_ && key === this.key_) return;
    this.drawn_ = c;
    this.key_ = key;
    const lines = this.script ? c.text.split('\n').length - 1 : (c.text.match(/\n/g) ?? []).length;
    this.el.className = `cmd-block is-${kind}${this.open ? ' open' : ''}${here ? ' here' : ''}`;
    this.el.setAttribute('aria-posinset', String(at + 1));
    this.el.setAttribute('aria-setsize', String(of));
    const fold = () => this.toggle(), said = saidOf(c);
    const tool = (i: string, text: string, act: () => void) => h('button.btn.icon', { title: text, 'aria-label': text, onclick: act }, icon(i));
    fill(this.head_,
      h('button.fold', { 'aria-expanded': String(this.open), 'aria-controls': this.open ? `b-${c.id}` : null, 'aria-label': `${this.open ? 'Fold' : 'Unfold'} the output`, onclick: fold },
        icon('caret', 'caret'), icon(iconOf(c, alternate), 'mark')),
      h('h2', { id: `h-${c.id}` }, h('button', { title: visibleLines(c.text), onclick: fold }, this.title_()),
        lines ? h('button.extra', { 'aria-expanded': String(this.script), onclick: () => { this.script = !this.script; this.reveal(); page.changed(); } }, `+${many(lines, 'line')}`) : null,
        said ? h('span.exit', {}, said) : null, extra ? h('span.extra.num', {}, extra) : null),
      h('.meta', {},
        h('span.tools', {}, tool('copy', 'Copy the output (c)', () => page.copyOutput(c)), tool('link', 'Copy a link to this command (l)', () => page.copyLink({ tab: this.tab, command: c.id })), tool('more', 'Details (i)', () => page.showDetails(c.id))),
        h('span.who', { class: c.who?.person ? 'you' : '' }, this.who_()),
        h('span.ms.num', {}, took),
        cancellable(c) && page.mayType ? this.cancelButton_() : h('span.at.num', {}, clock(c.at))),
      detailed ? details(page, this.tab, c) : null);
  }
  private cancelButton_(): HTMLElement {
    const { page_: page, command: c } = this;
    return h('button.btn.cancel', { title: page.live ? 'Ctrl C twice' : 'Not connected', disabled: !page.live, onclick: () => page.cancel(this.tab, c) }, page.mayKill(c) ? 'Kill now' : 'Cancel');
  }
  private title_(): string {
    const c = this.command;
    if (c.kind === 'hand') return c.who?.person && !c.who.name ? 'typed by you' : `typed by ${this.who_() || 'a person'}`;
    if (c.kind === 'between') return 'Printed between commands';
    return visible(firstLine(c.text)) || '(empty)';
  }
  private who_(): string {
    const w = this.command.who;
    if (!w) return '';
    return w.person && (w.name === this.page_.model.you || !w.name) ? 'you' : visible(w.name);
  }
  private counted_(): number { return this.command.lines ?? (this.body && !this.body.empty ? this.body.lines : 0); }

  drawBody(): void {
    if (!this.open) { this.asking_ = null; return; }
    const b = this.body;
    if (!b) { if (begun(this.command)) void this.ready(); return; }
    b.draw();
    this.cursor_(b);
    if (this.under_.parentNode !== b.el) b.el.append(this.under_);
    const c = this.command, script = this.script && c.text.includes('\n') ? h('.script', {}, visibleLines(c.text.slice(c.text.indexOf('\n') + 1))) : null;
    const has = b.el.firstElementChild?.classList.contains('script');
    if (script && !has) b.el.prepend(script); else if (!script && has) b.el.firstElementChild?.remove();
    fill(this.under_, ...this.words_(b));
    b.el.classList.toggle('binary', b.binary);
  }
  private words_(b: Body): (Node | null)[] {
    const c = this.command, quiet = (...kids: (Node | string)[]) => h('.quietly', {}, ...kids), page = this.page_;
    const out: (Node | null)[] = [];
    if (this.failure) out.push(quiet(this.failure, ' ', h('button.do', { onclick: () => { this.drop(); page.changed(); } }, 'Try again')));
    if (b.binary) out.push(quiet(`Binary output, ${bytes(this.end - c.start)}. `, h('a.do', { href: this.source_.download(c.start, this.end), download: '' }, 'Download'), ' ', h('button.do', { onclick: () => this.showBinary_() }, 'Show anyway')));
    if (this.live && b.alternate) out.push(quiet(`${visible(page.tab()?.foreground ?? 'A program')} has the screen. `, h('button.do', { onclick: () => page.show('screen') }, 'Show it')));
    else if (this.live && b.empty && !waits(c)) out.push(quiet('Running. Nothing printed yet.'));
    const said = saidAtEnd(c);
    if (said) out.push(h('.said', {}, said));
    for (const s of c.cancel?.survivors ?? []) out.push(quiet(`Still running: ${visible(s.command)} (pid ${s.pid})`));
    for (const n of c.notes ?? []) out.push(quiet(visible(n)));
    if (waits(c) && c.awaiting) {
      this.asking_ = ask(page, this.tab, c, c.awaiting, this.asking_);
      out.push(this.asking_.el);
    } else this.asking_ = null;
    return out;
  }
  private showBinary_(): void {
    const start = this.command.start;
    this.drop();
    this.body = new Body(this.source_, start);
    this.el.append(this.body.el);
    const b = this.body;
    this.loading_ = b.load(this.end, null).then(() => { b.binary = false; this.page_.changed(); });
  }
  private cursor_(b: Body): void {
    const last = waits(this.command) ? b.lastLine : undefined;
    if (this.lastLine_ && this.lastLine_ !== last) this.lastLine_.querySelector('.cursor')?.remove();
    if (last && !last.querySelector('.cursor')) last.lastElementChild?.append(' ', h('span.cursor'));
    this.lastLine_ = last;
  }
}

function saidAtEnd(c: Command): string {
  if (c.state === 'running') return '';
  if (c.reason === 'timeout' || c.cancel?.by === 'timeout') return `Stopped after its time-out${c.ms ? ` of ${span(c.ms).replace('.0 s', ' s')}` : ''}.`;
  if (c.state !== 'cancelled') return '';
  if (c.cancel?.by === 'person' || c.reason === 'cancelled_by_person') return '[CANCELLED] Command terminated by a person in the browser';
  return c.reason === 'interrupted_in_tab' ? 'Interrupted in the tab.' : '[CANCELLED] Command terminated by MCP client';
}
