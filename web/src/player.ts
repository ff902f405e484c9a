// Plays what a command printed again, with the pauses that it made.
import type { ITerminalInitOnlyOptions, ITerminalOptions, Terminal } from '@xterm/xterm';
import { PART, readLog, readTimes, type Part } from './api';
import { fill, h } from './h';
import { fitLetters, looks, silence } from './looks';
import { put } from './over';
import { bytesWithin, stepsOf, type Step } from './play';
import { counting } from './text';

const SPEEDS = [1, 2, 4, 8, 16], TICK_MS = 30, SKIP_MS = 5000;

export interface Played { tab: string; title: string; from: number; to: number; cols: number; rows: number; openLink(uri: string): void }

export class Player {
  private readonly box_ = h('.xterm-box');
  private readonly stage_ = h('.played', { tabindex: 0, role: 'region', 'aria-label': 'Screen' }, this.box_);
  private readonly controls_ = h('.acts');
  private readonly place_: HTMLInputElement = h('input', { type: 'range', min: 0, step: 100, 'aria-label': 'Time', oninput: (): void => this.go_(Number(this.place_.value)) });
  private readonly time_ = h('span.num');
  private readonly term_: Terminal;
  private steps_: Step[] = [];
  private part_: Part | null = null;
  private shown_: number;      // the next byte
  private step_ = 0;           // of `steps_`: the next
  private now_ = 0;            // ms since the begin, as it is played
  private speed_ = 0;
  private runs_ = true;
  private busy_ = false;
  private again_ = false;      // from the begin, once what is being written stands
  private ticker_ = 0;
  private last_ = 0;
  private trouble_ = '';

  constructor(private readonly of_: Played, make: (o: ITerminalOptions & ITerminalInitOnlyOptions) => Terminal) {
    this.shown_ = of_.from;
    this.term_ = make(looks(of_.cols, of_.rows, of_.openLink));
    silence(this.term_);
  }

  async open(): Promise<void> {
    const sheet = h('.sheet.player', { role: 'dialog', 'aria-label': `Play ${this.of_.title}`, tabindex: -1, onkeydown: (e: KeyboardEvent) => this.key_(e) }, h('h2.mono', {}, this.of_.title), this.stage_, this.place_, this.controls_);
    put(sheet, sheet, () => this.close_());
    this.term_.open(this.box_);
    this.term_.textarea?.setAttribute('tabindex', '-1');
    this.term_.textarea?.setAttribute('aria-label', 'Terminal');
    fitLetters(this.term_, () => this.box_.offsetWidth > this.stage_.clientWidth || this.box_.offsetHeight > this.stage_.clientHeight);
    this.draw_();
    try {
      this.steps_ = stepsOf(await readTimes(this.of_.tab, this.of_.from, this.of_.to), this.of_.from, this.of_.to);
    } catch (e) { this.trouble_ = (e as Error).message; }
    this.place_.max = String(Math.ceil(this.length_ / 100) * 100);   // of whole steps
    this.last_ = performance.now();
    this.ticker_ = window.setInterval(() => void this.tick_(), TICK_MS);
    this.draw_();
  }
  private close_(): void {
    clearInterval(this.ticker_);
    this.ticker_ = 0;
    this.term_.dispose();
  }

  private get length_(): number { return this.steps_.at(-1)?.at ?? 0; }
  private get atEnd_(): boolean { return this.step_ >= this.steps_.length; }
  private get open_(): boolean { return this.ticker_ !== 0; }

  // Time goes on only where what is due stands there.
  private async tick_(): Promise<void> {
    const since = performance.now() - this.last_;
    this.last_ += since;
    if (this.busy_) return;
    if (this.runs_) this.now_ = Math.min(this.length_, this.now_ + since * SPEEDS[this.speed_]);
    this.busy_ = true;
    try {
      await this.show_();
    } catch (e) {
      this.trouble_ = (e as Error).message;
      this.runs_ = false;
    }
    this.busy_ = false;
    if (this.atEnd_) this.runs_ = false;
    if (this.open_) this.draw_();
  }
  private async show_(): Promise<void> {
    if (this.again_) {
      this.again_ = false;
      this.term_.reset();
      this.shown_ = this.of_.from;
      this.step_ = 0;
    }
    let to = this.shown_;
    while (!this.atEnd_ && this.steps_[this.step_].at <= this.now_) to = this.steps_[this.step_++].to;
    while (this.shown_ < to && this.open_) await this.write_(to);
  }
  private async write_(to: number): Promise<void> {
    if (!this.part_ || this.shown_ < this.part_.from || this.shown_ >= this.part_.next) {
      this.part_ = await readLog(this.of_.tab, this.shown_, Math.min(this.of_.to, this.shown_ + PART));
      if (this.part_.next <= this.shown_) { this.shown_ = to; return; }   // the log has nothing more
    }
    const end = Math.min(to, this.part_.next);
    for (const bytes of bytesWithin(this.part_, this.shown_, end)) {
      if (this.open_) await new Promise<void>((done) => { this.term_.write(bytes, done); });
    }
    this.shown_ = end;
  }

  private go_(ms: number): void {
    const to = Math.max(0, Math.min(ms, this.length_));
    this.again_ ||= to < this.now_;
    this.now_ = to;
    this.draw_();
  }
  private toggle_(): void {
    if (!this.runs_ && this.atEnd_) this.go_(0);
    this.runs_ = !this.runs_;
    this.trouble_ = '';
    this.draw_();
  }
  private key_(e: KeyboardEvent): void {
    if (e.target instanceof HTMLButtonElement || e.target === this.place_) return;   // these have their own
    if (e.key === ' ') this.toggle_(); else if (e.key === 'ArrowLeft') this.go_(this.now_ - SKIP_MS); else if (e.key === 'ArrowRight') this.go_(this.now_ + SKIP_MS); else return;
    e.preventDefault();
  }
  private draw_(): void {
    const text = `${counting(this.now_)} of ${counting(this.length_)}`;
    this.place_.value = this.atEnd_ && !this.again_ ? this.place_.max : String(this.now_);
    this.place_.setAttribute('aria-valuetext', text);
    this.time_.textContent = text;
    fill(this.controls_, h('button.btn.primary', { onclick: () => this.toggle_() }, this.runs_ ? 'Pause' : this.atEnd_ ? 'Play again' : 'Play'),
      h('button.btn', { title: 'How fast', onclick: () => { this.speed_ = (this.speed_ + 1) % SPEEDS.length; this.draw_(); } }, `${SPEEDS[this.speed_]} ×`),
      this.time_, h('span.quietly', { role: 'status' }, this.trouble_));
  }
}
