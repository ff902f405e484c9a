// The screen of a tab as it is: xterm.js opened, at the pane's own size. Nothing typed reaches the tab unless it is yours.
import type { ITerminalInitOnlyOptions, ITerminalOptions, Terminal } from '@xterm/xterm';
import type { App } from './app';
import { Flow } from './flow';
import { fill, h } from './h';
import { fitLetters, looks, narrow, silence, theme } from './looks';
import { question } from './over';
import { visible } from './text';
import type { Frame, Message } from './wire';

const KEYS: [string, string][] = [['Esc', '\x1b'], ['Tab', '\t'], ['Ctrl', ''], ['↑', 'A'], ['↓', 'B'], ['←', 'D'], ['→', 'C'], ['^C', '\x03'], ['/', '/']];
export class Screen {
  readonly el: HTMLElement;
  readonly keys: HTMLElement;
  private readonly box_ = h('.xterm-box');
  private readonly under_ = h('.under');
  private term_: Terminal | null = null;
  private flow_ = new Flow();
  private writing_: Promise<void> = Promise.resolve();
  private mine_ = false;
  private ctrl_ = false;
  private dead_ = false;
  private plainWatch_ = false;

  constructor(private readonly app_: App, readonly tab: string, private readonly channel_: number, private readonly make_: (o: ITerminalOptions & ITerminalInitOnlyOptions) => Terminal) {
    this.el = h('.screen', { tabindex: 0, role: 'region', 'aria-label': 'Screen' }, this.box_, this.under_);
    this.keys = h('.keys', { role: 'toolbar', 'aria-label': 'Keys', hidden: true });
    this.drawKeys_();
  }
  dispose(): void {
    this.dead_ = true;
    this.app_.link.send({ t: 'unwatch', ch: this.channel_ });
    this.term_?.dispose();
    this.term_ = null;
  }

  /** Opened once it stands in the page. */
  async open(): Promise<void> {
    const t = this.app_.tab();
    this.term_ = this.make_(looks(t?.cols || 120, t?.rows || 40, (uri) => this.app_.openLink(uri)));
    const term = this.term_;
    silence(term);
    term.open(this.box_);
    term.textarea?.setAttribute('aria-label', 'Terminal');
    term.textarea?.setAttribute('tabindex', '-1');
    term.attachCustomKeyEventHandler((e) => this.mine_ && !(e.ctrlKey && e.shiftKey && e.key === 'Enter'));
    term.onData((data) => this.send_(data));
    term.onBinary((data) => this.send_(data));
    this.box_.addEventListener('paste', (e) => this.paste_(e), true);
    this.watch();
    this.fit();
    try {
      const { WebglAddon } = await import('@xterm/addon-webgl'), gl = new WebglAddon();
      gl.onContextLoss(() => gl.dispose());
      if (!this.dead_) term.loadAddon(gl);
    } catch { /* without WebGL the DOM draws it */ }
    if (!this.dead_) this.fit();
  }

  watch(): void {
    this.flow_ = new Flow();
    this.app_.link.ask({ t: 'watch', ch: this.channel_, tab: this.tab, from: this.plainWatch_ ? 'command' : 'screen' }).catch(() => {
      if (this.plainWatch_ || this.dead_ || !this.app_.live) return;
      this.plainWatch_ = true;     // this server sends no screen: the last command is played from its begin
      this.watch();
    });
    this.term_?.reset();
  }
  take(f: Frame): void {
    if (f.channel !== this.channel_ || !this.term_) return;
    const { from, bytes } = this.flow_.take(f.from, f.bytes), to = from + bytes.length;
    if (!bytes.length) return;
    this.write_(bytes, () => {
      const ack = this.flow_.drawn(to, true);
      if (ack !== null) this.app_.link.send({ t: 'ack', ch: this.channel_, to: ack });
      if (this.mine_ && narrow()) this.showCursor_();
    });
  }
  message(m: Message): void {
    if (m.t === 'screen' && m.ch === this.channel_) {
      this.flow_.skip(m.at);
      this.term_?.reset();
      this.resize_(m.cols, m.rows);
      if (m.alternate) this.write_('\x1b[?1049h');
      this.write_(m.ansi);
    } else if (m.t === 'gap' && m.ch === this.channel_ && m.to !== null) this.flow_.skip(m.to);
    else if (m.t === 'size' && m.tab === this.tab) this.resize_(m.cols, m.rows);
  }
  private write_(data: string | Uint8Array, then?: () => void): void {
    const { term_: term } = this;
    this.writing_ = this.writing_.then(() => new Promise((done) => { if (term && term === this.term_ && !this.dead_) term.write(data, () => { then?.(); done(); }); else done(); }));
  }
  private resize_(cols: number, rows: number): void {
    if (!this.term_ || (this.term_.cols === cols && this.term_.rows === rows)) return;
    this.term_.resize(cols, rows);
    this.fit();
  }

