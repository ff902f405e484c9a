// When which byte of a log was printed: what the server's index says, and what was seen here. Pure.

export class Times {
  private readonly at: number[] = [];   // bytes, ascending
  private readonly ms: number[] = [];

  /** Pairs [byte, ms]: from that byte on, what follows was printed then. */
  add(pairs: [number, number][]): void {
    for (const [byte, ms] of pairs) {
      const i = this.place(byte);
      if (i >= 0 && this.at[i] === byte) this.ms[i] = ms;
      else { this.at.splice(i + 1, 0, byte); this.ms.splice(i + 1, 0, ms); }
    }
  }
  /** Bytes from `byte` on came just now. A tenth of a second is as fine as anybody looks. */
  seen(byte: number, ms: number): void {
    const last = this.at.length - 1;
    if (last < 0 || (byte > this.at[last] && ms - this.ms[last] >= 100)) { this.at.push(byte); this.ms.push(ms); }
  }
  of(byte: number): number | null {
    const i = this.place(byte);
    return i < 0 ? null : this.ms[i];
  }

  // The last index whose byte is not behind `byte`.
  private place(byte: number): number {
    let low = -1, high = this.at.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.at[mid] <= byte) low = mid; else high = mid - 1;
    }
    return low;
  }
}
