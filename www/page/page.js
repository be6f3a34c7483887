// The page: what is typed goes to the worker, what comes back is shown.

import { answers as answerItems, evidence as evidenceItems } from './answers.js';
import { Dictionary } from './dictionary.js';
import { element } from './element.js';
import { Near } from './near.js';
import { bytes, count, microseconds as time } from './numbers.js';
import { loadedFiles, showPrivacy } from './privacy.js';
import { Second } from './second.js';

const WORDS = 8;
const NEIGHBORS = 6;

const get = (id) => document.getElementById(id);
const ask = get('ask');
/** Words taught, by the row that learning gave. */
const taught = new Map();
let ready = false;
/** Bytes of all files loaded so far, in words. */
let loaded = '';
/** Bytes of the first model, in words. */
let size = '';

const dictionary = new Dictionary({
  progress(share) {
    get('progress').value = share;
  },
  secondProgress(share) {
    second.progress(share);
  },
  kindsProgress(share) {
    near.progress(share);
  },
  async ready(info) {
    ready = true;
    size = bytes(info.size);
    question.changed();
    get('loading').hidden = true;
    get('status').hidden = false;
    get('status').textContent = `${count(info.labels)} words, ready`;
    get('made').textContent = `Model: ${info.algorithm}, ${count(info.trainingRows)} definitions, ${info.library}.`;
    get('teach-button').disabled = false;
    second.enable(() => question.changed());
    await weigh();
  },
  trouble: showTrouble,
});
const second = new Second(dictionary, () => weigh());
const near = new Near(dictionary, () => weigh());

/** Adds up what has been loaded, and says so. */
async function weigh() {
  const files = await loadedFiles(dictionary);
  const sum = [...files.values()].reduce((a, b) => a + b, 0);
  const before = get('status').textContent.split(' · ')[0];
  loaded = ` · ${bytes(sum)} loaded`;
  get('status').textContent = before + loaded;
}

function showTrouble({ name, message }) {
  const what = {
    FormatError: 'The dictionary file is damaged',
    DownloadError: 'The dictionary did not arrive',
  }[name] ?? 'The dictionary does not open';
  get('loading').hidden = true;
  get('trouble').textContent = `${what}: ${message}. Loading the page again may help.`;
  get('trouble').hidden = false;
}

/** The latest text and its answers. While one answer is under way, only the newest text waits. */
const question = {
  busy: false,
  waiting: false,

  async changed() {
    if (!ready) return;
    if (this.busy) {
      this.waiting = true;
      return;
    }
    this.busy = true;
    const text = ask.value.trim();
    history.replaceState(null, '', text ? `#${encodeURIComponent(text)}` : location.pathname);
    await (text ? this.answer(text) : this.clear());
    this.busy = false;
    if (this.waiting) {
      this.waiting = false;
      this.changed();
    }
  },

  clear() {
    get('found').hidden = true;
    get('examples').hidden = false;
  },

  async answer(text) {
    get('examples').hidden = true;
    try {
      const { answers, microseconds } = await dictionary.ask(text, WORDS);
      get('answers').replaceChildren(...answerItems(answers, new Set(taught.values())));
      get('nothing').hidden = answers.length > 0;
      get('nothing').textContent = 'No definition shares a word with this one.';
      get('status').textContent = `Answered in ${time(microseconds)}${loaded}`;
      get('answers-cost').textContent = `${size} · ${time(microseconds)}`;
      get('why').hidden = answers.length === 0;
      speak(answers);
    } catch (error) {
      get('answers').replaceChildren();
      get('nothing').hidden = false;
      get('nothing').textContent = `No words yet: ${error.message}.`;
      get('why').hidden = true;
      speak([]);
    }
    get('found').hidden = false;
    if (!performance.getEntriesByName('first-answer').length) performance.mark('first-answer');
    await second.show(text);
    await why.show(text);
  },
};

/** The definitions behind the answers, once someone wants to see them. */
const why = {
  fetched: false,

  async show(text) {
    if (!get('why').open || get('why').hidden || !text) return;
    const state = get('why-state');
    state.hidden = this.fetched;
    state.textContent = 'Fetching the definitions, once.';
    try {
      const { evidence } = await dictionary.why(text, NEIGHBORS);
      if (!this.fetched) weigh();
      this.fetched = true;
      state.hidden = true;
      get('evidence').replaceChildren(...evidenceItems(evidence));
    } catch ({ message }) {
      state.hidden = false;
      state.textContent = `The definitions cannot be shown: ${message}.`;
    }
  },
};

/** Says the words to those who listen, when typing has paused. */
const speak = (() => {
  let pause;
  return (answers) => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      const words = answers.map(({ label }) => label).join(', ');
      get('spoken').textContent = words ? `Words: ${words}` : 'No words';
    }, 700);
  };
})();

function askFor(text) {
  ask.value = text;
  grow();
  question.changed();
}

/** The box is as high as its text. Asking for its height makes the browser lay out the page at once, so this is for
 * those that do not do it by themselves (field-sizing, in style.css). */
function grow() {
  if (CSS.supports('field-sizing', 'content')) return;
  ask.style.height = 'auto';
  ask.style.height = `${ask.scrollHeight}px`;
}

async function teach(event) {
  event.preventDefault();
  const [meaning, word] = ['meaning', 'word'].map((id) => get(id).value.trim());
  if (!meaning || !word) return;
  const state = get('taught-state');
  try {
    const { row } = await dictionary.teach(meaning, word);
    taught.set(row, word);
    get('taught').append(lesson(row, word, meaning));
    state.textContent = `Learned “${word}”. Asked above: its definition.`;
    event.target.reset();
    askFor(meaning);
  } catch ({ message }) {
    state.textContent = `Not learned: ${message}.`;
  }
}

/** A word taught, and the way to forget it. */
function lesson(row, word, meaning) {
  const button = element('button', { type: 'button', class: 'plain', 'aria-label': `Forget ${word}` }, 'Forget');
  const text = element('span', {}, element('b', {}, word), ` ${meaning}`);
  const item = element('li', {}, text, button);
  button.addEventListener('click', async () => {
    await dictionary.forget(row);
    taught.delete(row);
    item.remove();
    get('taught-state').textContent = `Forgot “${word}”.`;
    // The button that had the focus is gone.
    get('meaning').focus();
    question.changed();
  });
  return item;
}

/** What the address names behind #, which browsers keep to themselves. */
function fromAddress() {
  try {
    const named = decodeURIComponent(location.hash.slice(1));
    return document.getElementById(named) ? '' : named;
  } catch {
    return '';
  }
}

ask.addEventListener('input', () => {
  grow();
  question.changed();
});
get('why').addEventListener('toggle', () => why.show(ask.value.trim()));
get('examples').addEventListener('click', ({ target }) => {
  if (target.matches('button')) askFor(target.textContent);
  ask.focus();
});
get('meaning').addEventListener('focus', ({ target }) => {
  if (!target.value) target.placeholder = ask.value.trim();
});
get('teach').addEventListener('submit', teach);
addEventListener('hashchange', () => fromAddress() && askFor(fromAddress()));
if (!ask.value) ask.value = fromAddress();
grow();
showPrivacy(dictionary);
