// Cuts live bytes of a log into what commands printed and what was printed between them. Pure.
// The shell's wrapper prints two records: ESC ]133;C;mcp=START:<nonce>… BEL and ESC ]133;D;<exit>;mcp=END:<nonce>… BEL.
// The output of a command is what stands strictly between them; its id is the first 8 digits of the nonce.

export interface Part { id: string | null; from: number; bytes: Uint8Array }

const ESC = 0x1b, BEL = 0x07, LONGEST = 400;
const HEAD = [ESC, 0x5d, 0x31, 0x33, 0x33, 0x3b];   // ESC ]133;
const text = new TextDecoder('latin1');

export class Cutter {
  private held_ = new Uint8Array(0);

  /** `inside`: the command whose output the first byte belongs to. */
  constructor(private inside_: string | null = null) {}

  get command(): string | null { return this.inside_; }
  /** The server says that it has ended, whether its record was seen or not. */
  ended(id: string): void { if (this.inside_ === id) this.inside_ = null; }

  push(from: number, bytes: Uint8Array): Part[] {
    let all = bytes, base = from;
    if (this.held_.length) {
      all = new Uint8Array(this.held_.length + bytes.length);
      all.set(this.held_); all.set(bytes, this.held_.length);
      base = from - this.held_.length;
    }
    const parts: Part[] = [];
    let begin = 0, at = all.indexOf(ESC), keep = all.length;
    const put = (end: number): void => { if (end > begin) parts.push({ id: this.inside_, from: base + begin, bytes: all.subarray(begin, end) }); };
    for (; at >= 0; at = all.indexOf(ESC, at + 1)) {
      const head = match(all, at);
      if (head === 'no') continue;
      const end = head === 'whole' ? all.subarray(at, at + LONGEST).indexOf(BEL) : -1;
      if (end < 0) {
        if (all.length - at >= LONGEST) continue;
        keep = at;
        break;
      }
      const record = /^133;(?:C|D;[^;]*);mcp=(START|END):([0-9a-f]{8})/.exec(text.decode(all.subarray(at + 2, at + end)));
      if (!record || (record[1] === 'START') !== (this.inside_ === null) || (this.inside_ !== null && record[2] !== this.inside_)) continue;
      put(at);
      begin = at + end + 1;
      this.inside_ = record[1] === 'START' ? record[2] : null;
      at += end;
    }
    put(keep);
    this.held_ = all.slice(Math.max(begin, keep));
    return parts;
  }
}

function match(all: Uint8Array, at: number): 'no' | 'part' | 'whole' {
  for (let i = 0; i < HEAD.length; i++) {
    if (at + i >= all.length) return 'part';
    if (all[at + i] !== HEAD[i]) return 'no';
  }
  return 'whole';
}

/** The first of `parts` that are of one command and follow each other, until they are `enough` bytes. */
export function contiguous(parts: Part[], enough: number): Part[] {
  let size = 0, n = 0;
  while (n < parts.length && size < enough && parts[n].id === parts[0].id && parts[n].from === parts[0].from + size) size += parts[n++].bytes.length;
  return parts.slice(0, n);
}
/** Contiguous parts as one. */
export function joined(parts: Part[]): Part {
  const bytes = new Uint8Array(parts.reduce((n, p) => n + p.bytes.length, 0));
  for (const p of parts) bytes.set(p.bytes, p.from - parts[0].from);
  return { id: parts[0].id, from: parts[0].from, bytes };
}
