// The page's side of the worker: questions as promises.

/** A question that has no answer; its `name` and `rule` are those of the package's error. */
class Refused extends Error {
  constructor({ name, message, rule }) {
    super(message);
    Object.assign(this, { name, rule });
  }
}

/**
 * The model behind the worker. Calls `on.progress`, `on.ready` and `on.trouble` as it loads, and
 * `on.defined` once meanings have definitions, or with the reason why they have none.
 */
export class Dictionary {
  #worker;
  #waiting = new Map();
  #next = 0;

  constructor(on) {
    this.#worker = new Worker('worker.js', { type: 'module', name: 'dictionary' });
    this.#worker.addEventListener('message', ({ data }) => {
      if ('id' in data) this.#settle(data);
      else if (data.ready) on.ready(data.ready);
      else if (data.trouble) on.trouble(new Refused(data.trouble));
      else if (data.defined) on.defined(data.defined);
      else on.progress(data.progress);
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      const message = event.message || 'a file of this page could not be loaded or run';
      on.trouble(new Refused({ name: 'Error', message }));
    });
  }

  #settle({ id, problem, ...answer }) {
    const { resolve, reject } = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (problem) reject(new Refused(problem));
    else resolve(answer);
  }

  #send(message) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message });
    });
  }

  /** The `k` meanings nearest to a definition: `{ meanings, microseconds }`. */
  ask(text, k) {
    return this.#send({ ask: text, k });
  }

  /** Learns a word: `{ row }`, by which it can be forgotten. */
  teach(text, word) {
    return this.#send({ teach: text, word });
  }

  forget(row) {
    return this.#send({ forget: row });
  }

  /** What the worker has loaded: `{ files }`. */
  files() {
    return this.#send({ files: true });
  }
}
