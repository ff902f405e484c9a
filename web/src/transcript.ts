// The list of a tab's commands: takes the live bytes, gives each command its own, and scrolls.
import { downloadLink, readCommands, readLog, readTimes, type Part } from './api';
import { Block } from './block';
import type { Source } from './body';
import { contiguous, Cutter, joined, type Part as Piece } from './cut';
import { Flow } from './flow';
import { Follow } from './follow';
import { fill, h } from './h';
import { Chunk } from './lines';
import type { MakeTerminal } from './parser';
import { MUCH } from './pace';
import type { Page } from './page';
import { writeRoute } from './route';
import { Seam } from './seam';
import { begun, kindOf, running } from './state';
import { bytes, clock, counting, date, day, many } from './text';
import { Times } from './times';
import type { Command, Frame, Message, Tab } from './wire';

const A_FRAME = 128 * 1024, PATIENCE_MS = 1000;
const frame = (): Promise<void> => new Promise((done) => { if (document.hidden) setTimeout(done, 50); else requestAnimationFrame(() => done()); });

export class Transcript implements Source {
  readonly el: HTMLElement;
  readonly follow = new Follow();
  private readonly top_ = h('.quietly.begin');
  private readonly pill_ = h('.pill', { hidden: true });
  private readonly ruler_ = h('.ruler', { 'aria-hidden': 'true' });
  private readonly blocks_ = new Map<string, Block>();
  private order_: string[] = [];
  private readonly clocks_ = new Times();
  private flow_ = new Flow();
  private cutter_: Cutter | null = null;
  private readonly queue_: Piece[] = [];
  private pumping_ = false;
  private pumped_ = 0;
  private caught_ = false;   // what was printed before this page looked is all here
  private first_: number | null = null;
  private since_ = 0;
  private skipped_ = 0;      // bytes that the server left out, as this page was behind
  private readonly watcher_: IntersectionObserver;
  private readonly seen_: IntersectionObserverEntry[] = [];
  private anchor_: { el: Element; top: number } | null = null;
  private expected_ = -1;
  private dragging_ = false;
  private pending_ = false;   // what is shown changed, and is not in its place yet
  private selecting_ = false;
  private touched_ = 0;       // when a person last moved it
  private lastTop_ = 0;
  private askedOlder_ = false;
  private aim_: { from: number; to: number } | null = null;
  private ruled_ = 0;
  private dead_ = false;
  here: string | null = null;

  constructor(private readonly page_: Page, readonly tab: string, readonly channel: number, readonly make: MakeTerminal) {
    this.el = h('div', { id: 'transcript', tabindex: 0, role: 'feed', 'aria-label': 'Commands', 'aria-busy': 'false' }, this.top_);
    this.watcher_ = new IntersectionObserver((seen) => { this.seen_.push(...seen); this.page_.output(); }, { root: this.el, rootMargin: '360px 0px' });
    this.watcher_.observe(this.top_);
    for (const name of ['wheel', 'touchmove', 'pointermove', 'keydown']) this.el.addEventListener(name, () => { this.touched_ = performance.now(); }, { passive: true });
    this.el.addEventListener('wheel', (e) => { if (e.deltaY < 0 && !e.ctrlKey) this.pauseIfLong_(); }, { passive: true });
    this.el.addEventListener('touchstart', () => { this.dragging_ = true; }, { passive: true });
    this.el.addEventListener('pointerdown', (e) => { this.dragging_ = e.target === this.el; });
    for (const end of ['pointerup', 'touchend', 'touchcancel']) addEventListener(end, this.dropped_, { passive: true });
    document.addEventListener('selectionchange', this.selected_);
    this.el.addEventListener('scroll', () => this.scrolled_(), { passive: true });
    this.el.addEventListener('keydown', (e) => { if (['PageUp', 'ArrowUp', 'Home'].includes(e.key)) this.pauseIfLong_(); });
    this.el.addEventListener('click', (e) => this.clicked_(e));
    this.el.addEventListener('copy', (e) => this.copied_(e));
    this.el.addEventListener('focusin', (e) => { const b = (e.target as Element).closest('.cmd-block'); if (b) this.here = b.id.slice(2); this.page_.changed(); });
  }
  dispose(): void {
    this.dead_ = true;
    this.watcher_.disconnect();
    for (const end of ['pointerup', 'touchend', 'touchcancel']) removeEventListener(end, this.dropped_);
    document.removeEventListener('selectionchange', this.selected_);
    for (const b of this.blocks_.values()) b.drop();
  }
  private readonly dropped_ = (): void => { this.dragging_ = false; };
  private readonly selected_ = (): void => { this.selecting_ = !(getSelection()?.isCollapsed ?? true); };   // to ask for the selection lays the page out

