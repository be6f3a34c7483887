// `hapax web` as its user meets it: a model trained by the command, its page in a real browser,
// with the network and without.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startBrowser, startSite } from './demo.mjs';

// Requests of service workers are told, too.
process.env.PW_EXPERIMENTAL_SERVICE_WORKER_NETWORK_EVENTS = '1';

const command = process.env.HAPAX_COMMAND ?? fileURLToPath(new URL('../../target/debug/hapax', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hapax-web-'));
const hapax = (...words) => execFileSync(command, words, { cwd: folder, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });

const KINDS = {
  alarm: (i) => `wake me up at ${i % 12} in the morning number ${i}`,
  weather: (i) => `will it rain or snow on day ${i % 12} number ${i}`,
  music: (i) => `play the song number ${i % 12} louder ${i}`,
  news: (i) => `what is new in the paper of day ${i % 12} number ${i}`,
};
/** Texts that say nothing of their label. */
const VAGUE = (i) => `please do something nice for me number ${i % 9}`;
const QUESTION = 'will it rain on the day of the snow';
const TITLE = 'What do you want? <script>';

let browser;
let served;
let plain;

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json', '.wasm': 'application/wasm' };

/** Any web server, without headers of its own, which has the site below `/a/b/`. */
const plainServer = () =>
  new Promise((resolve) => {
    const root = join(folder, 'root');
    mkdirSync(join(root, 'a'), { recursive: true });
    cpSync(join(folder, 'site'), join(root, 'a/b'), { recursive: true });
    const server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url, 'http://localhost');
      const path = join(root, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
      const bytes = await readFile(path).catch(() => undefined);
      response.writeHead(bytes ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' });
      response.end(bytes);
    });
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}/a/b/`, stop: () => server.close() }));
  });

before(async () => {
  const rows = Object.entries(KINDS).flatMap(([label, text]) => Array.from({ length: 100 }, (_, i) => `${text(i)}\t${label}\n`));
  rows.push(...Array.from({ length: 80 }, (_, i) => `${VAGUE(i)}\t${Object.keys(KINDS)[(i * 7 + (i >> 2)) % 4]}\n`));
  writeFileSync(join(folder, 'train.tsv'), rows.join(''));
  writeFileSync(join(folder, 'labels.tsv'), 'weather\tRain, wind and sun\thttps://example.org/weather\nnews\tWhat has happened\n');
  hapax('train', 'ovr', 'train.tsv', '-o', 'ovr.hapax');
  hapax('train', 'nearest', 'train.tsv', '-o', 'nearest.hapax');
  served = await startSite(command, ['ovr.hapax', '-o', 'site', '--title', TITLE, '--example', 'wake me up', '--label-info', 'labels.tsv'], folder);
  plain = await plainServer();
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  served?.stop();
  plain?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A page in a fresh profile, watched. */
const open = async (url, options = {}) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems = [];
  const asked = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  const kept = [];
  context.on('request', (request) => (request.serviceWorker() ? kept : asked).push(new URL(request.url())));
  await page.goto(url);
  return { context, page, problems, asked, kept, close: () => context.close() };
};

const offlineReady = (page) => page.getByText('The page works offline from now on.').waitFor();
const ask = async (page, text) => {
  await page.getByLabel('Your text').fill(text);
  await page.locator('#answers li').first().waitFor();
};
const shown = async (page) => {
  const texts = (selector) => page.locator(`#answers ${selector}`).allTextContents();
  const worth = (await texts('.score')).map((text) => text.replace(/^probability /, ''));
  return (await texts('.word')).map((label, at) => [label, worth[at]]);
};

/** What the command answers, as the page writes it. */
const wanted = (model) => {
  const said = execFileSync(command, ['predict', model, '-k', '5', '--output', 'jsonl'], { cwd: folder, input: QUESTION, encoding: 'utf8' });
  const labels = JSON.parse(said).labels.filter(({ probability }, at) => at === 0 || probability >= 0.01);
  return labels.map(({ name, probability }) => [name, `${Math.round(100 * probability)} %`]);
};

for (const [server, headers] of [['--serve', true], ['any server, from a path of its own', false]]) {
  test(`${server}: the command's answers, without a network too, and nothing asked of others`, async () => {
    const { url } = headers ? served : plain;
    const { context, page, problems, asked, kept, close } = await open(url);
    assert.equal(await page.title(), TITLE);
    await offlineReady(page);
    await ask(page, QUESTION);
    const answers = await shown(page);
    assert.equal(answers[0][0], 'weather');
    assert.deepEqual(answers, wanted('ovr.hapax'));
    assert.equal(await page.evaluate(() => crossOriginIsolated), headers);
    await context.setOffline(true);
    await assert.rejects(page.evaluate(() => fetch('LICENSE-MIT')), 'what the page does not need is not there');
    await page.reload();
    await ask(page, QUESTION);
    assert.deepEqual(await shown(page), answers);
    assert.deepEqual(problems, ['Failed to load resource: net::ERR_INTERNET_DISCONNECTED']);
    assert.ok(asked.length > 15 && kept.length > 15, `${asked.length}, ${kept.length}`);
    const all = [...asked, ...kept];
    assert.deepEqual(all.filter(({ href }) => !href.startsWith(url)), []);
    assert.deepEqual(all.filter(({ pathname }) => pathname.endsWith('/hapax.wasm')), [], 'one wasm file is enough');
    await close();
  });
}

test('labels, examples, evidence and what it does not know', async () => {
  const { page, problems, close } = await open(served.url);
  await page.getByRole('button', { name: 'wake me up' }).click();
  await page.locator('#answers li', { hasText: 'alarm' }).first().waitFor();
  await ask(page, 'will it rain');
  const link = page.getByRole('link', { name: 'weather' });
  await link.waitFor();
  assert.equal(await link.getAttribute('href'), 'https://example.org/weather');
  await page.getByText('Rain, wind and sun').waitFor();
  await page.getByText('Why these labels?').click();
  await page.locator('#evidence li').first().waitFor();
  const marked = await page.locator('#evidence li').first().locator('mark').allTextContents();
  assert.ok(marked.includes('rain'), marked.join());
  assert.ok(!/[#<>]/.test(marked.join()), marked.join());
  await page.getByText(/^weather, \d+ %/).waitFor({ state: 'attached' });
  await page.getByLabel('Your text').fill('猫');
  await page.locator('#nothing', { hasText: 'It knows none of these words.' }).waitFor();
  assert.equal(await page.locator('#answers li').count(), 0);
  await ask(page, 'please do something nice');
  await page.locator('#nothing', { hasText: 'Not sure. These are guesses:' }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

test('corrections stay in the browser and come out as rows that the command learns', async () => {
  const { page, problems, close } = await open(served.url);
  await offlineReady(page);
  await ask(page, 'please do something nice');
  await page.getByText('Is that right?').click();
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByText('Tick a label, or write another one.').waitFor();
  await page.getByLabel('Another label').fill('a favor');
  await page.keyboard.press('Enter');
  await page.getByText('Kept: a favor.').waitFor();
  await ask(page, 'will it rain');
  await page.locator('#answers li', { hasText: 'weather' }).first().waitFor();
  assert.ok(await page.getByLabel('weather').isChecked(), 'what is likely is ticked');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'Your corrections' }).waitFor();
  await page.getByRole('button', { name: 'Remove: will it rain' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  const path = join(folder, file.suggestedFilename());
  await file.saveAs(path);
  assert.equal(await readFile(path, 'utf8'), '{"text":"please do something nice","labels":["a favor"]}\n');
  const learn = await page.locator('#kept code').textContent();
  assert.equal(learn, 'hapax learn model.hapax corrections.jsonl --text text --labels labels -o better.hapax');
  cpSync(join(folder, 'nearest.hapax'), join(folder, 'model.hapax'));
  assert.match(hapax(...learn.split(' ').slice(1)), /rows learned +1/);
  assert.deepEqual(problems, []);
  await close();
});

test('a search box in another page of the origin: what is chosen goes with the form', async () => {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A form</title><link rel="icon" href="data:,"><main><h1>A form</h1><form action="/form.html">
    <script type="module" src="/a/b/embed.js"></script>
    <hapax-search name="subject" label="Describe it"></hapax-search>
    <button>Send</button></form></main>`;
  writeFileSync(join(folder, 'root/form.html'), page);
  const { page: form, problems, asked, close } = await open(new URL('/form.html', plain.url).href);
  const box = form.getByLabel('Describe it', { exact: true });
  await box.waitFor();
  assert.ok(!asked.some(({ pathname }) => pathname.endsWith('.hapax')), 'not before it is entered');
  await box.fill('猫');
  await form.getByText('It knows none of these words.').waitFor();
  await box.fill('will it rain');
  const found = form.getByRole('list', { name: 'Describe it: labels' });
  await found.getByRole('listitem').filter({ hasText: /^weather \d+ %$/ }).waitFor();
  await form.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await form.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(({ id }) => id), []);
  await found.getByRole('button', { name: 'weather' }).focus();
  await form.keyboard.press('Enter');
  assert.equal(await form.locator('hapax-search').evaluate((one) => one.value), 'weather');
  assert.equal(await box.inputValue(), 'weather');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.waitForURL('**/form.html?subject=weather');
  assert.deepEqual(problems, []);
  await close();
});

test('made again: the new model comes, and a page that was open before goes on', async () => {
  const { page, problems, close } = await open(served.url);
  await offlineReady(page);
  assert.match(hapax('web', 'nearest.hapax', '-o', 'site'), /^wrote site, /);
  await ask(page, QUESTION);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
  const old = page.getByRole('heading', { level: 1, name: TITLE });
  for (let tries = 0; (await old.count()) && tries < 50; tries++) {
    await page.waitForTimeout(100);
    await page.reload();
  }
  await page.getByRole('heading', { level: 1, name: 'nearest' }).waitFor();
  await ask(page, QUESTION);
  assert.deepEqual(await shown(page), wanted('nearest.hapax'));
  await page.getByText('Why these labels?').click();
  await page.locator('#evidence li').first().waitFor();
  assert.match(await page.locator('#evidence li').first().textContent(), /weather.*snow/s);
  assert.deepEqual(problems, []);
  await close();
});

test('opened as a file it says what it needs', async () => {
  const { page, close } = await open(pathToFileURL(join(folder, 'site/index.html')).href);
  await page.getByRole('alert').filter({ hasText: 'put its folder on a web server' }).waitFor();
  await close();
});

for (const width of [390, 1440]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`at ${width} pixels, ${colorScheme}, everything fits and can be read by all`, async () => {
      const { page, close } = await open(plain.url, { viewport: { width, height: 844 }, colorScheme });
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      await offlineReady(page);
      await page.evaluate(axe);
      const check = async () => {
        const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(inner <= outer, `${inner} pixels wide on ${outer}`);
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`), []);
      };
      await check();
      await ask(page, QUESTION);
      await page.getByText('Why these labels?').click();
      await page.locator('#evidence li').first().waitFor();
      await page.getByText('Is that right?').click();
      await page.getByRole('button', { name: 'Keep' }).click();
      await page.getByRole('heading', { name: 'Your corrections' }).waitFor();
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/site-${width}-${colorScheme}.png`, fullPage: true });
      await check();
      await close();
    });
  }
}
