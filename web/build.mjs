// Builds the page: node build.mjs [OUTPUT]. Without OUTPUT into dist. `--tests OUTPUT` builds the unit tests for node instead.
import { build } from 'esbuild';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const tests = process.argv[2] === '--tests', out = path.resolve(process.argv[tests ? 3 : 2] ?? path.join(here, 'dist'));
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const both = { bundle: true, outdir: out, absWorkingDir: here, logLevel: 'warning', target: 'es2022', legalComments: 'none' };
if (tests) {
  const names = (await readdir(path.join(here, 'test'))).filter((f) => f.endsWith('.test.ts'));
  await build({ ...both, entryPoints: names.map((n) => `test/${n}`), platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' } });
} else {
  await build({ ...both, entryPoints: { app: 'src/main.ts', style: 'src/style.css' }, format: 'esm', splitting: true, minify: true, chunkNames: '[name]', entryNames: '[name]', mangleProps: /^[a-z].*[a-z0-9]_$/ });
  await copyFile(path.join(here, 'src/index.html'), path.join(out, 'index.html'));
}
