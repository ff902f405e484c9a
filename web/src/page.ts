// What the parts of the page may ask of the whole: implemented by app.ts.
import type { Link } from './link';
import type { Model } from './model';
import type { Pace } from './pace';
import type { Route } from './route';
import type { Command, Tab } from './wire';

export type View = 'commands' | 'screen';

export interface Page {
  readonly model: Model;
  readonly link: Link;
  readonly pace: Pace;
  readonly live: boolean;
  /** The role allows typing and cancelling. */
  readonly mayType: boolean;
  readonly view: View;
  detailed: string | null;
  /** The pattern whose hits are marked, null: none. */
  marks: RegExp | null;

  now(): number;
  tab(): Tab | undefined;
  /** The tab is this page's, to type into. */
  mine(): boolean;
  /** The next frame is to show it. */
  changed(): void;
  /** Something in the stage alone is to be drawn, when there is time for it. */
  output(): void;
  /** Waits until that was drawn, and there is time for more. */
  drawn(): Promise<void>;
  go(tab: string): void;
  show(view: View): void;
  say(text: string): void;
  /** A line at the lower end that goes by itself. */
  note(text: string): void;

  cancel(tab: string, c: Command): void;
  mayKill(c: Command): boolean;
  take(): void;
  copy(text: string, told: string): void;
  copyOutput(c: Command): void;
  copyLink(route: Route): void;
  downloadOutput(c: Command): void;
  /** Shows what it printed again, with the pauses that it made. */
  play(c: Command): void;
  showDetails(id: string): void;
  /** Asks whether to open an address that a program printed. */
  openLink(address: string): void;
}
