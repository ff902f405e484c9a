// Chromium, driven by JSON lines: one request a line on standard input, one answer a line. test/e2e/harness/chromium.py speaks it.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { chromium } from 'playwright-core';

const modules = path.join(path.dirname(new URL(import.meta.url).pathname), '..', 'node_modules');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars', '--js-flags=--expose-gc', ...(process.env.TERMINALLY_WEB_DIST ? ['--disable-features=LocalNetworkAccessChecks'] : []), ...(process.env.CHROMIUM_FLAGS ?? '').split(' ').filter(Boolean)],
});
const contexts = [], pages = [], said = [], sockets = [];

const acts = {
  /** A browser of its own, with no cookies. */
  async browser({ width = 1440, height = 900, theme = 'dark', touch = false }) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch, isMobile: touch, timezoneId: 'UTC', permissions: ['clipboard-read', 'clipboard-write'] });
    return contexts.push(context) - 1;
  },
  async page({ browser: b, url, cuts }) {
    const page = await contexts[b].newPage(), n = pages.push(page) - 1;
    said[n] = [];
    page.on('console', (m) => said[n].push(`${m.type()}: ${m.text()}`));
    page.on('pageerror', (e) => said[n].push(`error: ${e.stack}`));
    sockets[n] = [];
    if (cuts) await page.routeWebSocket(/\/live$/, (ws) => { sockets[n].push([ws, ws.connectToServer()]); });
    const dist = process.env.TERMINALLY_WEB_DIST;     // a page that was built since the program was
    if (dist) await page.route(/\/([a-z-]+\.(js|css|html))?(\?.*)?$/, (r) => { const f = path.join(dist, new URL(r.request().url()).pathname.slice(1) || 'index.html'); return fs.existsSync(f) ? r.fulfill({ path: f }) : r.fallback(); });
    await page.goto(url);
    return n;
  },
  goto: ({ page, url }) => pages[page].goto(url).then(() => null),
  reload: ({ page }) => pages[page].reload().then(() => null),
  close: ({ page }) => pages[page].close().then(() => null),
  run: ({ page, code, value }) => pages[page].evaluate(`(${code})(${JSON.stringify(value ?? null)})`),
  wait: async ({ page, code, ms }) => {  // not waitForFunction, whose eval the page's policy refuses
    for (const until = Date.now() + ms; ; ) {
      const value = await pages[page].evaluate(`(${code})()`);
      if (value) return value;
      if (Date.now() > until) throw new Error(`not within ${ms} ms`);
      await new Promise((next) => setTimeout(next, 20));
    }
  },
  click: ({ page, at, shift }) => pages[page].click(at, { timeout: 15000, modifiers: shift ? ['Shift'] : [] }).then(() => null),
  fill: ({ page, at, text }) => pages[page].fill(at, text).then(() => null),
  key: ({ page, key }) => pages[page].keyboard.press(key).then(() => null),
  type: ({ page, text }) => pages[page].keyboard.type(text).then(() => null),
  wheel: ({ page, y }) => pages[page].mouse.wheel(0, y).then(() => null),
  move: ({ page, x, y }) => pages[page].mouse.move(x, y).then(() => null),
  size: ({ page, width, height }) => pages[page].setViewportSize({ width, height }).then(() => null),
  theme: ({ page, theme }) => pages[page].emulateMedia({ colorScheme: theme }).then(() => null),
  shot: ({ page, path: file }) => pages[page].screenshot({ path: file }).then(() => null),
  said: ({ page }) => said[page],
  /** What it said, and who it was. */
  forget: async ({ page }) => { said[page].length = 0; await pages[page].context().clearCookies(); },
  /** Both ends of the page's socket are cut. */
  drop: async ({ page }) => { for (const ends of sockets[page].splice(0)) for (const ws of ends) await ws.close().catch(() => null); },
  async axe({ page }) {
    if (!await pages[page].evaluate(() => 'axe' in window)) await pages[page].evaluate(fs.readFileSync(path.join(modules, 'axe-core/axe.min.js'), 'utf8'));
    const { violations } = await pages[page].evaluate((rules) => axe.run({ runOnly: rules }), RULES);
    return violations.map((v) => `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${(n.any[0] ?? n.all[0] ?? n.none[0])?.message ?? ''}`).join(' | ')}`);
  },
  /** What is in the page's memory: whether a text is in a heap snapshot. */
  async heap({ page, text }) {
    const session = await contexts.find((c) => c.pages().includes(pages[page])).newCDPSession(pages[page]);
    let found = false, last = '';
    session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => { if ((last + chunk).includes(text)) found = true; last = chunk.slice(-text.length); });
    await session.send('HeapProfiler.collectGarbage');
    await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    await session.detach();
    return found;
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { act, ...rest } = JSON.parse(line);
  let answer;
  try { answer = { value: (await acts[act](rest)) ?? null }; } catch (e) { answer = { error: String(e.message ?? e) }; }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
