// The first page of cargo demo, which codes diagnoses: sixty questions of strangers, what a visit
// loads, and how long that takes on a line of 1.6 Mbit/s with 150 ms.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBrowser, startDemo } from './demo.mjs';

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const command = process.env.HAPAX_COMMAND ?? path('target/release/hapax');
const model = path('target/demo/diagnosis/model.hapax');
const questions = readFileSync(path('www/queries/diagnosis.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'))
  .map(([text, categories]) => [text, categories.split(' ')]);

const BYTES_A_SECOND = 200_000;
const LATENCY = 150;

let browser;
let site;
let slow;

/** The site behind one slow line, which counts its bytes. */
const behindSlowLine = (to) =>
  new Promise((resolve) => {
    const line = { bytes: 0, free: 0 };
    const pass = async (chunk, response) => {
      line.bytes += chunk.length;
      line.free = Math.max(line.free, Date.now()) + (1000 * chunk.length) / BYTES_A_SECOND;
      await sleep(line.free - Date.now());
      response.write(chunk);
    };
    const server = createServer(async (asked, response) => {
      await sleep(LATENCY);
      const { host } = new URL(to);
      const there = request(new URL(asked.url, to), { headers: { ...asked.headers, host } }, async (from) => {
        response.writeHead(from.statusCode, from.headers);
        for await (const chunk of from) for (let at = 0; at < chunk.length; at += 4096) await pass(chunk.subarray(at, at + 4096), response);
        response.end();
      });
      there.end();
    });
    server.listen(0, '127.0.0.1', () => {
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, line, stop: () => server.close() });
    });
  });

before(async () => {
  site = await startDemo();
  slow = await behindSlowLine(site.url);
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  slow?.stop();
  site?.stop();
});

test('of sixty questions the first five answers have the category of three in five', (context) => {
  const input = questions.map(([text]) => `${text}\n`).join('');
  const said = execFileSync(command, ['predict', model, '-k', '5', '--output', 'jsonl'], { input, encoding: 'utf8' });
  const answers = said.trimEnd().split('\n').map((line) => JSON.parse(line).labels.map(({ name }) => name));
  assert.equal(answers.length, 60);
  const missed = questions.filter(([, wanted], at) => !wanted.some((category) => answers[at].includes(category)));
  context.diagnostic(`${60 - missed.length} of 60; not: ${missed.map(([text]) => text).join(', ')}`);
  assert.ok(missed.length <= 24, `${missed.length} missed`);
});

test('a first visit on a slow line loads less than a megabyte and answers', async (context) => {
  const page = await browser.newPage();
  const start = performance.now();
  await page.goto(slow.url, { waitUntil: 'commit' });
  await page.getByLabel('Your text').fill('underactive thyroid');
  await page.locator('#answers li', { hasText: 'E03' }).first().waitFor();
  const answered = performance.now() - start;
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
  context.diagnostic(`first paint ${paint.toFixed(0)} ms, first answer ${answered.toFixed(0)} ms, ${slow.line.bytes} bytes by then`);
  await page.getByText('The page works offline from now on.').waitFor();
  context.diagnostic(`${slow.line.bytes} bytes in all, offline after ${(performance.now() - start).toFixed(0)} ms`);
  assert.ok(slow.line.bytes < 1_000_000, `${slow.line.bytes} bytes`);
  const others = page.getByRole('navigation', { name: 'More' }).getByRole('link');
  const titles = [];
  // Not on the slow line, which is measured.
  for (const address of await others.evaluateAll((links) => links.map((link) => link.getAttribute('href')))) {
    await page.goto(new URL(address, site.url).href);
    titles.push(await page.locator('h1').textContent());
  }
  assert.deepEqual(titles, ['The dictionary, backwards', 'Train it on a table of yours']);
});