  /** The pane's size is the agents' business: letters shrink until it fits, between 14 and 9 px; below that one pans. */
  fit(): void {
    const { term_: term, el, box_: box } = this;
    if (!term || narrow()) return;
    fitLetters(term, () => box.offsetWidth > el.clientWidth - 40 || box.offsetHeight > el.clientHeight - 62);
  }
  /** Asks for the pane to be as large as what fits into this window now. */
  fitTab(): void {
    const cell = this.box_.querySelector('.xterm-screen')?.getBoundingClientRect(), { term_: term } = this;
    if (!cell || !term) return;
    const cols = Math.floor((this.el.clientWidth - 56) / (cell.width / term.cols)), rows = Math.floor((this.el.clientHeight - 80) / (cell.height / term.rows));
    void this.app_.request({ t: 'resize', tab: this.tab, cols: Math.max(20, Math.min(500, cols)), rows: Math.max(5, Math.min(200, rows)) });
  }
  themed(): void { if (this.term_) this.term_.options.theme = theme(); }

  draw(): void {
    const mine = this.app_.mine() && this.app_.live, t = this.app_.tab();
    if (mine !== this.mine_) this.hold_(mine);
    this.el.classList.toggle('mine', mine);
    fill(this.under_, h('span.num', {}, `${this.term_?.cols ?? t?.cols ?? 0} × ${this.term_?.rows ?? t?.rows ?? 0}`),
      h('span', {}, mine ? ['Every key goes to the tab, also Esc and Ctrl C. ', h('kbd', {}, 'Ctrl Shift Enter'), ' gives it back.'] : t?.alternate ? `${visible(t.foreground ?? 'A program')} has the screen. Look as you like: nothing you press reaches it.` : 'The screen as it is now.'),
      this.app_.mayType && !t?.closed_at ? h('button.btn.quiet', { title: 'Sets the tab to the size of this window. Programs in it will redraw.', onclick: () => this.fitTab() }, 'Fit the tab to this window') : null);
    this.keys.hidden = !mine;
  }
  private hold_(mine: boolean): void {
    this.mine_ = mine;
    if (!this.term_) return;
    this.term_.options.disableStdin = !mine;
    this.term_.options.screenReaderMode = mine && this.app_.settings.announce && matchMedia('(hover: hover)').matches && this.app_.reader;
    this.term_.textarea?.setAttribute('tabindex', mine ? '0' : '-1');
    if (mine) this.term_.focus(); else this.term_.blur();
  }
  private showCursor_(): void {
    const { term_: term, el } = this, screen = this.box_.querySelector('.xterm-screen');
    if (!term || !screen) return;
    const box = screen.getBoundingClientRect(), x = (term.buffer.active.cursorX / term.cols) * box.width, y = (term.buffer.active.cursorY / term.rows) * box.height;
    if (x < el.scrollLeft || x > el.scrollLeft + el.clientWidth - 40) el.scrollLeft = Math.max(0, x - el.clientWidth / 2);
    if (y < el.scrollTop || y > el.scrollTop + el.clientHeight - 40) el.scrollTop = Math.max(0, y - el.clientHeight / 2);
  }

  // ---- typing
  private send_(data: string): void {
    if (!this.mine_ || !data) return;
    if (this.ctrl_ && data.length === 1) { data = String.fromCharCode(data.toUpperCase().charCodeAt(0) & 31); this.ctrl_ = false; this.drawKeys_(); }
    const raw = new TextEncoder().encode(data);
    for (let at = 0; at < raw.length; at += 16_384) this.app_.link.send({ t: 'input', tab: this.tab, data: btoa(Array.from(raw.subarray(at, at + 16_384), (b) => String.fromCharCode(b)).join('')) });
    this.app_.typed();
  }
  private paste_(e: ClipboardEvent): void {
    const text = e.clipboardData?.getData('text/plain') ?? '';
    if (!this.mine_ || !/[\r\n]./s.test(text)) return;
    e.preventDefault();
    e.stopPropagation();
    const lines = text.split(/\r\n|\r|\n/);
    question(`Paste ${lines.length} lines?`, lines.slice(0, 10).join('\n') + (lines.length > 10 ? `\n… ${lines.length - 10} more` : ''), 'Paste', () => { this.term_?.focus(); this.term_?.paste(text); });
  }
  private drawKeys_(): void {
    fill(this.keys, KEYS.map(([label, data]) => h('button', { 'aria-pressed': label === 'Ctrl' ? String(this.ctrl_) : null, onclick: () => this.pressed_(label, data), onpointerdown: (e: Event) => e.preventDefault() }, label)));
  }
  private pressed_(label: string, data: string): void {
    if (label === 'Ctrl') { this.ctrl_ = !this.ctrl_; this.drawKeys_(); return; }
    this.send_(/^[A-D]$/.test(data) ? `\x1b${this.term_?.modes.applicationCursorKeysMode ? 'O' : '['}${data}` : data);
  }
}
