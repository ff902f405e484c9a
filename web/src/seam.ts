// A seam: bytes that are not shown here, how many, why, and what can be done about it.
import { h } from './h';
import { bytes, many } from './text';
import type { Why } from './wire';

export interface SeamActions { show(seam: Seam, how: 'more' | 'start' | 'all'): void; download(from: number, to: number): string }

const BULK = 1 << 20;

export class Seam {
  readonly el = h('.seam');
  busy = false;
  /** It was told whether it is in view: what is in view from the start is not loaded for that. */
  passed = false;

  /** `why` null: the bytes are in the log, and can be shown. */
  constructor(public from: number, public to: number, readonly why: Why | null, private readonly actions_: SeamActions, public lines: number | null = null, private readonly detail_ = '') {
    (this.el as HTMLElement & { seam?: Seam }).seam = this;
    this.draw();
  }

  get loadable(): boolean { return this.why === null || this.why === 'skipped'; }

  draw(): void {
    const size = this.to - this.from, act = (text: string, how: 'more' | 'start' | 'all') => h('button', { onclick: () => this.actions_.show(this, how) }, text);
    const download = h('a.do', { href: this.actions_.download(this.from, this.to), download: '' }, 'Download');
    this.el.className = `seam${this.why ? ' loud' : ''}`;
    let kids: Node[] = [], text = '';
    if (this.why === 'lost') text = `${size ? bytes(size) : 'Some output'} lost${this.detail_ ? `: ${this.detail_}` : ' here'}`;
    else if (this.why === 'removed') text = `${bytes(size)} removed by the log’s quota`;
    else if (this.why === 'unknown') text = 'Some output lost here: the log’s writer was gone';
    else if (this.why === 'skipped') { text = `${bytes(size)} not shown: ${this.detail_ || 'the page was behind'}`; kids = [act('Show', size > BULK ? 'more' : 'all'), download]; }
    else if (this.lines !== null) { text = many(this.lines, 'earlier line'); kids = [act('Show', 'all')]; }
    else if (size <= BULK) { text = `${bytes(size)} earlier`; kids = [act('Show', 'all')]; }
    else { text = `${bytes(size)} earlier`; kids = [act('Show 1 MB more', 'more'), act('From the start', 'start')]; }
    this.el.replaceChildren(text, ...kids);
  }
}
