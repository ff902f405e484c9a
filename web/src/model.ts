// What the page knows of an instance: tabs, hosts, commands, and how late it is there.
import { isComing, running } from './state';
import type { Command, Control, Host, Instance, Message, Tab } from './wire';

export const RATE_STEPS = 12;

export class Model {
  instance: string | null = null;
  project = '';
  role: 'view' | 'exec' = 'view';
  instances: Instance[] = [];
  hosts: Host[] = [];
  readonly tabs = new Map<string, Tab>();
  readonly commands = new Map<string, Command[]>();
  readonly more = new Map<string, boolean>();
  readonly rates = new Map<string, number[]>();
  greeted = false;
  /** When the connection was lost; null: it is there. */
  lost: number | null = null;
  ended = '';
  you = '';
  private skew_ = 0;
  private readonly now5_ = new Map<string, number>();
  /** Tabs of hosts that have not told their tabs on this connection: they are shown as they were. */
  private readonly kept_ = new Set<string>();

  /** Now, by the server's clock; without a connection the moment when it was lost: nothing counts then. */
  now(): number { return (this.lost ?? Date.now()) + this.skew_; }
  get open(): Tab[] { return [...this.tabs.values()].filter((t) => !t.closed_at); }
  get closed(): Tab[] { return [...this.tabs.values()].filter((t) => t.closed_at); }
  host(t: Tab): Host | undefined { return t.host ? this.hosts.find((x) => x.name === t.host) : undefined; }
  of(tab: string): Command[] { return this.commands.get(tab) ?? []; }

  take(m: Message): void {
    switch (m.t) {
      case 'hello': this.hello_(m); break;
      case 'instances': this.instances = m.instances; break;
      case 'tabs': {
        const was = new Map(this.tabs);
        this.tabs.clear();
        this.kept_.clear();
        for (const tab of m.tabs) this.put_(tab, was.get(tab.id));
        for (const [id, tab] of was) if (!this.tabs.has(id) && isComing(this.host(tab))) { this.tabs.set(id, tab); this.kept_.add(id); }
        break;
      }
      case 'tab': this.kept_.delete(m.tab.id); this.put_(m.tab, this.tabs.get(m.tab.id)); break;
      case 'gone': this.kept_.delete(m.tab ?? ''); this.tabs.delete(m.tab ?? m.id ?? ''); break;
      case 'commands': this.newest_(m); break;
      case 'command': this.command(m.tab, m.command); break;
      case 'withdrawn': this.drop_(m.tab, (c) => c.id === m.command); break;
      case 'control': {
        const tab = this.tabs.get(m.tab);
        if (tab) this.tabs.set(m.tab, { ...tab, control: { holder: m.holder, until: m.until ?? null } });
        break;
      }
      case 'host':
        this.hosts = this.hosts.some((x) => x.name === m.host.name) ? this.hosts.map((x) => (x.name === m.host.name ? m.host : x)) : [...this.hosts, m.host];
        if (m.host.state === 'up') for (const id of this.kept_) if (this.tabs.get(id)?.host === m.host.name) { this.kept_.delete(id); this.tabs.delete(id); }
        break;
      case 'size': {
        const tab = this.tabs.get(m.tab);
        if (tab) this.tabs.set(m.tab, { ...tab, cols: m.cols, rows: m.rows });
        break;
      }
      default: break;
    }
  }

  /** A person's hold is told from the last answer of either kind. */
  control(tab: string): Control | null { return this.tabs.get(tab)?.control ?? null; }
  mine(tab: string): boolean { return this.control(tab)?.holder?.kind === 'you'; }

  /** Bytes in the last 5 s, of tabs where that changed. */
  rate(told: Record<string, number>): void { for (const [tab, n] of Object.entries(told)) this.now5_.set(tab, n); }
  /** Every 5 s: one bar more for each tab that prints. */
  tick(): void {
    for (const tab of new Set([...this.rates.keys(), ...this.now5_.keys()])) {
      const bars = [...(this.rates.get(tab) ?? []), this.now5_.get(tab) ?? 0].slice(-RATE_STEPS);
      if (bars.some((b) => b)) this.rates.set(tab, bars); else { this.rates.delete(tab); this.now5_.delete(tab); }
    }
  }
  /** Without a connection nobody holds anything that is known. */
  dropControls(): void { for (const [id, t] of this.tabs) if (t.control) this.tabs.set(id, { ...t, control: null }); }

  private hello_(m: Extract<Message, { t: 'hello' }>): void {
    if (this.instance !== m.instance) for (const map of [this.tabs, this.commands, this.more, this.rates]) map.clear();
    this.instance = m.instance;
    this.project = m.project ?? m.instance ?? 'Terminally';
    this.role = m.role;
    this.you = m.you ?? '';
    this.hosts = m.hosts ?? [];
    this.instances = m.instances ?? this.instances;
    this.skew_ = m.now - Date.now();
    this.greeted = true;
    this.lost = null;
    this.ended = '';
  }
  private put_(tab: Tab, was: Tab | undefined): void {
    this.tabs.set(tab.id, tab.control === undefined && was ? { ...tab, control: was.control } : tab);
    const told = tab.command, known = told && this.of(tab.id).find((c) => c.id === told.id);
    if (!told || !known) return;   // a command comes by itself where it is watched; by this alone there would be holes
    const now = { ...known, ...told, text: known.text, lines: told.lines ?? known.lines };
    if (JSON.stringify(now) !== JSON.stringify(known)) this.command(tab.id, now);
  }
  /** The newest commands of a tab. Where others may stand between them and what is known, that is dropped: it is asked for again. */
  private newest_(m: Extract<Message, { t: 'commands' }>): void {
    const known = new Set(this.of(m.tab).map((c) => c.id)), apart = m.more && !m.commands.some((c) => known.has(c.id));
    if (apart) this.commands.delete(m.tab);
    else this.drop_(m.tab, (c) => running(c) && !m.commands.some((x) => x.id === c.id));   // what runs is among the newest: it was withdrawn
    for (const c of m.commands) this.command(m.tab, c);
    if (apart || !this.more.has(m.tab)) this.more.set(m.tab, m.more);
  }
  private drop_(tab: string, which: (c: Command) => boolean): void {
    if (this.of(tab).some(which)) this.commands.set(tab, this.of(tab).filter((c) => !which(c)));
  }
  /** In the order in which they stand in the log. */
  command(tab: string, c: Command): void {
    const all = this.commands.get(tab) ?? [], at = all.findIndex((x) => x.id === c.id);
    if (at >= 0) all[at] = c;
    else {
      let i = all.length;
      while (i > 0 && (all[i - 1].start > c.start || (all[i - 1].start === c.start && all[i - 1].at > c.at))) i--;
      all.splice(i, 0, c);
    }
    this.commands.set(tab, all);
  }
}
