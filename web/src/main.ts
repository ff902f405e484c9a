// Entry: a one-time code in the fragment becomes a cookie; then the page.
import { App } from './app';
import { entry } from './empty';
import { $, fill } from './h';

/** Why the code lets nobody in; empty: there is none; null: it did. */
async function enter(): Promise<string | null> {
  const code = location.hash.slice(1);
  if (!code || code.startsWith('/')) return '';
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch('/enter', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code }) }).catch(() => null);
  if (answer?.ok) return null;
  return answer ? 'This link was used already. terminally-mcp open prints a new one.' : 'terminally-mcp does not answer. terminally-mcp open starts it again.';
}

/** Whether this browser is known: a used link does no harm where it is. */
async function known(): Promise<boolean> {
  const answer = await fetch('/api/instances', { cache: 'no-store' }).catch(() => null);
  return answer !== null && answer.status !== 401 && answer.status !== 403;
}

/** What stands in the document is on the screen: xterm.js takes its time to come alive. */
function painted(): Promise<void> {
  return new Promise((done) => { if (document.hidden) done(); else requestAnimationFrame(() => setTimeout(done)); });
}

async function main(): Promise<void> {
  const make = painted().then(() => import('./terminal')).then((m) => m.make);
  const refused = await enter();
  if (refused === null || await known()) {
    const app = new App(make, new URLSearchParams(location.search).get('instance'));
    if (refused) app.note(refused);
    return;
  }
  $('app').hidden = true;
  $('gate').hidden = false;
  fill($('gate'), entry(refused || 'A link with a code opens this page, once. terminally-mcp open prints one.'));
}
void main();
