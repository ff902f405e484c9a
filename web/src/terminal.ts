// xterm.js, in a file of its own: the page is painted before it is there.
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal, type ITerminalInitOnlyOptions, type ITerminalOptions } from '@xterm/xterm';

export function make(options: ITerminalOptions & ITerminalInitOnlyOptions): Terminal {
  const term = new Terminal({ allowProposedApi: true, logLevel: 'off', ...options });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = '11';
  return term;
}
