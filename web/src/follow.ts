// Whether the view follows the end. Only what a person does changes that. Pure.

const NEAR = 4;   // px: at the end

export class Follow {
  following = true;
  pausedAt = 0;
  missed = 0;

  /** The view was scrolled by a person: `fromEnd` px are below it. True: that changed something. */
  scrolled(fromEnd: number, up: boolean, now: number): boolean {
    if (this.following) return up && fromEnd > NEAR && this.pause(now);
    return fromEnd <= NEAR && !up && this.resume();
  }
  pause(now: number): boolean {
    if (!this.following) return false;
    this.following = false;
    this.pausedAt = now;
    this.missed = 0;
    return true;
  }
  resume(): boolean {
    const was = this.following;
    this.following = true;
    return !was;
  }
  lines(n: number): void { if (!this.following) this.missed += n; }
}
