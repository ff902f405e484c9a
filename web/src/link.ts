// The socket to the server: connects, stays connected, and says when it is not. Nothing is ever sent again by itself.
import { delay } from './flow';
import { readFrame, type Frame, type Message } from './wire';

const QUIET_MS = 10_000, DEAD_MS = 25_000;

export interface LinkEvents {
  message(m: Message): void;
  frame(f: Frame): void;
  /** Connected: `hello` is the next message. */
  up(): void;
  /** The connection was lost, or could not be made; the next try begins at `again`, 0: now. */
  down(again: number, closed: string): void;
}

export class Link {
  private socket_: WebSocket | null = null;
  private tries_ = 0;
  private timer_ = 0;
  private heard_ = 0;
  private pinged_ = 0;
  private asked_ = 0;
  private readonly waiting_ = new Map<number, { done(): void; failed(e: Error): void }>();
  live = false;

  constructor(private readonly events_: LinkEvents, private readonly hello_: () => object) {
    for (const name of ['online', 'focus']) addEventListener(name, () => { if (!this.live) this.connect(); });
    setInterval(() => this.listen_(), QUIET_MS / 2);
  }

  connect(): void {
    if (this.socket_ && this.socket_.readyState <= WebSocket.OPEN) return;
    clearTimeout(this.timer_);
    const s = this.socket_ = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/live`, 'terminally.1');
    s.binaryType = 'arraybuffer';
    s.onopen = () => { this.heard_ = Date.now(); this.live = true; this.tries_ = 0; this.events_.up(); this.send(this.hello_()); };
    s.onmessage = ({ data }) => { this.heard_ = Date.now(); this.take_(data as string | ArrayBuffer); };
    s.onclose = ({ reason }) => { if (s === this.socket_) this.lost_(reason); };
  }

  /** False: not connected, and nothing was sent. */
  send(message: object): boolean {
    if (!this.live || !this.socket_) return false;
    this.socket_.send(JSON.stringify(message));
    return true;
  }
  /** Sends a request; resolves when it is done, fails in the server's words. */
  ask(message: object): Promise<void> {
    const re = ++this.asked_;
    if (!this.send({ ...message, re })) return Promise.reject(new Error('Not connected. Nothing was sent.'));
    return new Promise((done, failed) => this.waiting_.set(re, { done, failed }));
  }

  private take_(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      const frame = readFrame(data);
      if (frame) this.events_.frame(frame);
      return;
    }
    const m = JSON.parse(data) as Message;
    if (m.t === 'done' || m.t === 'error') {
      const asked = this.waiting_.get(Number(m.re));
      if (asked && m.re !== null) {
        this.waiting_.delete(Number(m.re));
        if (m.t === 'done') asked.done(); else asked.failed(Object.assign(new Error(m.message), { code: m.code }));
        return;
      }
    }
    this.events_.message(m);
  }

  private lost_(reason: string): void {
    const wait = delay(this.tries_++);
    this.live = false;
    this.socket_ = null;
    for (const { failed } of this.waiting_.values()) failed(new Error('The connection was lost. Whether it was done is not known.'));
    this.waiting_.clear();
    this.timer_ = window.setTimeout(() => this.connect(), wait);
    this.events_.down(Date.now() + wait, reason);
  }

  // A peer that died without a word is found by asking.
  private listen_(): void {
    if (!this.live) return;
    const quiet = Date.now() - Math.max(this.heard_, this.pinged_);   // a hidden page's timers run once a minute: what was not asked is not dead
    if (this.pinged_ > this.heard_) { if (quiet > DEAD_MS - QUIET_MS) { const s = this.socket_; this.lost_(''); s?.close(); } } else if (quiet > QUIET_MS) { this.pinged_ = Date.now(); this.ask({ t: 'ping' }).catch(() => undefined); }
  }
}
