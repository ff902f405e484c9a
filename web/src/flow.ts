// What one channel has got of a log: each byte once, in order; and what may be acknowledged. Pure.

const ACK_EVERY = 32 * 1024;

export class Flow {
  /** The next byte that is wanted; null: whatever comes first. */
  constructor(public next: number | null = null) {}

  private told_ = 0;

  /** What of a frame is new. `missing`: bytes before it never came, and nobody said so. */
  take(from: number, bytes: Uint8Array): { from: number; bytes: Uint8Array; missing: number } {
    const wanted = this.next ?? from;
    if (from + bytes.length <= wanted) return { from: wanted, bytes: bytes.subarray(0, 0), missing: 0 };
    const fresh = from < wanted ? bytes.subarray(wanted - from) : bytes;
    const at = Math.max(from, wanted);
    this.next = at + fresh.length;
    return { from: at, bytes: fresh, missing: at - wanted };
  }

  /** A gap was told: bytes go on at `to`. */
  skip(to: number): void { this.next = to; }

  /** All up to `to` is drawn. Returns what to acknowledge, if it is worth a message. */
  drawn(to: number, idle: boolean): number | null {
    if (to <= this.told_ || (!idle && to - this.told_ < ACK_EVERY)) return null;
    this.told_ = to;
    return to;
  }
}

/** How long to wait before the n-th try to connect again, in ms. */
export const delay = (n: number): number => [500, 1000, 2000, 4000][n] ?? 5000;
