// The list of a tab's commands: takes the live bytes, gives each command its own, and scrolls.
import { downloadLink, readCommands, readLog, readTimes, type Part } from './api';
import { Block } from './block';
import type { Source } from './body';
import { Cutter, type Part as Piece } from './cut';
import { Flow } from './flow';
import { Follow } from './follow';
import { fill, h } from './h';
import { Chunk } from './lines';
import type { MakeTerminal } from './parser';
import type { Page } from './page';
import { writeRoute } from './route';
import { Seam } from './seam';
import { kindOf, running } from './state';
import { bytes, clock, counting, date, day, many } from './text';
import { Times } from './times';
import type { Command, Frame, Message, Tab } from './wire';

const A_FRAME = 128 * 1024, PATIENCE_MS = 1000;
const frame = (): Promise<void> => new Promise((done) => { if (document.hidden) setTimeout(done, 50); else requestAnimationFrame(() => done()); });

export class Transcript implements Source {
  readonly el: HTMLElement;
  readonly follow = new Follow();
  private readonly top = h('.quietly.begin');
  private readonly pill = h('.pill', { hidden: true });
  private readonly ruler = h('.ruler', { 'aria-hidden': 'true' });
  private readonly blocks = new Map<string, Block>();
  private order: string[] = [];
  private readonly clocks = new Times();
  private flow = new Flow();
  private cutter: Cutter | null = null;
  private readonly queue: Piece[] = [];
  private pumping = false;
  private pumped = 0;
  private since = 0;
  private readonly watcher: IntersectionObserver;
  private anchor: { el: Element; top: number } | null = null;
  private expected = -1;
  private dragging = false;
  private lastTop = 0;
  private askedOlder = false;
  private aim: { from: number; to: number } | null = null;
  private ruled = 0;
  private dead = false;
  here: string | null = null;

  constructor(private readonly page: Page, readonly tab: string, readonly channel: number, readonly make: MakeTerminal) {
    this.el = h('div', { id: 'transcript', tabindex: 0, role: 'feed', 'aria-label': 'Commands', 'aria-busy': 'false' }, this.top);
    this.watcher = new IntersectionObserver((seen) => this.looked(seen), { root: this.el, rootMargin: '360px 0px' });
    this.watcher.observe(this.top);
    this.el.addEventListener('wheel', (e) => { if (e.deltaY < 0 && !e.ctrlKey) this.pauseIfLong(); }, { passive: true });
    this.el.addEventListener('touchstart', () => { this.dragging = true; }, { passive: true });
    this.el.addEventListener('pointerdown', (e) => { this.dragging = e.target === this.el; });
    for (const end of ['pointerup', 'touchend', 'touchcancel']) addEventListener(end, this.dropped, { passive: true });
    this.el.addEventListener('scroll', () => this.scrolled(), { passive: true });
    this.el.addEventListener('keydown', (e) => { if (['PageUp', 'ArrowUp', 'Home'].includes(e.key)) this.pauseIfLong(); });
    this.el.addEventListener('click', (e) => this.clicked(e));
    this.el.addEventListener('copy', (e) => this.copied(e));
    this.el.addEventListener('focusin', (e) => { const b = (e.target as Element).closest('.cmd-block'); if (b) this.here = b.id.slice(2); this.page.changed(); });
  }
  dispose(): void {
    this.dead = true;
    this.watcher.disconnect();
    for (const end of ['pointerup', 'touchend', 'touchcancel']) removeEventListener(end, this.dropped);
    for (const b of this.blocks.values()) b.drop();
  }
  private readonly dropped = (): void => { this.dragging = false; };

  private get info(): Tab | undefined { return this.page.model.tabs.get(this.tab); }