  private get info_(): Tab | undefined { return this.page_.model.tabs.get(this.tab); }

  // ---- what its lines need to know
  link(byte: number): string { return writeRoute({ tab: this.tab, from: byte }); }
  time(byte: number): number | null { return this.clocks_.of(byte); }
  stamp(byte: number): string {
    const ms = this.clocks_.of(byte), mode = document.documentElement.dataset.times;
    if (ms === null || mode === 'none') return '';
    if (mode !== 'since') return clock(ms);
    const c = this.page_.model.of(this.tab).findLast((x) => x.start <= byte);
    return c ? counting(ms - c.at) : '';
  }
  find(): RegExp | null { return this.page_.marks; }
  aimed(from: number, to: number): boolean { return this.aim_ !== null && from <= this.aim_.to && to > this.aim_.from; }
  rowHeight(): number { return matchMedia('(max-width: 760px)').matches ? 17 : 18; }
  size(): { cols: number; rows: number } { return { cols: this.info_?.cols || 120, rows: this.info_?.rows || 40 }; }
  read(from: number, to: number, line: boolean): Promise<Part> { return readLog(this.tab, from, to, line); }
  download(from: number, to: number): string { return downloadLink(this.tab, 'raw', from, to); }
  changed(): void { this.pending_ = true; this.page_.output(); }
  observe(el: Element, on: boolean): void { if (on) this.watcher_.observe(el); else this.watcher_.unobserve(el); }
  logEnd(): number { return Math.max(this.flow_.next ?? 0, this.info_?.log_bytes ?? 0); }
  async times(from: number, to: number): Promise<void> {
    if (to > from) this.clocks_.add(await readTimes(this.tab, from, to).catch(() => []));
  }
  jumpTo(byte: number): void { void this.jump(byte); }

  // ---- the live bytes
  /** Asks for the log, from where it was left. */
  watch(): void {
    this.caught_ = false;
    this.first_ = null;
    this.page_.link.send({ t: 'watch', ch: this.channel, tab: this.tab, from: this.flow_.next ?? 'command' });
  }
  take(f: Frame): void {
    if (f.channel !== this.channel || this.dead_) return;
    const { from, bytes: data, missing } = this.flow_.take(f.from, f.bytes);
    if (missing) this.gap_(from - missing, from, 'unknown', null);
    if (data.length) {
      if (this.caught_) this.clocks_.seen(from, this.page_.now()); else this.first_ ??= from;
      this.cutter_ ??= new Cutter(this.inside_(from));
      this.queue_.push(...this.cutter_.push(from, data));
      void this.pump_();
    }
    if (f.current && !this.caught_) { this.caught_ = true; void this.timesOfNow_(this.first_ ?? from); }
  }
  /** What is behind was printed before this page looked: when, the server knows. */
  private async timesOfNow_(from: number): Promise<void> {
    await this.times(from, this.logEnd());
    for (const b of this.blocks_.values()) if (b.live) b.body?.redraw();
    this.page_.changed();
  }
  private inside_(byte: number): string | null {
    return this.page_.model.of(this.tab).find((c) => c.kind !== 'hand' && c.kind !== 'between' && c.start <= byte && (running(c) ? begun(c) : byte < (c.end ?? 0)))?.id ?? null;
  }
  private gap_(from: number, to: number, why: Extract<Message, { t: 'gap' }>['why'], detail: string | null): void {
    const held = this.cutter_?.command ?? this.inside_(from), id = this.inside_(to) ?? (this.info_?.command?.id === held && this.info_?.command && running(this.info_.command) ? held : null);
    this.flow_.skip(to);
    if (why === 'skipped') this.skipped_ += to - from;
    this.cutter_ = new Cutter(id);
    this.queue_.push({ id: held, from, bytes: new Uint8Array(0), gap: { to, why, detail: detail ?? '' } } as Piece & Gap);
    void this.pump_();
  }

  message(m: Message): void {
    if (m.t === 'gap' && m.ch === this.channel) this.gap_(m.from, m.to ?? m.from, m.why, m.detail ?? null);
    else if (m.t === 'size' && m.tab === this.tab) for (const b of this.blocks_.values()) if (b.live) b.body?.resize(m.cols, m.rows);
  }

