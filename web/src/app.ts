// The page as a whole: what is selected and shown, and what becomes of messages and presses. The parts draw themselves.
import { downloadLink, nameInstance, readPlain } from './api';
import { empty, entry } from './empty';
import { Find } from './find';
import { $, fill, h } from './h';
import { banner, bannerNodes, head } from './head';
import { key } from './keys';
import { Link } from './link';
import { Model } from './model';
import { help, menu, palette, prompt, question, type Over } from './over';
import { Pace } from './pace';
import type { Page, View } from './page';
import { Player } from './player';
import { rail } from './rail';
import { readRoute, writeRoute, type Route } from './route';
import { looksChanged } from './rows';
import { announce, newsOf } from './say';
import { Screen } from './screen';
import { keepSettings, readSettings, type Settings } from './settings';
import { cancellable, isComing, isLost, running, waits } from './state';
import { clock, firstLine, many, visible } from './text';
import { Transcript } from './transcript';
import type { Command, Frame, Message, Tab } from './wire';

const HIDDEN_MS = 30_000, HOLD_MS = 30_000, KILL_MS = 1000, COPY_BYTES = 8 << 20, PLAY_BYTES = 32 << 20, RATE_MS = 5000, STILL_MS = 20_000, PARSED_MS = 100;
type Make = typeof import('./terminal').make;

export class App implements Page {
  readonly model = new Model();
  readonly link: Link;
  readonly find: Find;
  readonly settings: Settings = readSettings();
  selected: string | null = null;
  list: Transcript | null = null;
  private screen_: Screen | null = null;
  private choice_: View | null = null;
  private shown_: View | 'empty' | null = null;
  private channel_ = 0;
  private route_: Route | null = readRoute(location.hash);
  readonly pace = new Pace();
  private paced_ = 0;         // the timer of a drawing that waits
  private framed_ = false;    // it is drawn in the next frame, or in this one
  private again_: boolean | null = null;   // once more after that: true: at once
  private drawn_: (() => void)[] = [];
  private rest_ = 0;
  private whole_ = true;
  private away_ = false;
  private awayTimer_ = 0;
  private noteTimer_ = 0;
  private tickTimer_ = 0;
  private readonly cancelled_ = new Map<string, number>();
  private lastKey_ = 0;
  showClosed = false;
  detailed: string | null = null;
  marks: RegExp | null = null;
  again = 0;
  private entering_: string | null = null;   // the project that was asked for, until it says hello
  /** A screen reader may be there: somebody moved by keys. */
  reader = false;

