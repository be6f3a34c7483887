// A second model beside the first: asked only by those who choose one, and fetched only then.

import { weighed } from './answers.js';
import { bytes, count, microseconds as time } from './numbers.js';

const WORDS = 8;

const get = (id) => document.getElementById(id);

/** What each is called, and what is said below its words. */
const MODELS = {
  weights: {
    name: 'Words by weights',
    note: 'Each word adds up what it learned of yours: beside it those that count most. It cannot be taught.',
  },
  hashed: {
    name: 'Words by hashing (MACH)',
    note: 'Words share buckets, several times and each time others; a word scores what its buckets do. That keeps a model '
      + 'small that has many words with many definitions; here words have one or two, too few to tell those of a bucket apart.',
  },
};

/** The second model's part of the page; `fetched()` is told once a file is here. */
export class Second {
  #dictionary;
  #fetched;
  /** What each is that has been fetched: bytes and words. */
  #about = new Map();

  constructor(dictionary, fetched) {
    this.#dictionary = dictionary;
    this.#fetched = fetched;
  }

  /** One can be chosen from now on; `changed()` is told when one is, or none any longer. */
  enable(changed) {
    get('second').disabled = false;
    get('second').addEventListener('change', () => this.#choose(changed));
    // Browsers keep what was chosen when a page is loaded again.
    if (get('second').value) this.#choose(changed);
  }

  /** How much of a file has come. */
  progress(share) {
    get('second-state').textContent = `fetching, ${Math.round(100 * share)} %`;
  }

  async #choose(changed) {
    const which = get('second').value;
    if (which && !this.#about.has(which) && !(await this.#open(which))) return;
    get('second-state').textContent = this.#about.get(which)?.words ?? '';
    changed();
  }

  async #open(which) {
    get('second').disabled = true;
    this.progress(0);
    try {
      const { size, labels } = await this.#dictionary.second(which);
      this.#about.set(which, { size: bytes(size), words: `${count(labels)} words` });
      this.#fetched();
      return true;
    } catch ({ message }) {
      get('second').value = '';
      get('second-state').textContent = `it does not open: ${message}`;
      return false;
    } finally {
      get('second').disabled = false;
    }
  }

  /** Shows its answers to `text`, if one is wanted. */
  async show(text) {
    const which = get('second').value;
    const about = this.#about.get(which);
    get('second-found').hidden = !about;
    if (!about) return;
    let [items, problem, took] = [[], '', ''];
    try {
      const { answers, microseconds } = await this.#dictionary.weigh(which, text, WORDS);
      items = weighed(answers);
      took = ` · ${time(microseconds)}`;
    } catch ({ message }) {
      problem = `No words yet: ${message}.`;
    }
    get('second-name').textContent = MODELS[which].name;
    get('second-cost').textContent = `${about.size}${took}`;
    get('second-note').textContent = MODELS[which].note;
    get('second-answers').replaceChildren(...items);
    get('second-nothing').hidden = problem === '';
    get('second-nothing').textContent = problem;
  }
}