  // One piece after the other, acknowledged when they are parsed. Of much output some is taken for each drawing, and the server
  // skips what was too much.
  private async pump_(): Promise<void> {
    if (this.pumping_) return;
    this.pumping_ = true;
    for (let piece: (Piece & Partial<Gap>) | undefined; !this.dead_ && (piece = this.front_());) {
      const block = this.blockOf_(piece);
      if (!block && piece.id && this.patient_()) { await frame(); continue; }
      this.since_ = 0;
      if (block?.wants()) await this.give_(block, piece);
      this.queue_.shift();
      const end = piece.from + piece.bytes.length;
      this.pumped_ = end;
      if (piece.id && !this.follow.following) this.follow.lines(count(piece.bytes));
      const ack = this.flow_.drawn(end, this.queue_.length === 0);
      if (ack !== null) this.page_.link.send({ t: 'ack', ch: this.channel, to: ack });
      this.settle_();
      if (this.page_.pace.feed(piece.bytes.length, this.behind_(), (this.info_?.log_bytes ?? 0) + this.skipped_)) await this.page_.drawn();
    }
    this.pumping_ = false;
  }
  // What one drawing shows is given at once: the browser would draw between two parts.
  private front_(): (Piece & Partial<Gap>) | undefined {
    const gap = this.queue_.findIndex((p) => 'gap' in p), parts = contiguous(gap < 0 ? this.queue_ : this.queue_.slice(0, gap), MUCH);
    if (parts.length > 1) this.queue_.splice(0, parts.length, joined(parts));
    return this.queue_[0];
  }
  // What was printed before this page looked is taken without a rest.
  private behind_(): number { return this.caught_ ? this.queue_.reduce((n, p) => n + p.bytes.length, 0) : 0; }
  private async give_(block: Block, piece: Piece & Partial<Gap>): Promise<void> {
    try {
      const body = await block.ready(false, piece.from);
      if (piece.gap) { await body.catchUp(piece.from); body.gap(piece.gap.to, piece.gap.why, piece.from, piece.gap.detail); return; }
      for (let at = 0; at < piece.bytes.length; at += A_FRAME) {
        if (at) await frame();
        await body.take(piece.from + at, piece.bytes.subarray(at, at + A_FRAME));
      }
    } catch (e) { block.failure = (e as Error).message; }
  }
  private blockOf_(piece: Piece): Block | undefined {
    if (piece.id) return this.blocks_.get(piece.id);
    const c = this.page_.model.of(this.tab).findLast((x) => x.kind === 'hand' && running(x) && x.start <= piece.from);
    return c ? this.blocks_.get(c.id) : undefined;
  }
  // A command's bytes may come before it is told of.
  private patient_(): boolean {
    this.since_ ||= Date.now();
    return Date.now() - this.since_ < PATIENCE_MS;
  }
  // Commands whose end is told and whose bytes are all here are finished.
  private settle_(): void {
    for (const b of this.blocks_.values()) {
      const end = b.command.end;
      if (b.live || !b.body || b.body.over || end === null || end === undefined || (this.pumped_ < end && this.queue_.length)) continue;
      this.cutter_?.ended(b.command.id);
      void b.body.finish(end).catch((e: Error) => { b.failure = e.message; });
    }
  }

  // ---- the list
  private sync_(): void {
    const all = this.page_.model.of(this.tab);
    if (all.length === this.order_.length && all.every((c, i) => c === this.blocks_.get(this.order_[i])?.command)) return;
    const before = this.order_[this.order_.length - 1], there = new Set(all.map((c) => c.id));
    for (const [id, b] of this.blocks_) if (!there.has(id)) { b.drop(); b.day.remove(); b.el.remove(); this.blocks_.delete(id); }
    all.forEach((c, i) => {
      const is = this.blocks_.get(c.id);
      if (is) { is.command = c; return; }
      const block = new Block(this.page_, this, this.tab, c, i === all.length - 1);
      this.blocks_.set(c.id, block);
      if (c.kind === 'hand' && block.live && block.wants()) void block.ready().then((b) => b.catchUp(this.pumped_)).catch((e: Error) => { block.failure = e.message; });   // it is told of after its first line
      const next = all.slice(i + 1).map((x) => this.blocks_.get(x.id)).find((b) => b?.el.isConnected);
      this.el.insertBefore(block.day, next?.day ?? null);
      this.el.insertBefore(block.el, next?.day ?? null);
    });
    this.order_ = all.map((c) => c.id);
    const last = this.order_[this.order_.length - 1];
    if (before && last !== before) for (const id of this.order_) if (id !== last) this.blocks_.get(id)?.overtaken(this.follow.following);
    all.forEach((c, i) => {
      const d = day(c.at), b = this.blocks_.get(c.id), show = i > 0 ? day(all[i - 1].at) !== d : d !== day(this.page_.now());
      if (b) { b.day.hidden = !show; if (show) b.day.textContent = d; }
    });
    this.settle_();
  }

