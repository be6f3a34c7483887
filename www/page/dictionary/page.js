// The page: what is typed goes to the worker, what comes back is shown.

import { Dictionary } from './dictionary.js';
import { element } from './element.js';
import { meaningItems } from './meanings.js';
import { bytes, count, microseconds as time } from './numbers.js';
import { loadedFiles, showPrivacy } from './privacy.js';

const MEANINGS = 6;
/**
 * A definition that is less like the best one is answered with a warning: of sixty questions of
 * strangers (www/queries) a fifth had the right word there, two thirds above.
 */
const LIKE = 0.4;

const get = (id) => document.getElementById(id);
const ask = get('ask');
/** Words taught, by the row that learning gave. */
const taught = new Map();
let ready = false;
/** Bytes of all files loaded so far, in words. */
let loaded = '';

const dictionary = new Dictionary({
  progress(share) {
    get('progress').value = share;
  },
  async ready(info) {
    ready = true;
    question.changed();
    get('loading').hidden = true;
    get('status').hidden = false;
    get('status').textContent = `${count(info.labels)} words, ready`;
    get('made').textContent = `Model: ${info.algorithm}, ${count(info.trainingRows)} definitions, ${info.library}.`;
    get('teach-button').disabled = false;
    await weigh();
  },
  async defined(what) {
    if (what !== true) console.warn(`The definitions did not arrive: ${what}`);
    question.changed();
    await weigh();
  },
  trouble: showTrouble,
});

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
      const { meanings, microseconds } = await dictionary.ask(text, MEANINGS);
      const unsure = !(meanings[0]?.similarity >= LIKE);
      const note = meanings.length ? 'Not sure. These are guesses:' : 'No definition shares a word with this one.';
      get('nothing').hidden = !unsure;
      get('nothing').textContent = note;
      get('answers').classList.toggle('unsure', unsure);
      get('answers').replaceChildren(...meaningItems(meanings));
      get('status').textContent = `Answered in ${time(microseconds)}${loaded}`;
      speak(unsure ? note : '', meanings);
    } catch (error) {
      get('answers').replaceChildren();
      get('nothing').hidden = false;
      get('nothing').textContent = error.rule === 'NoFeatures' ? 'It knows none of these words. It speaks English.' : error.message;
      get('status').textContent = `No answer${loaded}`;
      speak(get('nothing').textContent, []);
    }
    get('found').hidden = false;
    if (!performance.getEntriesByName('first-answer').length) performance.mark('first-answer');
  },
};

/** Says the words to those who listen, when typing has paused. */
const speak = (() => {
  let pause;
  return (note, meanings) => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      get('spoken').textContent = [note, ...meanings.map(({ words }) => words.join(', '))].filter(Boolean).join('; ');
    }, 700);
  };
})();

function askFor(text) {
  ask.value = text;
  grow();
  question.changed();
}

/**
 * The box is as high as its text. Asking for its height makes the browser lay out the page at once,
 * so this is for those that do not do it by themselves (field-sizing, in style.css).
 */
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
