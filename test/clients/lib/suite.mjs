// The official conformance suite, run on a server that lets nobody in without a token.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';

const folder = new URL('../node_modules/@modelcontextprotocol/conformance/', import.meta.url).pathname;

/** The suite has no token: whoever stands here lets it in, and changes nothing else but the port that is named. Returns its door, which listens. */
export const letIn = async ({ address, headers }) => {
  const door = http.createServer((request, answer) => {
    const named = (value) => value?.replace(`:${door.address().port}`, `:${address.port}`);
    const sent = { ...request.headers, ...headers };
    for (const name of ['host', 'origin']) {
      if (sent[name]) sent[name] = named(sent[name]);
    }
    const passed = http.request(
      { host: address.hostname, port: address.port, path: request.url, method: request.method, headers: sent },
      (answered) => {
        answer.writeHead(answered.statusCode, answered.headers);
        answered.pipe(answer);
        answered.on('error', () => answer.destroy());
      },
    );
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise((resolve) => door.listen(0, '127.0.0.1', resolve));
  return door;
};

/** Runs the suite behind that door; its exit code, and what it says. `out` gets the checks of each scenario. */
export const runSuite = (door, out, options) => new Promise((resolve) => {
  const url = `http://127.0.0.1:${door.address().port}/mcp`;
  const suite = join(folder, 'dist/index.js');
  execFile(process.execPath, [suite, 'server', '--url', url, '-o', out, ...options], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
    resolve({ code: error ? error.code : 0, text: stdout + stderr });
  });
});

/** What the suite has found of a scenario in `out`: `{ id, name, status, errorMessage }` of each check. Nothing where it did not run. */
export const checksIn = (out, scenario) => {
  const ran = new RegExp(`^server-${scenario}-\\d{4}`); // server-NAME-TIME
  const found = existsSync(out) ? readdirSync(out).find((name) => ran.test(name)) : undefined;
  const checks = found && join(out, found, 'checks.json');
  return checks && existsSync(checks) ? JSON.parse(readFileSync(checks, 'utf8')) : [];
};

/** The scenarios for servers that belong to a revision, as the suite has them: `scored`, and `unscored`. */
export const requirementsOf = (version) => {
  const text = readFileSync(join(folder, 'requirements', `${version}.yaml`), 'utf8');
  const [, server] = /^server:\n((?: {2}- \S+\n)+)/m.exec(text);
  const [, rest] = /^not_scored:\n([^]*)/m.exec(text);
  return {
    scored: [...server.matchAll(/- (\S+)/g)].map(([, name]) => name),
    unscored: [...rest.matchAll(/scenario: (\S+)\n +leg: server\n/g)].map(([, name]) => name),
  };
};