  draw(): void {
    this.look_();
    this.sync_();
    const of = this.order_.length;
    this.order_.forEach((id, i) => {
      const b = this.blocks_.get(id) as Block;
      b.drawHead(this.here === id, i, of);
      b.drawBody();
    });
    this.drawTop_();
    this.drawPill_();
    this.keepPlace_();
    this.rule_();
  }
  private drawTop_(): void {
    const t = this.info_, more = this.page_.model.more.get(this.tab);
    if (!t) return;
    if (more) { fill(this.top_, h('button.do', { onclick: () => { void this.older_(); } }, 'Earlier commands')); return; }
    const removed = t.first_byte ? `${bytes(t.first_byte)} removed by the log’s quota. ` : '';
    fill(this.top_, `${removed}The log begins here, ${date(t.created_at)}, ${clock(t.created_at)}`);
  }
  private drawPill_(): void {
    const f = this.follow;
    this.pill_.hidden = f.following;
    if (f.following) return;
    fill(this.pill_, h('span.num', {}, `Paused at ${clock(f.pausedAt)}${f.missed ? ` · ${many(f.missed, 'new line')}` : ''}`), h('button', { onclick: () => this.end() }, 'Follow', h('kbd.no-phone', {}, 'End')));
  }
  /** What stands over the list. */
  get over(): HTMLElement[] { return [this.pill_, this.ruler_]; }

  private async older_(): Promise<void> {
    const first = this.order_.find((id) => this.blocks_.get(id)?.command.kind !== 'hand');
    if (this.askedOlder_ || !first) return;
    this.askedOlder_ = true;
    try {
      const { commands, more } = await readCommands(this.tab, first, 100);
      this.page_.model.more.set(this.tab, more && commands.length > 0);
      for (const c of commands) this.page_.model.command(this.tab, c);
      this.page_.changed();
    } catch (e) { this.page_.note((e as Error).message); } finally { this.askedOlder_ = false; }
  }

  // ---- scrolling
  private keepPlace_(): void {
    const e = this.el;
    if (this.follow.following && !this.dragging_) e.scrollTop = e.scrollHeight;
    else if (this.anchor_?.el.isConnected) {
      const moved = this.anchor_.el.getBoundingClientRect().top - this.anchor_.top;
      if (Math.abs(moved) >= 0.5) e.scrollTop += moved;
    } else this.setAnchor_();
    this.expected_ = this.lastTop_ = e.scrollTop;
    this.pending_ = false;
  }
  private setAnchor_(): void {
    const top = this.el.getBoundingClientRect().top + 34;
    this.anchor_ = null;
    for (const id of this.order_) {
      const el = this.blocks_.get(id)?.el;
      if (!el || el.getBoundingClientRect().bottom <= top) continue;
      const chunk = [...el.querySelectorAll('.chunk')].find((c) => c.getBoundingClientRect().bottom > top) ?? el;
      const line = [...chunk.children].find((l) => l.getBoundingClientRect().bottom > top);
      const at = chunk === el ? el : line ?? chunk;
      this.anchor_ = { el: at, top: at.getBoundingClientRect().top };
      return;
    }
  }
  private scrolled_(): void {
    // What is about to be put in its place was moved by nobody. (To ask where it is now would lay it out twice.)
    if (this.pending_ && !this.dragging_ && performance.now() - this.touched_ > 500) return;
    const e = this.el, now = e.scrollTop;
    if (Math.abs(now - this.expected_) > 1) {
      const changed = this.follow.scrolled(e.scrollHeight - e.clientHeight - now, now < this.lastTop_, this.page_.now());
      if (changed) this.page_.changed();
      this.setAnchor_();
      this.expected_ = -1;
    }
    this.lastTop_ = now;
  }
  private pauseIfLong_(): void {
    if (this.el.scrollHeight > this.el.clientHeight + 4 && this.follow.pause(this.page_.now())) { this.setAnchor_(); this.page_.changed(); }
  }
  end(): void {
    this.follow.resume();
    this.aimAt_(null);
    this.page_.changed();
  }
  async start(): Promise<void> {
    this.follow.pause(this.page_.now());
    for (let i = 0; i < 50 && this.page_.model.more.get(this.tab); i++) await this.older_();
    this.page_.changed();
    await frame();
    this.anchor_ = null;
    this.el.scrollTop = 0;
  }
  // What came into view or left it. It changes what is shown, so it is part of the next drawing.
  private look_(): void {
    for (const { target, isIntersecting, boundingClientRect: { height } } of this.seen_.splice(0)) {
      const { chunk, seam } = target as Element & { chunk?: Chunk; seam?: Seam };
      if (target === this.top_) { if (isIntersecting && !this.follow.following && this.page_.model.more.get(this.tab)) void this.older_(); } else if (chunk) {
        if (isIntersecting || !this.selecting_) this.bodyAt_(target)?.looked(chunk, isIntersecting, height);
      } else if (seam && isIntersecting && !this.follow.following && seam.lines === null && seam.why === null && seam.passed) void this.bodyAt_(target)?.show(seam, seam.to - seam.from > 1 << 20 ? 'more' : 'all');
      if (seam) seam.passed = true;
    }
  }
  private bodyAt_(el: Element) { return this.blocks_.get(el.closest('.cmd-block')?.id.slice(2) ?? '')?.body ?? undefined; }

