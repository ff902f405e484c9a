// A private home and a private server for one test, and the proof that nothing of it is left behind.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const checkout = join(here, '../../..');
export const program = process.env.TERMINALLY_BIN ?? join(checkout, 'build/dev/terminally-mcp');
export const fixture = process.env.TERMINALLY_FIXTURE ?? join(checkout, 'build/dev/conformance_fixture');

export class Sandbox {
  constructor() {
    this.root = mkdtempSync('/tmp/tc-'); // short: a socket's path ends at 108 bytes
    for (const name of ['home', 'wire']) {
      mkdirSync(join(this.root, name));
    }
    this.home = join(this.root, 'home');
    this.server = join(this.root, 'server');
    writeFileSync(this.server, this.#script());
    chmodSync(this.server, 0o755);
  }

  /** What a client starts in place of the program: the same, in this sandbox, with its lines on record. */
  #script() {
    const environment = {
      HOME: this.home, PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', SHELL: '/bin/bash', TERM: 'xterm-256color', USER: 'tester',
      TERMINALLY_RUNTIME_DIR: join(this.root, 'run'), TERMINALLY_STATE_DIR: join(this.root, 'state'),
    };
    const settings = Object.entries(environment).map(([name, value]) => `${name}='${value}'`).join(' ');
    return `#!/bin/sh\nexec env -i ${settings} '${process.execPath}' '${join(here, 'tap.mjs')}' '${join(this.root, 'wire')}' '${program}' "$@"\n`;
  }

  /** One conversation per server process: [{from: 'client'|'server', text}], and `exit`, the server's exit code. */
  conversations() {
    const names = readdirSync(join(this.root, 'wire')).sort();
    return names.map((name) => {
      const lines = readFileSync(join(this.root, 'wire', name), 'utf8').split('\n').slice(0, -1);
      const said = lines.filter((line) => !line.startsWith('= '));
      return {
        lines: said.map((line) => ({ from: line.startsWith('> ') ? 'client' : 'server', text: line.slice(2) })),
        exit: lines.find((line) => line.startsWith('= '))?.slice(2),
      };
    });
  }

  /** Every process that carries the sandbox's path in its command line or environment, as "pid command". */
  processes() {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid).flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        const text = command + readFileSync(`/proc/${pid}/environ`, 'latin1');
        return command !== '' && text.includes(this.root) ? [`${pid} ${command.replaceAll('\0', ' ')}`] : [];
      } catch {
        return []; // it ended meanwhile
      }
    });
  }

  /** Waits until every server is gone; returns the conversations, then complete. */
  serversEnded() {
    return poll(() => {
      const all = this.conversations();
      return all.every((conversation) => conversation.exit !== undefined) && all;
    }, 4000, 'the end of the servers');
  }

  /** Ends the test: demands that every server ended by itself with code 0 and that nothing of it runs any more. */
  async close() {
    await poll(() => this.processes().length === 0, 4000, () => `left behind: ${this.processes().join('; ')}`);
    const codes = this.conversations().map((conversation) => conversation.exit);
    if (codes.length === 0 || codes.some((code) => code !== '0')) {
      throw new Error(`the servers' exit codes: ${codes.join(', ')} (see ${this.root})`);
    }
    rmSync(this.root, { recursive: true });
  }
}

/** Waits until `probe` gives something true, and returns it. */
export async function poll(probe, timeoutMs, what) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const isLast = Date.now() > end; // asked once more then: the machine may have stood still
    const value = await probe();
    if (value) {
      return value;
    }
    if (isLast) {
      throw new Error(`not within ${timeoutMs} ms: ${typeof what === 'function' ? what() : what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