  // ---- what its lines need to know
  link(byte: number): string { return writeRoute({ tab: this.tab, from: byte }); }
  time(byte: number): number | null { return this.clocks.of(byte); }
  stamp(byte: number): string {
    const ms = this.clocks.of(byte), mode = document.documentElement.dataset.times;
    if (ms === null || mode === 'none') return '';
    if (mode !== 'since') return clock(ms);
    const c = this.page.model.of(this.tab).findLast((x) => x.start <= byte);
    return c ? counting(ms - c.at) : '';
  }
  find(): RegExp | null { return this.page.marks; }
  aimed(from: number, to: number): boolean { return this.aim !== null && from <= this.aim.to && to > this.aim.from; }
  rowHeight(): number { return matchMedia('(max-width: 760px)').matches ? 17 : 18; }
  size(): { cols: number; rows: number } { return { cols: this.info?.cols || 120, rows: this.info?.rows || 40 }; }
  read(from: number, to: number, line: boolean): Promise<Part> { return readLog(this.tab, from, to, line); }
  download(from: number, to: number): string { return downloadLink(this.tab, 'raw', from, to); }
  changed(): void { this.page.changed(); }
  observe(el: Element, on: boolean): void { if (on) this.watcher.observe(el); else this.watcher.unobserve(el); }
  logEnd(): number { return Math.max(this.flow.next ?? 0, this.info?.log_bytes ?? 0); }
  async times(from: number, to: number): Promise<void> {
    if (to > from) this.clocks.add(await readTimes(this.tab, from, to).catch(() => []));
  }
  jumpTo(byte: number): void { void this.jump(byte); }

  // ---- the live bytes
  /** Asks for the log, from where it was left. */
  watch(): void {
    this.page.link.send({ t: 'watch', ch: this.channel, tab: this.tab, from: this.flow.next ?? 'command' });
  }
  take(f: Frame): void {
    if (f.channel !== this.channel || this.dead) return;
    const { from, bytes: data, missing } = this.flow.take(f.from, f.bytes);
    if (missing) this.gap(from - missing, from, 'unknown', null);
    if (data.length) {
      this.clocks.seen(from, this.page.now());
      if (!this.cutter) { this.cutter = new Cutter(this.inside(from)); void this.timesOfNow(from); }
      this.queue.push(...this.cutter.push(from, data));
      void this.pump();
    }
    if (f.current) this.page.changed();
  }
  /** What is behind was printed before this page looked: when, the server knows. */
  private async timesOfNow(from: number): Promise<void> {
    await this.times(from, this.logEnd());
    for (const b of this.blocks.values()) if (b.live) b.body?.redraw();
    this.page.changed();
  }
  private inside(byte: number): string | null {
    return this.page.model.of(this.tab).find((c) => c.kind !== 'hand' && c.kind !== 'between' && c.start <= byte && (running(c) || byte < (c.end ?? 0)))?.id ?? null;
  }
  private gap(from: number, to: number, why: Extract<Message, { t: 'gap' }>['why'], detail: string | null): void {
    const held = this.cutter?.command ?? this.inside(from), id = this.inside(to) ?? (this.info?.command?.id === held && this.info?.command && running(this.info.command) ? held : null);
    this.flow.skip(to);
    this.cutter = new Cutter(id);
    this.queue.push({ id: held, from, bytes: new Uint8Array(0), gap: { to, why, detail: detail ?? '' } } as Piece & Gap);
    void this.pump();
  }

  message(m: Message): void {
    if (m.t === 'gap' && m.ch === this.channel) this.gap(m.from, m.to ?? m.from, m.why, m.detail ?? null);
    else if (m.t === 'size' && m.tab === this.tab) for (const b of this.blocks.values()) if (b.live) b.body?.resize(m.cols, m.rows);
  }

