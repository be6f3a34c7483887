// What the user says is right: kept in this browser alone, and to be had as rows for `hapax learn`.

import { element } from './element.js';

const get = (id) => document.getElementById(id);
/** Pages of one origin share what a browser keeps. */
const KEY = `hapax corrections ${location.pathname}`;

/** Rows `{ text, labels }`, in the order in which they came. */
let rows = [];
/** The text that is asked now. */
let asked = '';

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    if (Array.isArray(kept)) rows = kept;
  } catch {
    // What cannot be kept is there until the page is closed.
  }
}

function write() {
  try {
    if (rows.length) localStorage.setItem(KEY, JSON.stringify(rows));
    else localStorage.removeItem(KEY);
  } catch {
    get('corrected').textContent = 'This browser keeps nothing: download your corrections before you leave.';
  }
}

/** Puts the rows on the page. */
function show() {
  get('kept').hidden = rows.length === 0;
  get('kept-rows').replaceChildren(
    ...rows.map((row) => {
      const remove = element('button', { type: 'button', class: 'plain', 'aria-label': `Remove: ${row.text}` }, 'Remove');
      remove.addEventListener('click', () => {
        rows = rows.filter((other) => other !== row);
        write();
        show();
        // The button that had the focus is gone.
        get('ask').focus();
      });
      const text = element('span', { dir: 'auto' }, element('b', {}, row.labels.join(', ')), ` ${row.text}`);
      return element('li', {}, text, remove);
    }),
  );
}

/** Lets the user say which labels a text has; those of `answers` that are likely are ticked. */
export function askForLabels(text, answers, isLikely) {
  asked = text;
  get('correct').hidden = false;
  get('corrected').textContent = '';
  get('right').replaceChildren(
    ...answers.map((answer, at) => {
      const box = element('input', { type: 'checkbox', value: answer.label });
      box.checked = isLikely(answer, at);
      return element('label', { dir: 'auto' }, box, answer.label);
    }),
  );
}

function keep(event) {
  event.preventDefault();
  const ticked = Array.from(get('right').querySelectorAll('input:checked'), ({ value }) => value);
  const other = get('other').value.trim();
  const labels = [...new Set(other ? [...ticked, other] : ticked)];
  if (labels.length === 0) {
    get('corrected').textContent = 'Tick a label, or write another one.';
    return;
  }
  rows = [...rows.filter(({ text }) => text !== asked), { text: asked, labels }];
  get('corrected').textContent = `Kept: ${labels.join(', ')}.`;
  get('other').value = '';
  write();
  show();
}

/** The rows as a file of JSON Lines. */
function download() {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
  const address = URL.createObjectURL(new Blob(lines, { type: 'application/jsonl' }));
  element('a', { href: address, download: 'corrections.jsonl' }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

get('correct-form').addEventListener('submit', keep);
get('download').addEventListener('click', download);
read();
show();
