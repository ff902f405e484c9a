// When which byte of a log was printed: what the server's index says, and what was seen here. Pure.

export class Times {
  private readonly at_: number[] = [];   // bytes, ascending
  private readonly ms_: number[] = [];

  /** Pairs [byte, ms]: from that byte on, what follows was printed then. */
  add(pairs: [number, number][]): void {
    for (const [byte, ms] of pairs) {
      const i = this.place_(byte);
      if (i >= 0 && this.at_[i] === byte) this.ms_[i] = ms;
      else { this.at_.splice(i + 1, 0, byte); this.ms_.splice(i + 1, 0, ms); }
    }
  }
  /** Bytes from `byte` on came just now. A tenth of a second is as fine as anybody looks. */
  seen(byte: number, ms: number): void {
    const last = this.at_.length - 1;
    if (last < 0 || (byte > this.at_[last] && ms - this.ms_[last] >= 100)) { this.at_.push(byte); this.ms_.push(ms); }
  }
  of(byte: number): number | null {
    const i = this.place_(byte);
    return i < 0 ? null : this.ms_[i];
  }

  // The last index whose byte is not behind `byte`.
  private place_(byte: number): number {
    let low = -1, high = this.at_.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.at_[mid] <= byte) low = mid; else high = mid - 1;
    }
    return low;
  }
}