  // One piece after the other, 128 KiB a frame at most; acknowledged when they are parsed.
  private async pump(): Promise<void> {
    if (this.pumping) return;
    this.pumping = true;
    let shown = 0;
    for (let piece: (Piece & Partial<Gap>) | undefined; !this.dead && (piece = this.queue[0]);) {
      const block = this.blockOf(piece);
      if (!block && piece.id && this.patient()) { await frame(); continue; }
      this.since = 0;
      if (block?.wants()) await this.give(block, piece);
      this.queue.shift();
      const end = piece.from + piece.bytes.length;
      this.pumped = end;
      if (piece.id && !this.follow.following) this.follow.lines(count(piece.bytes));
      const ack = this.flow.drawn(end, this.queue.length === 0);
      if (ack !== null) this.page.link.send({ t: 'ack', ch: this.channel, to: ack });
      this.settle();
      shown += piece.bytes.length;
      if (shown >= A_FRAME) { shown = 0; await frame(); }
    }
    this.pumping = false;
  }
  private async give(block: Block, piece: Piece & Partial<Gap>): Promise<void> {
    try {
      const body = await block.ready();
      if (piece.gap) { await body.catchUp(piece.from); body.gap(piece.gap.to, piece.gap.why, piece.from, piece.gap.detail); return; }
      for (let at = 0; at < piece.bytes.length; at += A_FRAME) {
        if (at) await frame();
        await body.take(piece.from + at, piece.bytes.subarray(at, at + A_FRAME));
      }
    } catch (e) { block.failure = (e as Error).message; }
  }
  private blockOf(piece: Piece): Block | undefined {
    if (piece.id) return this.blocks.get(piece.id);
    const c = this.page.model.of(this.tab).findLast((x) => x.kind === 'hand' && running(x) && x.start <= piece.from);
    return c ? this.blocks.get(c.id) : undefined;
  }
  // A command's bytes may come before it is told of.
  private patient(): boolean {
    this.since ||= Date.now();
    return Date.now() - this.since < PATIENCE_MS;
  }
  // Commands whose end is told and whose bytes are all here are finished.
  private settle(): void {
    for (const b of this.blocks.values()) {
      const end = b.command.end;
      if (b.live || !b.body || b.body.over || end === null || end === undefined || (this.pumped < end && this.queue.length)) continue;
      this.cutter?.ended(b.command.id);
      void b.body.finish(end).catch((e: Error) => { b.failure = e.message; });
    }
  }

  // ---- the list
  private sync(): void {
    const all = this.page.model.of(this.tab);
    if (all.length === this.order.length && all.every((c, i) => c === this.blocks.get(this.order[i])?.command)) return;
    const before = this.order[this.order.length - 1];
    all.forEach((c, i) => {
      const is = this.blocks.get(c.id);
      if (is) { is.command = c; return; }
      const block = new Block(this.page, this, this.tab, c, i === all.length - 1);
      this.blocks.set(c.id, block);
      const next = all.slice(i + 1).map((x) => this.blocks.get(x.id)).find((b) => b?.el.isConnected);
      this.el.insertBefore(block.day, next?.day ?? null);
      this.el.insertBefore(block.el, next?.day ?? null);
    });
    this.order = all.map((c) => c.id);
    const last = this.order[this.order.length - 1];
    if (before && last !== before) for (const id of this.order) if (id !== last) this.blocks.get(id)?.overtaken(this.follow.following);
    all.forEach((c, i) => {
      const d = day(c.at), b = this.blocks.get(c.id), show = i > 0 ? day(all[i - 1].at) !== d : d !== day(this.page.now());
      if (b) { b.day.hidden = !show; if (show) b.day.textContent = d; }
    });
    this.settle();
  }

  draw(): void {
    this.sync();
    const of = this.order.length;
    this.order.forEach((id, i) => {
      const b = this.blocks.get(id) as Block;
      b.drawHead(this.here === id, i, of);
      b.drawBody();
    });
    this.drawTop();
    this.drawPill();
    this.keepPlace();
    this.rule();
  }
  private drawTop(): void {
    const t = this.info, more = this.page.model.more.get(this.tab);
    if (!t) return;
    if (more) { fill(this.top, h('button.do', { onclick: () => { void this.older(); } }, 'Earlier commands')); return; }
    const removed = t.first_byte ? `${bytes(t.first_byte)} removed by the log’s quota. ` : '';
    fill(this.top, `${removed}The log begins here, ${date(t.created_at)}, ${clock(t.created_at)}`);
  }
  private drawPill(): void {
    const f = this.follow;
    this.pill.hidden = f.following;
    if (f.following) return;
    fill(this.pill, h('span.num', {}, `Paused at ${clock(f.pausedAt)}${f.missed ? ` · ${many(f.missed, 'new line')}` : ''}`), h('button', { onclick: () => this.end() }, 'Follow', h('kbd.no-phone', {}, 'End')));
  }
  /** What stands over the list. */
  get over(): HTMLElement[] { return [this.pill, this.ruler]; }

  private async older(): Promise<void> {
    const first = this.order[0];
    if (this.askedOlder || !first) return;
    this.askedOlder = true;
    try {
      const { commands, more } = await readCommands(this.tab, first, 100);
      this.page.model.more.set(this.tab, more && commands.length > 0);
      for (const c of commands) this.page.model.command(this.tab, c);
      this.page.changed();
    } catch (e) { this.page.note((e as Error).message); } finally { this.askedOlder = false; }
  }