  // ---- going somewhere
  /** Scrolls to the line with that byte, marks it, and pauses. False: it is not in the log any more. */
  async jump(from: number, to = from): Promise<boolean> {
    let all = this.page_.model.of(this.tab);
    for (let i = 0; i < 200 && this.page_.model.more.get(this.tab) && (all[0]?.start ?? 0) > from; i++) { await this.older_(); this.sync_(); all = this.page_.model.of(this.tab); }
    const c = all.findLast((x) => x.start <= from && from < Math.max(x.end ?? Infinity, x.start + 1)) ?? all.find((x) => x.start > from);
    if (c && !this.blocks_.has(c.id)) this.sync_();   // it was told just now
    const block = c && this.blocks_.get(c.id);
    if (!block || !c || from < (this.info_?.first_byte ?? 0)) return false;
    this.follow.pause(this.page_.now());
    block.open = true;
    this.aim_ = { from, to };
    const body = await block.ready(true), el = await body.reach(Math.max(from, c.start));
    this.aimAt_({ from, to });
    this.draw();
    const line = (el?.isConnected ? el : null) ?? this.el.querySelector('.aim') ?? block.el;
    this.center_(line);
    return true;
  }
  jumpCommand(id: string): boolean {
    const b = this.blocks_.get(id) ?? (this.sync_(), this.blocks_.get(id));
    if (!b) return false;
    this.follow.pause(this.page_.now());
    b.reveal();
    this.here = id;
    this.draw();
    this.el.scrollTop += b.el.getBoundingClientRect().top - this.el.getBoundingClientRect().top;
    this.setAnchor_();
    return true;
  }
  private center_(el: Element): void {
    const r = el.getBoundingClientRect(), box = this.el.getBoundingClientRect();
    if (el.classList.contains('cmd-block')) this.el.scrollTop += r.top - box.top; else this.el.scrollTop += r.top - box.top - box.height / 2;
    this.setAnchor_();
    this.expected_ = this.lastTop_ = this.el.scrollTop;
  }
  private aimAt_(aim: { from: number; to: number } | null): void {
    this.aim_ = aim;
    for (const line of this.el.querySelectorAll<HTMLElement>('.ln')) {
      const from = Number(line.dataset.b), next = (line.nextElementSibling as HTMLElement | null)?.dataset.b;
      line.classList.toggle('aim', this.aimed(from, next === undefined ? from + 1 : Number(next)));
    }
  }
  private clicked_(e: MouseEvent): void {
    const t = (e.target as Element).closest<HTMLElement>('.ln > .t');
    if (!t) {
      const address = getSelection()?.isCollapsed ? addressAt(e) : '';
      if (address) this.page_.openLink(address);
      return;
    }
    e.preventDefault();
    const byte = Number((t.parentElement as HTMLElement).dataset.b), from = e.shiftKey && this.aim_ ? Math.min(this.aim_.from, byte) : byte, to = e.shiftKey && this.aim_ ? Math.max(this.aim_.to, byte) : byte;
    this.follow.pause(this.page_.now());
    this.setAnchor_();
    this.aimAt_({ from, to });
    history.replaceState(null, '', writeRoute({ tab: this.tab, from, ...(to > from ? { to } : {}) }));
    this.page_.changed();
  }
  /** Text without gutter, wraps and trailing blanks. */
  private copied_(e: ClipboardEvent): void {
    const s = getSelection(), range = s && s.rangeCount ? s.getRangeAt(0) : null;
    const lines = range ? [...this.el.querySelectorAll('.ln-text')].filter((l) => range.intersectsNode(l)) : [];
    if (!range || lines.length < 2 || !e.clipboardData) return;
    const text = lines.map((l) => {
      const part = document.createRange();
      part.selectNodeContents(l);
      if (l.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset);
      if (l.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset);
      return part.toString().replace(/[ \t]+$/, '');
    });
    e.clipboardData.setData('text/plain', text.join('\n'));
    e.preventDefault();
  }

