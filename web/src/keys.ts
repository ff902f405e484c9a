// The keyboard: off while a field or the taken tab has the focus. One-letter keys can be turned off (WCAG 2.1.4).
import type { App } from './app';
import { closeOver, isOver } from './over';

const TWICE_MS = 3000;
let firstCtrlC = { of: '', at: 0 };

export function key(app: App, e: KeyboardEvent): void {
  const mod = e.ctrlKey || e.metaKey, target = e.target as Element;
  if (mod && e.shiftKey && e.key === 'Enter') { e.preventDefault(); if (app.mine()) app.give(); else app.take(); return; }
  if (app.mine() && target.closest('.xterm-box')) return;
  if (mod && e.key.toLowerCase() === 'k' && !e.shiftKey) { e.preventDefault(); app.openOver('palette'); return; }
  if (isOver()) { if (e.key === 'Escape') closeOver(); return; }
  const field = target.closest('input, textarea, select, [role="menu"]') !== null && !target.closest('.xterm-box');   // a screen that one looks at takes no keys
  if (mod && e.key === 'f' && !e.shiftKey && !app.find.shown) { e.preventDefault(); app.find.open(); return; }
  if (field || e.altKey) return;
  if (mod) { if (e.key === 'c' && e.ctrlKey && getSelection()?.isCollapsed && !target.closest('.xterm-box')) ctrlC(app); return; }
  if (act(app, e)) e.preventDefault();
}

function ctrlC(app: App): void {
  const c = app.runningHere(), t = app.tab();
  if (!c || !t || !app.mayType) return;
  const of = `${t.id} ${c.id}`;   // what the note named
  if (firstCtrlC.of === of && Date.now() - firstCtrlC.at < TWICE_MS) { firstCtrlC.of = ''; app.cancel(t.id, c); return; }
  firstCtrlC = { of, at: Date.now() };
  app.note(`Press Ctrl C again to cancel ${app.nameOf(c)}`);
}

function act(app: App, e: KeyboardEvent): boolean {
  const list = app.list, target = e.target as Element;
  switch (e.key) {
    case 'Escape': if (!closeOver() && !app.closeDetails() && app.find.shown) app.find.close(); return true;
    case 'End': app.show('commands'); list?.end(); return true;
    case 'Enter': if (target.closest('button, a')) return false; list?.toggle(); return true;
    default: break;
  }
  if (!app.settings.single || e.key.length !== 1) return false;
  const c = list?.current(), t = app.tab();
  switch (e.key) {
    case '/': app.find.open(); break;
    case '?': app.openOver('help'); break;
    case '[': app.nextTab(-1); break;
    case ']': app.nextTab(1); break;
    case 'W': app.nextWaiting(); break;
    case 'j': list?.step(1, false); break;
    case 'k': list?.step(-1, false); break;
    case 'e': list?.step(1, true); break;
    case 'E': list?.step(-1, true); break;
    case 'n': app.find.step(1); break;
    case 'N': app.find.step(-1); break;
    case 'g': void list?.start(); break;
    case 'i': if (c) app.showDetails(c.id); break;
    case 'c': if (c) app.copyOutput(c); break;
    case 'l': if (c && t) app.copyLink({ tab: t.id, command: c.id }); break;
    case 'd': if (c) app.downloadOutput(c); break;
    case 'P': if (c) app.play(c); break;
    case 's': app.show(app.view === 'screen' ? 'commands' : 'screen'); break;
    case 'w': app.set('wrap', !app.settings.wrap); break;
    case 't': app.set('times', app.settings.times === 'clock' ? 'since' : app.settings.times === 'since' ? 'none' : 'clock'); break;
    default: return false;
  }
  return true;
}