  // ---- scrolling
  private keepPlace(): void {
    const e = this.el;
    if (this.follow.following && !this.dragging) e.scrollTop = e.scrollHeight;
    else if (this.anchor?.el.isConnected) {
      const moved = this.anchor.el.getBoundingClientRect().top - this.anchor.top;
      if (Math.abs(moved) >= 0.5) e.scrollTop += moved;
    } else this.setAnchor();
    this.expected = this.lastTop = e.scrollTop;
  }
  private setAnchor(): void {
    const top = this.el.getBoundingClientRect().top + 34;
    this.anchor = null;
    for (const id of this.order) {
      const el = this.blocks.get(id)?.el;
      if (!el || el.getBoundingClientRect().bottom <= top) continue;
      const chunk = [...el.querySelectorAll('.chunk, .seam')].find((c) => c.getBoundingClientRect().bottom > top) ?? el;
      const line = [...chunk.children].find((l) => l.getBoundingClientRect().bottom > top);
      const at = chunk === el ? el : line ?? chunk;
      this.anchor = { el: at, top: at.getBoundingClientRect().top };
      return;
    }
  }
  private scrolled(): void {
    const e = this.el, now = e.scrollTop;
    if (Math.abs(now - this.expected) > 1) {
      const changed = this.follow.scrolled(e.scrollHeight - e.clientHeight - now, now < this.lastTop, this.page.now());
      if (changed) this.page.changed();
      this.setAnchor();
      this.expected = -1;
    }
    this.lastTop = now;
  }
  private pauseIfLong(): void {
    if (this.el.scrollHeight > this.el.clientHeight + 4 && this.follow.pause(this.page.now())) { this.setAnchor(); this.page.changed(); }
  }
  end(): void {
    this.follow.resume();
    this.aimAt(null);
    this.page.changed();
  }
  async start(): Promise<void> {
    this.follow.pause(this.page.now());
    for (let i = 0; i < 50 && this.page.model.more.get(this.tab); i++) await this.older();
    this.page.changed();
    await frame();
    this.anchor = null;
    this.el.scrollTop = 0;
  }
  private looked(seen: IntersectionObserverEntry[]): void {
    const selecting = !(getSelection()?.isCollapsed ?? true);
    for (const { target, isIntersecting } of seen) {
      const { chunk, seam } = target as Element & { chunk?: Chunk; seam?: Seam };
      if (target === this.top) { if (isIntersecting && !this.follow.following && this.page.model.more.get(this.tab)) void this.older(); } else if (chunk) {
        if (isIntersecting || !selecting) this.bodyAt(target)?.looked(chunk, isIntersecting);
      } else if (seam && isIntersecting && !this.follow.following && seam.lines === null && seam.why === null && seam.passed) void this.bodyAt(target)?.show(seam, seam.to - seam.from > 1 << 20 ? 'more' : 'all');
      if (seam) seam.passed = true;
    }
    this.page.changed();
  }
  private bodyAt(el: Element) { return this.blocks.get(el.closest('.cmd-block')?.id.slice(2) ?? '')?.body ?? undefined; }

