// What stands in a block that waits for a person: a field for a line or a password, sent to that process alone.
import { h } from './h';
import { icon } from './icons';
import type { Page } from './page';
import { visible } from './text';
import type { Awaiting, Command } from './wire';

const LEFT_MS = 60_000, TWICE_MS = 700;   // a second press of Send would answer what is asked next

/** What is asked of one process. Its prompt may come after the wait, grow, or count down: what a person has typed by then stays. Not under another question. */
export interface Asking { key: string; el: HTMLElement; prompt(a: Awaiting): void }

export function ask(page: Page, tab: string, c: Command, a: Awaiting, was: Asking | null): Asking {
  const key = `${a.kind} ${a.pid} ${page.mayType}`;
  const asking = was?.key === key ? was : { key, ...asked(page, tab, c, a, key) };
  asking.prompt(a);
  return asking;
}

function asked(page: Page, tab: string, c: Command, a: Awaiting, key: string): Omit<Asking, 'key'> {
  const secret = a.kind === 'password';
  if (!page.mayType) {
    const el = h('.ask', { 'data-keep': key }, h('.what', {}, icon(secret ? 'password' : 'input'), `Waiting for ${secret ? 'a password' : 'input'}`),
      h('p', {}, 'This page may only look. To answer here, open it with ', h('b.mono', {}, 'terminally-mcp open --exec'), '.'));
    return { el, prompt: () => undefined };
  }
  const id = `ask-${c.id}`, says = h('p', { id: `${id}-says` }), told = h('p.told', { role: 'status', hidden: true });
  const field = h<HTMLInputElement>('input.field', {
    type: secret ? 'password' : 'text', id, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'data-1p-ignore': true, 'data-lpignore': 'true', 'data-form-type': 'other', 'aria-describedby': `${id}-says`,
    onkeydown: (e: KeyboardEvent) => { if (e.key === 'Escape') { field.value = ''; field.blur(); } e.stopPropagation(); },
  });
  let timer = 0, shown = a.prompt, sending = false, sent = 0;
  if (secret) {
    field.onblur = () => { timer = window.setTimeout(() => { field.value = ''; }, LEFT_MS); };
    field.onfocus = () => clearTimeout(timer);
  }
  const tell = (text: string) => { told.hidden = !text; told.textContent = text; };
  const send = (e: Event) => {
    e.preventDefault();
    if (sending || (!field.value && Date.now() - sent < TWICE_MS)) return;
    const text = field.value, asked = shown;
    sending = true;
    sent = Date.now();
    field.value = '';
    tell('');
    page.link.ask({ t: secret ? 'secret' : 'answer', tab, command: c.id, pid: a.pid, ...(secret ? {} : { prompt: asked }), text }).catch((x: Error & { code?: string }) => {
      tell(x.message || 'It no longer asks. Nothing was sent.');
      if (!secret && !field.value && shown === asked) field.value = text;
    }).finally(() => { sending = false; });
  };
  const who = visible(c.who?.name ?? 'somebody');
  if (secret) says.append('Process ', h('b.num', {}, String(a.pid)), ' of ', h('b', {}, who), '’s command. What you type goes to the terminal only: it is not logged, not stored, and no agent sees it.');
  else says.append('Process ', h('b.num', {}, String(a.pid)), ' of ', h('b', {}, who), '’s command. The line is sent with Enter.');
  const label = h('span');
  const prompt = (now: Awaiting) => {
    if (!secret && !isSame(shown, now.prompt)) field.value = '';
    shown = now.prompt || shown;   // somebody else ended the line: it asks the same
    label.replaceChildren(...(secret ? [h('span.mono', {}, visible(now.process ?? '')), ' asks for a password'] : [visible(shown.trim()) || `${visible(now.process ?? '')} waits for a line`]));
  };
  const el = h('.ask', { 'data-keep': key }, h('label.what', { for: id }, icon(secret ? 'password' : 'input'), label), says,
    h('form', { onsubmit: send, autocomplete: 'off' }, field, h('button.btn.primary', {}, 'Send'), h('button.btn.cancel', { type: 'button', onclick: () => page.cancel(tab, c) }, 'Cancel the command')), told);
  return { el, prompt };
}

/** Whether a prompt that was seen as `before` asks the same still. */
const isSame = (before: string, now: string): boolean => !now || now.startsWith(before) || now.replace(/\d/g, '') === before.replace(/\d/g, '');
