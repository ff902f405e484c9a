// node tap.mjs DIRECTORY PROGRAM [ARGUMENT...]
// Runs an MCP server for a client that starts its own, and records every line of both directions, in order:
// DIRECTORY/<pid>.wire, "> " before what the client wrote and "< " before what the server wrote.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [directory, program, ...programArguments] = process.argv.slice(2);
const wire = openSync(join(directory, `${process.pid}.wire`), 'a');
const server = spawn(program, programArguments, { stdio: ['pipe', 'pipe', 'inherit'] });

/** Passes chunks on as they come; a line is on record before its last byte is passed on. */
function pass(from, to, mark) {
  let rest = Buffer.alloc(0);
  from.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end; (end = rest.indexOf('\n')) >= 0; rest = rest.subarray(end + 1)) {
      writeSync(wire, Buffer.concat([Buffer.from(mark), rest.subarray(0, end + 1)]));
    }
    to.write(chunk);
  });
  from.on('end', () => {
    if (rest.length > 0) {
      writeSync(wire, Buffer.concat([Buffer.from(mark), rest, Buffer.from('\n')]));
    }
    to.end();
  });
}

pass(process.stdin, server.stdin, '> ');
pass(server.stdout, process.stdout, '< ');
server.stdin.on('error', () => {}); // it ended first: its exit code tells
process.stdout.on('error', () => {});
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('close', (code, signal) => {
  writeSync(wire, `= ${code ?? signal}\n`);
  closeSync(wire);
  process.exit(code ?? 1);
});