  // ---- steps from command to command
  step(way: 1 | -1, failures: boolean): void {
    const ids = failures ? this.order_.filter((id) => kindOf((this.blocks_.get(id) as Block).command) === 'failed') : this.order_;
    const at = this.here ? this.order_.indexOf(this.here) : this.order_.length;
    const next = way > 0 ? ids.find((id) => this.order_.indexOf(id) > at) : ids.findLast((id) => this.order_.indexOf(id) < at);
    if (!next) return;
    const b = this.blocks_.get(next) as Block;
    this.here = next;
    this.follow.pause(this.page_.now());
    b.el.querySelector<HTMLElement>('h2 button')?.focus({ preventScroll: true });
    const r = b.el.getBoundingClientRect(), box = this.el.getBoundingClientRect();
    if (r.top < box.top || r.top > box.bottom - 80) this.el.scrollTop += r.top - box.top - (way > 0 ? 0 : 40);
    this.setAnchor_();
    this.page_.changed();
  }
  /** The command that keys are for. */
  current(): Command | undefined { return this.page_.model.of(this.tab).find((c) => c.id === this.here) ?? this.page_.model.of(this.tab).at(-1); }
  toggle(): void { const c = this.current(); if (c) this.blocks_.get(c.id)?.toggle(); }
  redraw(): void {
    this.look_();   // what is in view is drawn anew, the rest emptied
    for (const b of this.blocks_.values()) b.body?.redraw();
    this.page_.changed();
  }

  // Ticks beside the scrollbar: failures, and lines with hits.
  private rule_(): void {
    if (Date.now() - this.ruled_ < 500) return;
    this.ruled_ = Date.now();
    const all = this.el.scrollHeight, top = this.el.getBoundingClientRect().top - this.el.scrollTop, ticks: Node[] = [];
    const mark = (el: Element, kind: string) => { const i = h('i', { class: kind }); i.style.top = `${Math.round(1000 * (el.getBoundingClientRect().top - top) / all) / 10}%`; ticks.push(i); };
    this.el.querySelectorAll('.is-failed').forEach((e) => mark(e, ''));
    if (this.page_.marks) this.el.querySelectorAll('.ln:has(mark)').forEach((e) => mark(e, 'h'));
    this.ruler_.replaceChildren(...ticks);
  }
}

/** The web address in a line of output that was clicked; empty: none. */
function addressAt(e: MouseEvent): string {
  const line = (e.target as Element).closest('.ln-text'), at = document.caretPositionFromPoint?.(e.clientX, e.clientY);
  if (!line || !at || !line.contains(at.offsetNode)) return '';
  const before = document.createRange();
  before.setStart(line, 0);
  before.setEnd(at.offsetNode, at.offset);
  const place = before.toString().length;
  for (const m of (line.textContent ?? '').matchAll(/https?:\/\/[^\s<>"'`]+/gi)) if (place >= m.index && place <= m.index + m[0].length) return m[0].replace(/[).,;:\]]+$/, '');
  return '';
}

interface Gap { gap: { to: number; why: Extract<Message, { t: 'gap' }>['why']; detail: string } }
const count = (data: Uint8Array): number => { let n = 0; for (let i = data.indexOf(10); i >= 0; i = data.indexOf(10, i + 1)) n++; return n; };
