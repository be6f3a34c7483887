// The page of cargo demo that trains on a visitor's table.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { labelsOf, likelySeparator, readTable } from '../page/yours/table.js';
import { startBrowser, startDemo } from './demo.mjs';

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const command = process.env.HAPAX_COMMAND ?? path('target/release/hapax');

test('tables are read by their columns, and what is wrong is told with its line', () => {
  assert.deepEqual(readTable('lost card\tlost\r\n\nstolen\tcrime fraud\n'), {
    texts: ['lost card', 'stolen'],
    fields: ['lost', 'crime fraud'],
  });
  const named = readTable('\uFEFFid\tLabels\tText\n7\ta|b\tone\n8\tc\ttwo\n');
  assert.deepEqual(named, { texts: ['one', 'two'], fields: ['a|b', 'c'] });
  for (const [content, message] of [
    ['', 'there are no lines'],
    ['text\tlabels\n', 'there are no lines'],
    ['a\tb\nno tab here\n', 'line 2 has no tab: each line is a text, a tab, and its labels'],
    ['1\ta\tb\n', 'line 1 has 3 fields: keep two, or name the columns in the first line: text and labels'],
    ['a\t\n', 'line 1 lacks its labels'],
    ['a\tb\n\tb\n', 'line 2 lacks its text'],
  ]) {
    assert.throws(() => readTable(content), { message });
  }
});

test('the separator is what leaves the fewest labels', () => {
  for (const [fields, separator] of [
    [['Credit card', 'Debit card', 'Loan'], 'nothing'],
    [['a b', 'b c', 'c a', 'a b c'], 'spaces'],
    [['red, green', 'green', 'red', 'blue, red'], 'commas'],
    [['sour milk; old bread', 'old bread', 'sour milk', 'old bread; rice'], 'semicolons'],
    [['a b|c', 'c', 'a b', 'd|a b'], 'bars'],
  ]) {
    assert.equal(likelySeparator(fields), separator, fields.join());
  }
  assert.deepEqual(labelsOf(' a,, b ,a', 'commas'), ['a', 'b']);
  assert.deepEqual(labelsOf('a, b', 'nothing'), ['a, b']);
});

let demo;
let browser;

before(async () => {
  demo = await startDemo();
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  demo?.stop();
});

/** The page, its errors, and requests to elsewhere. */
async function open(options) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(120_000);
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(demo.url) && !request.url().startsWith('blob:')) problems.push(request.url());
  });
  await page.goto(`${demo.url}yours/`);
  return { page, problems };
}

/** Descriptions of diagnoses, labelled with the first letters of their codes. */
const rows = () => {
  const lines = readFileSync(path('target/demo/diagnosis/train.tsv'), 'utf8').trimEnd().split('\n');
  const some = lines.filter((_, at) => at % 40 === 0).map((line) => line.split('\t'));
  return some.map(([text, codes]) => `${text}\tchapter_${codes[0]}\n`).join('');
};

test('a table becomes a model in the page, with the bytes of the command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hapax-yours-'));
  const file = join(folder, 'chapters.tsv');
  writeFileSync(file, rows());
  const { page, problems } = await open();
  await page.getByLabel('A file, or drop one here').setInputFiles(file);
  await page.getByText(/^1,3\d\d texts with 2\d labels: “chapter_A”/).waitFor();
  assert.equal(await page.getByLabel('Between labels of a text stand').inputValue(), 'nothing');
  await page.getByRole('button', { name: 'Train' }).click();
  await page.getByText(/Trying|Training|Making/).waitFor();
  await page.getByRole('heading', { name: 'Your model' }).waitFor();
  assert.match(await page.locator('#made').textContent(), /kB, made in \d+ s\. Its first answer was right for [6-9]\d % of [\d,]+ texts/);
  await page.getByLabel('A text', { exact: true }).fill('fracture of the left ankle');
  await page.locator('#answers li:first-child', { hasText: 'chapter_S' }).waitFor();
  await page.getByLabel('A text', { exact: true }).fill('ξψ');
  await page.getByText('It knows none of these words.').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download model.hapax' }).click();
  const kept = await (await download).path();
  const made = join(folder, 'model.hapax');
  execFileSync(command, ['train', file, '-o', made], { stdio: 'pipe' });
  assert.ok(readFileSync(kept).equals(readFileSync(made)), 'the bytes of the command');
  assert.deepEqual(problems, []);
  await page.close();
});

test('training stops when told, and mistakes are told', async () => {
  const { page, problems } = await open();
  const drop = (name, content) =>
    page.evaluate(([name, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], name));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, [name, content]);
  await drop('wrong.tsv', 'no tab');
  await page.getByText('wrong.tsv: line 1 has no tab: each line is a text, a tab, and its labels.').waitFor();
  await drop('one.tsv', 'a\tb\n');
  await page.getByText('1 texts with 1 labels: “b”').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Train' }).isDisabled());
  // So many that a busy machine tells the page to stop before they are trained on.
  await drop('chapters.tsv', rows().repeat(5));
  await page.getByRole('button', { name: 'Train' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('#working').waitFor({ state: 'hidden' });
  assert.ok(await page.getByRole('button', { name: 'Train' }).isEnabled());
  assert.ok(!(await page.locator('#asking').isVisible()));
  assert.deepEqual(problems, []);
  await page.close();
});

for (const [device, viewport] of Object.entries({ phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } })) {
  for (const colorScheme of ['light', 'dark']) {
    test(`on a ${device}, ${colorScheme}, it fits and can be read by all`, async () => {
      const { page } = await open({ viewport, colorScheme });
      await page.getByLabel('A file, or drop one here').setInputFiles({
        name: 'few.tsv',
        mimeType: 'text/plain',
        buffer: Buffer.from('a lost card\tlost\nmy card is gone\tlost\na stolen card\tstolen\nthieves took it\tstolen\n'),
      });
      await page.getByRole('button', { name: 'Train' }).click();
      await page.getByLabel('A text', { exact: true }).fill('stolen by thieves');
      await page.locator('#answers li:first-child', { hasText: 'stolen' }).waitFor();
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(inner <= outer, `${inner} pixels wide on ${outer}`);
      await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`), []);
      await page.close();
    });
  }
}