  // ---- going somewhere
  /** Scrolls to the line with that byte, marks it, and pauses. False: it is not in the log any more. */
  async jump(from: number, to = from): Promise<boolean> {
    let all = this.page.model.of(this.tab);
    for (let i = 0; i < 200 && this.page.model.more.get(this.tab) && (all[0]?.start ?? 0) > from; i++) { await this.older(); this.sync(); all = this.page.model.of(this.tab); }
    const c = all.findLast((x) => x.start <= from && from < Math.max(x.end ?? Infinity, x.start + 1)) ?? all.find((x) => x.start > from);
    const block = c && this.blocks.get(c.id);
    if (!block || !c || from < (this.info?.first_byte ?? 0)) return false;
    this.follow.pause(this.page.now());
    block.open = true;
    this.aim = { from, to };
    const body = await block.ready(true), el = await body.reach(Math.max(from, c.start));
    this.aimAt({ from, to });
    this.draw();
    const line = (el?.isConnected ? el : null) ?? this.el.querySelector('.aim') ?? block.el;
    this.center(line);
    return true;
  }
  jumpCommand(id: string): boolean {
    const b = this.blocks.get(id) ?? (this.sync(), this.blocks.get(id));
    if (!b) return false;
    this.follow.pause(this.page.now());
    b.reveal();
    this.here = id;
    this.draw();
    this.el.scrollTop += b.el.getBoundingClientRect().top - this.el.getBoundingClientRect().top;
    this.setAnchor();
    return true;
  }
  private center(el: Element): void {
    const r = el.getBoundingClientRect(), box = this.el.getBoundingClientRect();
    if (el.classList.contains('cmd-block')) this.el.scrollTop += r.top - box.top; else this.el.scrollTop += r.top - box.top - box.height / 2;
    this.setAnchor();
    this.expected = this.lastTop = this.el.scrollTop;
  }
  private aimAt(aim: { from: number; to: number } | null): void {
    this.aim = aim;
    for (const line of this.el.querySelectorAll<HTMLElement>('.ln')) {
      const from = Number(line.dataset.b), next = (line.nextElementSibling as HTMLElement | null)?.dataset.b;
      line.classList.toggle('aim', this.aimed(from, next === undefined ? from + 1 : Number(next)));
    }
  }
  private clicked(e: MouseEvent): void {
    const t = (e.target as Element).closest<HTMLElement>('.ln > .t');
    if (!t) return;
    e.preventDefault();
    const byte = Number((t.parentElement as HTMLElement).dataset.b), from = e.shiftKey && this.aim ? Math.min(this.aim.from, byte) : byte, to = e.shiftKey && this.aim ? Math.max(this.aim.to, byte) : byte;
    this.follow.pause(this.page.now());
    this.setAnchor();
    this.aimAt({ from, to });
    history.replaceState(null, '', writeRoute({ tab: this.tab, from, ...(to > from ? { to } : {}) }));
    this.page.changed();
  }
  /** Text without gutter, wraps and trailing blanks. */
  private copied(e: ClipboardEvent): void {
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
    const ids = failures ? this.order.filter((id) => kindOf((this.blocks.get(id) as Block).command) === 'failed') : this.order;
    const at = this.here ? this.order.indexOf(this.here) : this.order.length;
    const next = way > 0 ? ids.find((id) => this.order.indexOf(id) > at) : ids.findLast((id) => this.order.indexOf(id) < at);
    if (!next) return;
    const b = this.blocks.get(next) as Block;
    this.here = next;
    this.follow.pause(this.page.now());
    b.el.querySelector<HTMLElement>('h2 button')?.focus({ preventScroll: true });
    const r = b.el.getBoundingClientRect(), box = this.el.getBoundingClientRect();
    if (r.top < box.top || r.top > box.bottom - 80) this.el.scrollTop += r.top - box.top - (way > 0 ? 0 : 40);
    this.setAnchor();
    this.page.changed();
  }
  /** The command that keys are for. */
  current(): Command | undefined { return this.page.model.of(this.tab).find((c) => c.id === this.here) ?? this.page.model.of(this.tab).at(-1); }
  toggle(): void { const c = this.current(); if (c) this.blocks.get(c.id)?.toggle(); }
  redraw(): void { for (const b of this.blocks.values()) b.body?.redraw(); this.page.changed(); }

  // Ticks beside the scrollbar: failures, and lines with hits.
  private rule(): void {
    if (Date.now() - this.ruled < 500) return;
    this.ruled = Date.now();
    const all = this.el.scrollHeight, top = this.el.getBoundingClientRect().top - this.el.scrollTop, ticks: Node[] = [];
    const mark = (el: Element, kind: string) => { const i = h('i', { class: kind }); i.style.top = `${Math.round(1000 * (el.getBoundingClientRect().top - top) / all) / 10}%`; ticks.push(i); };
    this.el.querySelectorAll('.is-failed').forEach((e) => mark(e, ''));
    if (this.page.marks) this.el.querySelectorAll('.ln:has(mark)').forEach((e) => mark(e, 'h'));
    this.ruler.replaceChildren(...ticks);
  }
}

interface Gap { gap: { to: number; why: Extract<Message, { t: 'gap' }>['why']; detail: string } }
const count = (data: Uint8Array): number => { let n = 0; for (let i = data.indexOf(10); i >= 0; i = data.indexOf(10, i + 1)) n++; return n; };
