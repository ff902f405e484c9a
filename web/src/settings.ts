// What a person set on this browser. Nothing else is kept in it.
export interface Settings { theme: '' | 'light' | 'dark'; single: boolean; announce: boolean; wrap: boolean; times: 'clock' | 'since' | 'none' }
const KEY = 'terminally';
const FIRST: Settings = { theme: '', single: true, announce: true, wrap: true, times: 'clock' };

export function readSettings(): Settings {
  try { return { ...FIRST, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Settings> }; } catch { return { ...FIRST }; }
}
export function keepSettings(s: Settings): void {
  try { localStorage.setItem(KEY, JSON.stringify(s)); } catch { /* a browser that keeps nothing */ }
}
