// The page's side of the worker: questions as promises.

/** A question that has no answer; its `name` is that of the package's error. */
class Refused extends Error {
  constructor({ name, message }) {
    super(message);
    this.name = name;
  }
}

/**
 * The models behind the worker. Calls `on.progress`, `on.ready` and `on.trouble` as the first loads,
 * `on.secondProgress` as the second does, and `on.kindsProgress` as that of kinds does.
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
      else if ('secondProgress' in data) on.secondProgress(data.secondProgress);
      else if ('kindsProgress' in data) on.kindsProgress(data.kindsProgress);
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

  /** The `k` best words for a definition: `{ answers, microseconds }`. */
  ask(text, k) {
    return this.#send({ ask: text, k });
  }

  /** The nearest definitions: `{ evidence }`. The first call fetches the file of definitions. */
  why(text, neighbors) {
    return this.#send({ why: text, neighbors });
  }

  /** Learns a word: `{ row }`, by which it can be forgotten. */
  teach(text, word) {
    return this.#send({ teach: text, word });
  }

  forget(row) {
    return this.#send({ forget: row });
  }

  /** Fetches a second model, `weights` or `hashed`: `{ size, labels }`, in bytes and words. */
  second(which) {
    return this.#send({ second: which });
  }

  /** That model's `k` best words, with what counts most for each where it can say so: `{ answers, microseconds }`. */
  weigh(which, text, k) {
    return this.#send({ weigh: text, which, k });
  }

  /** Fetches the model of kinds: `{ size, labels }`, in bytes and kinds. */
  kinds() {
    return this.#send({ kinds: true });
  }

  /** The `k` kinds nearest to that of this name, itself first, with places: `{ near }`; if none has it, `{ similar }` names. */
  near(kind, k) {
    return this.#send({ near: kind, k });
  }

  /** What the worker has loaded: `{ files }`. */
  files() {
    return this.#send({ files: true });
  }
}