  constructor(private readonly make_: Promise<Make>, instance: string | null) {
    this.link = new Link({ message: (m) => this.told_(m), frame: (f) => this.frame_(f), up: () => undefined, down: (again, reason) => this.down_(again, reason) },
      () => {
        const name = this.entering_ ?? this.model.instance ?? instance;
        this.entering_ = null;   // a new connection tells nothing of the project that was left
        return { t: 'hello', v: 1, instance: name ?? undefined };
      });
    this.find = new Find(this, $('find'));
    this.look_();
    addEventListener('keydown', (e) => { if (e.key === 'Tab') this.reader = true; key(this, e); });
    addEventListener('hashchange', () => { this.route_ = readRoute(location.hash); this.follow_(); });
    addEventListener('resize', () => { this.letters_(); this.screen_?.fit(); this.changed(); });
    addEventListener('pagehide', () => { if (this.mine()) this.link.send({ t: 'give', tab: this.selected }); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.look_());
    document.addEventListener('visibilitychange', () => this.visibility_());
    setInterval(() => this.model.tick(), RATE_MS);
    this.link.connect();
    this.changed();
  }

  // ---- what the parts ask
  get live(): boolean { return this.link.live && this.model.lost === null; }
  get mayType(): boolean { return this.model.role === 'exec'; }
  get view(): View {
    const t = this.tab();
    return this.choice_ ?? (this.mine() || (t?.alternate && t.command && running(t.command)) ? 'screen' : 'commands');
  }
  now(): number { return this.model.now(); }
  tab(): Tab | undefined { return this.selected === null ? undefined : this.model.tabs.get(this.selected); }
  mine(): boolean { return this.selected !== null && this.model.mine(this.selected); }
  waiting(): Tab[] { return this.model.open.filter((t) => t.command && waits(t.command)); }
  runningHere(): Command | undefined { return this.selected === null ? undefined : this.model.of(this.selected).findLast(cancellable); }
  nameOf(c: Command): string { return visible(firstLine(c.text)).slice(0, 80); }
  timeOf(tab: string, byte: number): number | null { return tab === this.selected ? this.list?.time(byte) ?? null : null; }
  holdLeft(): number { return (this.model.control(this.selected ?? '')?.until ?? this.lastKey_ + HOLD_MS) - this.now(); }
  changed(): void {
    this.whole_ = true;
    this.drawSoon_(true);
  }
  output(): void { this.drawSoon_(false); }
  drawn(): Promise<void> {
    this.output();
    return new Promise((done) => { this.drawn_.push(done); });
  }
  // What came by itself: that it is about the whole page makes it no more urgent.
  private news_(): void {
    this.whole_ = true;
    this.output();
  }
  private drawSoon_(atOnce: boolean): void {
    if (this.framed_) { this.again_ = atOnce || this.again_ === true; return; }
    const wait = atOnce ? 0 : this.pace.wait(performance.now());
    if (wait > 0) { this.paced_ ||= window.setTimeout(() => this.drawSoon_(true), wait + PARSED_MS); return; }
    clearTimeout(this.paced_);
    this.paced_ = 0;
    this.framed_ = true;
    const go = () => this.drawNow_();
    if (document.hidden) setTimeout(go, 200); else requestAnimationFrame(go);
  }
  private drawNow_(): void {
    const began = performance.now();
    this.again_ = null;
    setTimeout(() => this.drewAt_(began));   // when the browser has laid it out and painted it
    this.draw();
  }
  private drewAt_(began: number): void {
    const now = performance.now();
    this.framed_ = false;
    this.pace.drew(began, now);
    clearTimeout(this.rest_);
    this.rest_ = window.setTimeout(() => this.goOn_(), this.pace.wait(now));
    if (this.again_ !== null) this.drawSoon_(this.again_);
  }
  private goOn_(): void {
    clearTimeout(this.rest_);
    for (const done of this.drawn_.splice(0)) done();
  }
  say(text: string): void { if (this.settings.announce && text) announce(text); }
  note(text: string): void {
    const at = $('note');
    at.textContent = text;
    at.hidden = false;
    clearTimeout(this.noteTimer_);
    this.noteTimer_ = window.setTimeout(() => { at.hidden = true; }, 5000);
  }
  /** A request whose failure is told in a line. */
  request(message: object): Promise<boolean> { return this.link.ask(message).then(() => true, (e: Error) => { this.note(e.message); return false; }); }

  // ---- what the server says
  private told_(m: Message): void {
    if (this.entering_ !== null && ('tab' in m || m.t === 'tabs')) return;   // still of the project that is left
    const was = this.mine();
    if (m.t === 'command') {
      const tab = this.model.tabs.get(m.tab);
      this.say(newsOf(this.model.of(m.tab).find((c) => c.id === m.command.id), m.command, visible(tab?.name ?? m.tab)));
    } else if (m.t === 'tab' && m.tab.id !== this.selected && m.tab.command) {
      const old = this.model.tabs.get(m.tab.id)?.command;
      this.say(newsOf(old?.id === m.tab.command.id ? old : undefined, m.tab.command, visible(m.tab.name ?? m.tab.id)));
    }
    this.model.take(m);
    if (m.t === 'command' && m.tab === this.selected && !running(m.command)) { this.pace.calm(); this.goOn_(); }
    switch (m.t) {
      case 'hello': this.greeted_(); break;
      case 'tabs': this.follow_(); break;
      case 'tab': if (!this.selected || this.route_?.tab === m.tab.id) this.follow_(); break;
      case 'host': this.follow_(); break;
      case 'gone': if ((m.tab ?? m.id) === this.selected) this.select_(null); this.follow_(); break;
      case 'commands': if (m.tab === this.selected) this.arrive_(); break;
      case 'hits': this.find.take(m); break;
      case 'rate': this.model.rate(m.rates ?? m.rate ?? {}); break;
      case 'error': this.note(m.message); break;
      case 'bye': this.model.ended = `terminally-mcp ended at ${clock(this.now()).slice(0, 5)}.`; break;
      default: break;
    }
    this.list?.message(m);
    this.screen_?.message(m);
    if (was !== this.mine()) this.held_(was);
    this.news_();
  }
  private frame_(f: Frame): void { this.list?.take(f); this.screen_?.take(f); }
  private greeted_(): void {
    const asked = new URLSearchParams(location.search).get('instance');
    if (this.entering_ === this.model.instance) this.entering_ = null;
    if (this.entering_ !== null) return;   // one more was chosen meanwhile
    if (asked && asked !== this.model.instance) {
      this.note(`${visible(asked)} is not here any more.`);
      this.select_(null);
      this.route_ = null;
      history.replaceState(null, '', location.pathname);
    }
    $('app').hidden = false;   // another tab of this browser may have entered meanwhile
    $('gate').hidden = true;
    nameInstance(this.model.instance ?? '');
    this.find.resume();
    if (this.model.instance) history.replaceState(null, '', `?instance=${encodeURIComponent(this.model.instance)}${location.hash}`);
    if (this.selected && !this.away_) (this.shown_ === 'screen' ? this.screen_ : this.list)?.watch();
  }
  private down_(again: number, reason: string): void {
    this.again = again;
    if (this.model.greeted && this.model.lost === null) { this.model.lost = Date.now(); this.say('Connection lost'); }
    if (this.model.greeted && reason && !this.model.ended) this.note(reason);
    this.model.dropControls();
    void this.mayEnter_();
    this.changed();
  }
  /** A server that does not know this browser is not asked again and again. */
  private async mayEnter_(): Promise<void> {
    const answer = await fetch('/api/instances', { cache: 'no-store' }).catch(() => null);
    if (answer && (answer.status === 401 || answer.status === 403)) this.refused('This browser is not known here any more. terminally-mcp open prints a new link.');
  }
  refused(why: string): void {
    $('app').hidden = true;
    const at = $('gate');
    at.hidden = false;
    fill(at, entry(why));
  }
  private held_(was: boolean): void {
    if (was) { this.say('The tab was given back'); if (this.choice_ === 'screen') this.choice_ = null; } else { this.lastKey_ = this.now(); this.say('You have this tab'); }
  }

  // ---- what is shown
  /** Goes where the address says; without one to what is worth looking at first. */
  private follow_(): void {
    const { model, route_: route } = this;
    if (route && model.tabs.has(route.tab)) { if (route.tab !== this.selected) this.select_(route.tab); else this.arrive_(); return; }
    const coming = model.hosts.some((x) => isComing(x) && route?.tab.startsWith(`${x.name}:`));
    if (route && model.greeted && model.tabs.size && !coming) { this.note(`The tab ${visible(route.tab)} is not here any more.`); this.route_ = null; }
    if (this.selected && model.tabs.has(this.selected)) return;
    const newest = model.open.toSorted((a, b) => (b.last_output_at ?? b.created_at) - (a.last_output_at ?? a.created_at));
    this.select_((this.waiting()[0] ?? newest.find((t) => t.command && running(t.command)) ?? newest[0])?.id ?? null);
  }
  // The commands of the tab are known: now its address can be gone to.
  private arrive_(): void {
    const r = this.route_;
    if (!r || r.tab !== this.selected || !this.list || !this.model.commands.has(r.tab)) return;
    this.route_ = null;
    if (r.from !== undefined) void this.list.jump(r.from, r.to).then((found) => { if (!found) this.note('These bytes are not in the log any more.'); });
    else if (r.command && !this.list.jumpCommand(r.command)) this.note('This command is not known any more.');
    if (r.query) this.find.open(r.query);
  }
  private select_(id: string | null): void {
    if (this.mine()) this.give();
    this.unwatch_();
    this.list?.dispose();
    this.list = null;
    this.selected = id;
    this.choice_ = null;
    this.shown_ = null;
    this.detailed = null;
    this.find.moved();
    this.changed();
  }
  private unwatch_(): void {
    if (this.screen_) { this.screen_.dispose(); this.screen_ = null; } else if (this.list) this.link.send({ t: 'unwatch', ch: this.list.channel });
  }
  go(id: string): void {
    this.showRail(false);
    this.route_ = null;   // a tab of a host that was asked for and is not there yet
    history.replaceState(null, '', writeRoute({ tab: id }));
    if (id !== this.selected) this.select_(id); else if (this.view === 'commands') this.list?.end();
    this.changed();
  }
  show(view: View): void { if (view !== this.view) { this.choice_ = view; this.changed(); } }
  nextTab(way: number): void {
    const ids = this.model.open.map((t) => t.id), at = ids.indexOf(this.selected ?? '');
    if (ids.length) this.go(ids[(at + way + ids.length) % ids.length]);
  }
  nextWaiting(): void {
    const all = this.waiting(), next = all[(all.findIndex((t) => t.id === this.selected) + 1) % (all.length || 1)];
    if (!next) return;
    if (next.id !== this.selected) this.go(next.id);
    this.choice_ = 'commands';
    setTimeout(() => { this.list?.end(); document.querySelector<HTMLElement>('.ask .field')?.focus(); }, 200);
    this.changed();
  }
  jumpTo(tab: string, byte: number): void {
    this.choice_ = 'commands';
    this.route_ = { tab, from: byte };
    history.replaceState(null, '', writeRoute(this.route_));
    this.follow_();
    this.changed();
  }
  jumpCommand(tab: string, command: string): void {
    this.choice_ = 'commands';
    this.route_ = { tab, command };
    history.replaceState(null, '', writeRoute(this.route_));
    this.follow_();
    this.changed();
  }
  enterInstance(name: string): void {
    history.replaceState(null, '', `?instance=${encodeURIComponent(name)}`);
    this.select_(null);
    this.entering_ = name;
    void this.request({ t: 'hello', v: 1, instance: name }).then((done) => {
      if (done || this.entering_ !== name || !this.live) return;
      this.entering_ = null;   // refused: what was told of this one meanwhile is told again
      this.link.send({ t: 'hello', v: 1, instance: this.model.instance ?? undefined });
    });
  }
  mark(marks: RegExp | null): void {
    if (String(marks) === String(this.marks)) return;
    this.marks = marks;
    this.list?.redraw();
  }
  focusStage(): void { (this.shown_ === 'screen' ? this.screen_?.el : this.list?.el)?.focus(); }
  showRail(on: boolean): void { document.body.classList.toggle('rail-open', on); this.changed(); }
  showDetails(id: string): void { this.detailed = this.detailed === id ? null : id; this.changed(); }
  closeDetails(): boolean { const was = this.detailed !== null; this.detailed = null; this.changed(); return was; }

  // ---- what a person does
  cancel(tab: string, c: Command): void {
    if (!this.live) { this.note('Not connected. Nothing was sent.'); return; }
    const force = this.mayKill(c);
    if (!this.cancelled_.has(c.id)) this.cancelled_.set(c.id, Date.now());
    void this.request({ t: 'cancel', tab, command: c.id, force });
    setTimeout(() => this.changed(), KILL_MS);
    this.changed();
  }
  mayKill(c: Command): boolean {
    const at = this.cancelled_.get(c.id);
    return at !== undefined && Date.now() - at >= KILL_MS;
  }
  take(): void {
    const t = this.tab();
    if (!t || t.closed_at || !this.mayType || this.mine()) return;
    void this.request({ t: 'take', tab: t.id }).then((done) => { if (done && t.id === this.selected) this.show('screen'); });
  }
  give(): void { if (this.selected) void this.request({ t: 'give', tab: this.selected }); }
  typed(): void { this.lastKey_ = this.now(); const c = this.model.control(this.selected ?? ''); if (c?.until) c.until = Math.max(c.until, this.lastKey_ + HOLD_MS); }
  copy(text: string, told: string): void {
    navigator.clipboard?.writeText(text).then(() => this.note(told), () => this.note('The browser did not let this page copy.'));
  }
  copyOutput(c: Command): void {
    const t = this.tab(), end = c.end ?? this.list?.logEnd() ?? c.start;
    if (!t) return;
    if (end - c.start > COPY_BYTES) { this.note('This is more than 8 MB. Download it in place of copying.'); return; }
    readPlain(t.id, c.start, end).then((text) => this.copy(text, `The output of ${this.nameOf(c)} is copied.`), (e: Error) => this.note(e.message));
  }
  copyLink(route: Route): void { this.copy(`${location.origin}/${this.model.instance ? `?instance=${encodeURIComponent(this.model.instance)}` : ''}${writeRoute(route)}`, 'The link is copied.'); }
  downloadOutput(c: Command): void { const t = this.tab(); if (t) this.save_(downloadLink(t.id, 'plain', c.start, c.end ?? this.list?.logEnd())); }
  play(c: Command): void {
    const t = this.tab(), to = c.end ?? this.list?.logEnd() ?? c.start;
    if (!t) return;
    if (to <= c.start) { this.note(`${this.nameOf(c)} has printed nothing.`); return; }
    if (to - c.start > PLAY_BYTES) { this.note(`This is more than 32 MB. terminally-mcp export ${t.id} --asciicast makes a recording of the tab.`); return; }
    const title = visible(firstLine(c.text)) || 'Typed in the tab';
    void this.make_.then((make) => new Player({ tab: t.id, title, from: c.start, to, cols: t.cols, rows: t.rows, openLink: (uri) => this.openLink(uri) }, make).open());
  }
  download(view: 'raw' | 'plain'): void { if (this.selected) this.save_(downloadLink(this.selected, view)); }
  private save_(href: string): void { h('a', { href, download: '' }).click(); }
  openLink(uri: string): void {
    if (/^https?:\/\//i.test(uri)) question('Open this address?', uri, 'Open', () => { window.open(uri, '_blank', 'noopener,noreferrer'); });
  }

  openOver(which: Over): void { if (which === 'help') help(this); else palette(this); }
  openMenu(which: 'tab' | 'instances', at: HTMLElement): void {
    const t = this.tab();
    if (which === 'instances') {
      menu(at, 'Projects on this machine', this.model.instances.map((i) => ({ text: visible(i.project || i.name), sub: [i.running ? `${i.running} run` : '', i.waiting ? `${i.waiting} wait` : '', i.server === false ? 'no server' : ''].filter(Boolean).join(' · ') || many(i.tabs ?? 0, 'tab'), on: i.name === this.model.instance, act: () => { if (i.name !== this.model.instance) this.enterInstance(i.name); } })));
      return;
    }
    if (!t) return;
    const rows: { text: string; sub?: string; act(): void }[] = [
      { text: 'Download raw', act: () => this.download('raw') }, { text: 'Download plain', act: () => this.download('plain') }, { text: 'Copy link', act: () => this.copyLink({ tab: t.id }) },
      { text: this.view === 'screen' ? 'Commands' : 'Screen', sub: 's', act: () => this.show(this.view === 'screen' ? 'commands' : 'screen') },
    ];
    if (this.mayType && !t.closed_at) {
      rows.push({ text: 'Rename', act: () => prompt('Name of this tab', t.name ?? '', 'Rename', (name) => { if (name) void this.request({ t: 'rename', tab: t.id, name }); }) },
        { text: 'Fit the tab to this window', act: () => { this.show('screen'); setTimeout(() => this.screen_?.fitTab(), 300); } },
        { text: 'Redraw', act: () => { void this.request({ t: 'redraw', tab: t.id }); } },
        { text: 'Close', act: () => question('Close this tab?', `What runs in ${visible(t.name ?? t.id)} is ended. Its log stays.`, 'Close', () => { void this.request({ t: 'close', tab: t.id, force: true }); }, false) });
    }
    menu(at, 'This tab', rows);
  }

  // ---- looks
  set<K extends keyof Settings>(name: K, value: Settings[K]): void {
    this.settings[name] = value;
    keepSettings(this.settings);
    this.look_();
  }
  switchTheme(): void {
    const dark = this.settings.theme ? this.settings.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    this.set('theme', dark ? 'light' : 'dark');
  }
  private look_(): void {
    const root = document.documentElement, s = this.settings;
    if (s.theme) root.dataset.theme = s.theme; else delete root.dataset.theme;
    root.dataset.times = s.times;
    root.classList.toggle('nowrap', !s.wrap);
    looksChanged(`12.5px ${getComputedStyle(root).getPropertyValue('--mono')}`);
    this.letters_();
    this.list?.redraw();
    this.screen_?.themed();
    this.changed();
  }
  // Letters shrink from 12.5 to 11 px before a line of the pane's width has to wrap.
  private letters_(): void {
    const root = document.documentElement, t = this.tab();
    if (innerWidth > 760 && t) root.style.setProperty('--cell', `${Math.max(11, Math.min(12.5, Math.floor((($('stage').clientWidth - 102) / t.cols / 0.6) * 10) / 10))}px`);
    else root.style.removeProperty('--cell');
  }
  private visibility_(): void {
    clearTimeout(this.awayTimer_);
    if (document.hidden) {
      this.awayTimer_ = window.setTimeout(() => { if (this.shown_ === 'commands' && this.list) { this.away_ = true; this.link.send({ t: 'unwatch', ch: this.list.channel }); } }, HIDDEN_MS);
    } else if (this.away_) {
      this.away_ = false;
      if (this.live) this.list?.watch();
    }
    this.changed();
  }

  // ---- drawing
  draw(): void {
    const t = this.tab();
    if (this.whole_) { this.drawAround_(t); this.tick_(); }
    this.whole_ = false;
    this.drawStage_(t);
  }
  /** Draws again when time alone has changed something: each second what counts, else ages, which are minutes. */
  private tick_(): void {
    clearTimeout(this.tickTimer_);
    const { model } = this, counts = !this.live || this.mine() || model.hosts.some(isLost) || model.open.some((t) => t.command && running(t.command));
    const every = counts ? 1000 : STILL_MS;
    if (!document.hidden) this.tickTimer_ = window.setTimeout(() => this.news_(), every - performance.now() % every);
  }
  private drawAround_(t: Tab | undefined): void {
    const { body } = document;
    body.style.setProperty('--turned', `${Math.floor(this.now() / 1000) % 8 * 45}deg`);   // the ring of what runs; as an animation it would have all drawn 60 times a second
    body.classList.toggle('mine', this.mine());
    body.classList.toggle('stale', this.model.greeted && !this.live);
    body.classList.toggle('finding', this.find.shown);
    $('app').classList.toggle('finding', this.find.shown);
    $('rail').hidden = this.find.shown;
    if (!this.find.shown) fill($('rail'), ...rail(this));
    this.find.draw();
    fill($('head'), ...head(this));
    const b = banner(this), at = $('banner');
    at.className = b?.kind ?? '';
    fill(at, ...(b ? bannerNodes(b) : []));
    fill($('thumb'), ...this.thumb_(t));
    this.title_(t);
  }
  private drawStage_(t: Tab | undefined): void {
    const stage = $('stage'), want = t ? this.view : this.model.greeted ? 'empty' : null;
    if (want !== this.shown_) { this.shown_ = want; this.mount_(stage, want); }
    if (want === 'commands') this.list?.draw(); else if (want === 'screen') this.screen_?.draw();
  }
  private mount_(stage: HTMLElement, want: View | 'empty' | null): void {
    const hadScreen = this.screen_ !== null, id = this.selected;
    this.unwatch_();
    stage.replaceChildren();
    if (want === 'empty') stage.append(empty(this));
    if (!want || want === 'empty' || id === null) return;
    void this.make_.then((make) => {
      if (this.shown_ !== want || this.selected !== id) return;
      if (want === 'screen') {
        this.screen_ = new Screen(this, id, ++this.channel_, make);
        stage.replaceChildren(this.screen_.el, this.screen_.keys);
        void this.screen_.open();
      } else {
        const list = this.list ??= new Transcript(this, id, ++this.channel_, make);
        stage.replaceChildren(list.el, ...list.over);
        this.letters_();
        if (this.live) list.watch();
        if (hadScreen) list.follow.resume();
        this.arrive_();
      }
      this.changed();
    });
  }
  private thumb_(t: Tab | undefined): Node[] {
    if (!t || !this.mayType || t.closed_at) return [];
    if (this.mine()) return [h('button.btn.primary', { onclick: () => this.give() }, `Give back · ${Math.floor(Math.max(0, this.holdLeft()) / 60_000)}:${String(Math.floor(Math.max(0, this.holdLeft()) / 1000) % 60).padStart(2, '0')}`)];
    const c = this.runningHere();
    return c || (t.command && running(t.command)) ? [c ? h('button.btn.cancel', { disabled: !this.live, onclick: () => this.cancel(t.id, c) }, this.mayKill(c) ? 'Kill now' : 'Cancel') : null, h('button.btn', { disabled: !this.live, onclick: () => this.take() }, 'Take over')].filter((n): n is HTMLElement => n !== null) : [];
  }
  private title_(t: Tab | undefined): void {
    const n = this.waiting().length, name = visible(t?.name ?? t?.id ?? (this.model.project || 'Terminally')), left = this.holdLeft();
    const count = this.mine() && left <= 10_000 ? `${Math.max(0, Math.ceil(left / 1000))} s · ` : '';
    const title = `${count}${n ? `(${n}) ` : ''}${name === 'Terminally' ? '' : `${name} · `}Terminally`;
    if (document.title !== title) document.title = title;
  }
}
