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
  private socket: WebSocket | null = null;
  private tries = 0;
  private timer = 0;
  private heard = 0;
  private asked = 0;
  private readonly waiting = new Map<number, { done(): void; failed(e: Error): void }>();
  live = false;

  constructor(private readonly events: LinkEvents, private readonly hello: () => object) {
    for (const name of ['online', 'focus']) addEventListener(name, () => { if (!this.live) this.connect(); });
    setInterval(() => this.listen(), QUIET_MS / 2);
  }

  connect(): void {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    clearTimeout(this.timer);
    const s = this.socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/live`, 'terminally.1');
    s.binaryType = 'arraybuffer';
    s.onopen = () => { this.heard = Date.now(); this.live = true; this.tries = 0; this.events.up(); this.send(this.hello()); };
    s.onmessage = ({ data }) => { this.heard = Date.now(); this.take(data as string | ArrayBuffer); };
    s.onclose = ({ reason }) => { if (s === this.socket) this.lost(reason); };
  }

  /** False: not connected, and nothing was sent. */
  send(message: object): boolean {
    if (!this.live || !this.socket) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
  /** Sends a request; resolves when it is done, fails in the server's words. */
  ask(message: object): Promise<void> {
    const re = ++this.asked;
    if (!this.send({ ...message, re })) return Promise.reject(new Error('Not connected. Nothing was sent.'));
    return new Promise((done, failed) => this.waiting.set(re, { done, failed }));
  }

  private take(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      const frame = readFrame(data);
      if (frame) this.events.frame(frame);
      return;
    }
    const m = JSON.parse(data) as Message;
    if (m.t === 'done' || m.t === 'error') {
      const asked = this.waiting.get(Number(m.re));
      if (asked && m.re !== null) {
        this.waiting.delete(Number(m.re));
        if (m.t === 'done') asked.done(); else asked.failed(Object.assign(new Error(m.message), { code: m.code }));
        return;
      }
    }
    this.events.message(m);
  }

  private lost(reason: string): void {
    const wait = delay(this.tries++);
    this.live = false;
    this.socket = null;
    for (const { failed } of this.waiting.values()) failed(new Error('The connection was lost. Whether it was done is not known.'));
    this.waiting.clear();
    this.timer = window.setTimeout(() => this.connect(), wait);
    this.events.down(Date.now() + wait, reason);
  }

  // A peer that died without a word is found by asking.
  private listen(): void {
    if (!this.live) return;
    const quiet = Date.now() - this.heard;
    if (quiet > DEAD_MS) { const s = this.socket; this.lost(''); s?.close(); } else if (quiet > QUIET_MS) this.ask({ t: 'ping' }).catch(() => undefined);
  }
}
