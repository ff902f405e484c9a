// How a terminal of the page looks: its colours, letters that fit, and no answers to what programs ask.
import type { ITerminalInitOnlyOptions, ITerminalOptions, Terminal } from '@xterm/xterm';
import { readTokens, css } from './colours';
import { h } from './h';

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

export const narrow = (): boolean => matchMedia('(max-width: 760px)').matches;

export function theme(): ITerminalOptions['theme'] {
  const t = readTokens(), out: Record<string, string> = {};
  NAMES.forEach((n, i) => { out[n] = css(t.ansi[i]); out[`bright${n[0].toUpperCase()}${n.slice(1)}`] = css(t.ansi[i + 8]); });
  const probe = document.body.appendChild(h('span')), read = (name: string) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
  const colours = { ...out, background: css(t.bg), foreground: css(t.t1), cursor: read('--accent'), cursorAccent: css(t.bg), selectionBackground: read('--pick') };
  probe.remove();
  return colours;
}

export function looks(cols: number, rows: number, openLink: (uri: string) => void): ITerminalOptions & ITerminalInitOnlyOptions {
  const mono = getComputedStyle(document.documentElement).getPropertyValue('--mono');
  return {
    cols, rows, scrollback: 0, allowProposedApi: true, disableStdin: true, cursorBlink: false, cursorInactiveStyle: 'outline', fontFamily: mono, fontSize: narrow() ? 11 : 14,
    minimumContrastRatio: 4.5, theme: theme(), logLevel: 'off', linkHandler: { activate: (_e, uri) => openLink(uri) },
  };
}

/** Letters shrink from 14 px to 9 until it fits. */
export function fitLetters(term: Terminal, isOver: () => boolean): void {
  let size = 14;
  term.options.fontSize = size;
  while (size > 9 && isOver()) term.options.fontSize = size -= 0.5;
}

// The programs' questions were answered by tmux already: this terminal answers none, and takes no colours, titles or clipboard.
export function silence(term: Terminal): void {
  const { parser } = term, yes = () => true;
  for (const id of [{ final: 'c' }, { prefix: '>', final: 'c' }, { prefix: '=', final: 'c' }, { final: 'n' }, { prefix: '?', final: 'n' }, { prefix: '>', final: 'q' }, { intermediates: '$', final: 'p' }, { prefix: '?', intermediates: '$', final: 'p' }, { final: 't' }]) parser.registerCsiHandler(id, yes);
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, yes);
  for (const id of [0, 1, 2, 4, 7, 10, 11, 12, 52, 1337]) parser.registerOscHandler(id, yes);
}
