// How often the page is drawn: each frame, but less often while a tab is flooded, so that what prints has the most of the machine. Pure.

export const MUCH = 64 * 1024;   // bytes for one drawing
const FLOOD = 2 * MUCH, PARTS = 12, LONGEST_MS = 1500;

export class Pace {
  private fed_ = 0;
  private until_ = 0;
  private flooded_ = false;
  private printed_ = 0;
  private rested_ = 0;   // what was printed at the last rest

  /** So many bytes are to be drawn, and so many more are here. `printed` grows with what is known to have been printed. True: they are
   *  enough for one drawing. */
  feed(bytes: number, more: number, printed: number): boolean {
    this.fed_ += bytes;
    this.printed_ = printed;
    this.flooded_ = more > FLOOD && printed !== this.rested_;   // else that is what a flood has left
    return this.fed_ >= MUCH;
  }
  /** They were drawn, from `began` to `ended`. */
  drew(began: number, ended: number): void {
    if (this.flooded_ && this.fed_ >= MUCH) {
      this.until_ = ended + Math.min(LONGEST_MS, PARTS * (ended - began));
      this.rested_ = this.printed_;
    }
    this.fed_ = 0;
  }
  /** How many ms from `now` the next drawing waits, unless a person asked for it. */
  wait(now: number): number { return Math.max(0, this.until_ - now); }
  /** Nothing prints any more. */
  calm(): void {
    this.flooded_ = false;
    this.until_ = 0;
  }
}
