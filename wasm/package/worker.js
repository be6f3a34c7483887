// A model on a thread of its own, as promises: the page's side. worker_thread.js is the other.

import { checkOptions, read } from "./load.js";
import { revived } from "./problem.js";

const METHODS = [
  "can",
  "contributions",
  "contributionsText",
  "explain",
  "explainText",
  "forget",
  "info",
  "labelId",
  "labelName",
  "learn",
  "learnRow",
  "neighborhood",
  "predict",
  "predictText",
  "predictTexts",
  "prepare",
  "toBytes",
];

// The address stands as it is, so that bundlers find the file.
const newWorker = () => {
  if (typeof Worker === "function") return new Worker(new URL("./worker_thread.js", import.meta.url), { type: "module" });
  throw new Error("this runtime has no Worker: load the model by hapax itself, in Node by worker_threads");
};

/** Where options say how many answers are wanted, and how sure. */
const WANTED_AT = { predict: 2, predictText: 1, predictTexts: 1 };

/** The signal in the options that end a call, which are taken off; what else is wanted stays. */
const signalOf = (method, words) => {
  const last = words.at(-1);
  if (Object.prototype.toString.call(last) !== "[object Object]") return undefined;
  const { signal, ...wanted } = words.pop();
  if (WANTED_AT[method] !== words.length) checkOptions(last, ["signal"]);
  else if (Object.keys(wanted).length > 0) words.push(wanted);
  return signal;
};

export class WorkerModel {
  #worker;
  /** Questions that wait for the one in work, `{ words, transfer, signal, resolve, reject, … }`. */
  #queue = [];
  #inWork;
  #next = 0;
  /** Why no question will be answered any more. */
  #over;

  constructor(worker, key) {
    if (key !== METHODS) throw new TypeError("a WorkerModel is not made by new, but by WorkerModel.load(url)");
    this.#worker = worker;
    worker.addEventListener("message", ({ data }) => this.#hear(data));
    worker.addEventListener("messageerror", () => this.#end(new Error("a message of the worker could not be read")));
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      const message = event.message || "its script could not be loaded: does the bundler know worker_thread.js?";
      this.#end(new Error(`the worker of hapax failed: ${message}`));
    });
  }

  static async load(source, options = {}) {
    checkOptions(options, ["signal", "progress", "prepare", "worker"]);
    const { signal, progress, prepare, worker } = options;
    signal?.throwIfAborted();
    const from = await source;
    const isUrl = typeof from === "string" || from instanceof URL;
    // The worker has another address, and what it loads by itself needs no copy here.
    const loaded = isUrl ? new URL(from, globalThis.location?.href).href : (await read(from, { signal, progress })).slice();
    const model = new WorkerModel(worker ?? newWorker(), METHODS);
    try {
      await model.#ask(["load", loaded, { prepare }], signal, isUrl ? progress : undefined, isUrl ? [] : [loaded.buffer]);
    } catch (error) {
      model.free();
      throw error;
    }
    return model;
  }

  /** Ends the worker; questions that wait are refused. */
  free() {
    this.#end(new Error("this WorkerModel was freed; make another one"));
  }

  toJSON() {
    throw new TypeError("a WorkerModel is no JSON: await model.toBytes() gives the bytes of the model");
  }

  #ask(words, signal, progress, transfer = []) {
    return new Promise((resolve, reject) => {
      if (this.#over) throw this.#over;
      signal?.throwIfAborted();
      const question = { id: this.#next++, words, transfer, resolve, reject, progress };
      const abort = () => {
        if (question === this.#inWork) this.#worker.postMessage({ cancel: question.id });
        this.#queue = this.#queue.filter((waiting) => waiting !== question);
        reject(signal.reason);
      };
      signal?.addEventListener("abort", abort);
      question.settled = () => signal?.removeEventListener("abort", abort);
      this.#queue.push(question);
      this.#send();
    });
  }

  #send() {
    if (this.#inWork || this.#queue.length === 0) return;
    this.#inWork = this.#queue.shift();
    const { id, words, transfer, reject } = this.#inWork;
    try {
      this.#worker.postMessage({ id, words }, transfer);
    } catch (error) {
      reject(error);
      this.#inWork = undefined;
      this.#send();
    }
  }

  #hear({ progress, problem, answer }) {
    const question = this.#inWork;
    if (progress) return question?.progress?.(progress);
    this.#inWork = undefined;
    question.settled();
    if (problem) question.reject(revived(problem));
    else question.resolve(answer);
    this.#send();
  }

  #end(reason) {
    this.#over ??= reason;
    this.#worker.terminate();
    for (const { reject, settled } of [...(this.#inWork ? [this.#inWork] : []), ...this.#queue]) {
      settled();
      reject(this.#over);
    }
    this.#inWork = undefined;
    this.#queue = [];
  }

  static {
    for (const method of METHODS) {
      WorkerModel.prototype[method] = async function (...words) {
        const signal = signalOf(method, words);
        return this.#ask([method, ...words], signal);
      };
    }
    if (Symbol.dispose) WorkerModel.prototype[Symbol.dispose] = WorkerModel.prototype.free;
  }
}
