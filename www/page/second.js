// The second model: asked only by those who choose it, and fetched only then.

import { weighed } from './answers.js';
import { bytes, count, microseconds as time } from './numbers.js';

const WORDS = 8;

const get = (id) => document.getElementById(id);

/** The second model's part of the page; `fetched()` is told once its file is here. */
export class Second {
  #dictionary;
  #fetched;
  /** What it is, once it is here: bytes and words. */
  #about = '';

  constructor(dictionary, fetched) {
    this.#dictionary = dictionary;
    this.#fetched = fetched;
  }

  /** It can be chosen from now on; `changed()` is told when it is, or no longer. */
  enable(changed) {
    get('second').disabled = false;
    get('second').addEventListener('change', () => this.#choose(changed));
    // Browsers keep what was checked when a page is loaded again.
    if (get('second').checked) this.#choose(changed);
  }

  /** How much of its file has come. */
  progress(share) {
    get('second-state').textContent = `fetching, ${Math.round(100 * share)} %`;
  }

  async #choose(changed) {
    if (get('second').checked && !this.#about && !(await this.#open())) return;
    changed();
  }

  async #open() {
    get('second').disabled = true;
    this.progress(0);
    try {
      const { size, labels } = await this.#dictionary.second();
      this.#about = `${bytes(size)}, ${count(labels)} words`;
      get('second-state').textContent = this.#about;
      this.#fetched();
      return true;
    } catch ({ message }) {
      get('second').checked = false;
      get('second-state').textContent = `it does not open: ${message}`;
      return false;
    } finally {
      get('second').disabled = false;
    }
  }

  /** Shows its answers to `text`, if it is wanted. */
  async show(text) {
    const wanted = get('second').checked && this.#about !== '';
    get('second-found').hidden = !wanted;
    if (!wanted) return;
    let [items, problem] = [[], ''];
    try {
      const { answers, microseconds } = await this.#dictionary.weigh(text, WORDS);
      items = weighed(answers);
      get('second-state').textContent = `${this.#about} · answered in ${time(microseconds)}`;
    } catch ({ message }) {
      problem = `No words yet: ${message}.`;
    }
    get('second-answers').replaceChildren(...items);
    get('second-nothing').hidden = problem === '';
    get('second-nothing').textContent = problem;
  }
}
