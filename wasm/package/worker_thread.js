// A model on a thread of its own: the worker's side. It answers one question after the other:
//   { id, words: ["load", source, { prepare }] }   { progress } while it comes, then { id, answer }
//   { id, words: [method, …arguments] }            { id, answer } or { id, problem }
//   { cancel: id }                                 stops that question, if it is still in work

import { Model } from "./browser.js";
import { told } from "./problem.js";

/** Milliseconds of work between two chances for messages. */
const SLICE = 50;

let model;
let inWork;

const otherMessages = () => new Promise((resolve) => setTimeout(resolve));

const load = async (source, { prepare }, signal) => {
  let next = 0;
  const progress = (report) => {
    // Often enough for a bar.
    if (report.loaded < next) return;
    next = report.loaded + (report.total ?? 1e7) / 100;
    postMessage({ progress: report });
  };
  model = await Model.load(source, prepare === undefined ? { signal, progress } : { signal, progress, prepare });
};

/** One after the other in a list of equal typed arrays. */
const joined = (arrays) => {
  const all = new arrays[0].constructor(arrays.reduce((length, array) => length + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
};

/** As `Model.predictTexts`, in slices between which a cancellation is heard. */
const predictTexts = async (texts, k, signal) => {
  const parts = [];
  let [at, size, end] = [0, 16, 0];
  while (at < texts.length || parts.length === 0) {
    const start = performance.now();
    const { offsets, ids, scores, probabilities } = model.predictTexts(texts.slice(at, at + size), k);
    const ends = offsets.subarray(parts.length === 0 ? 0 : 1).map((offset) => offset + end);
    parts.push({ offsets: ends, ids, scores, probabilities });
    [at, end] = [at + size, end + ids.length];
    size = performance.now() - start < SLICE ? 2 * size : size;
    await otherMessages();
    signal.throwIfAborted();
  }
  const all = (name) => parts[0][name] && joined(parts.map((part) => part[name]));
  return { offsets: all("offsets"), ids: all("ids"), scores: all("scores"), probabilities: all("probabilities") };
};

const answerTo = ([method, ...words], signal) => {
  if (method === "load") return load(...words, signal);
  if (method === "predictTexts" && Array.isArray(words[0])) return predictTexts(words[0], words[1], signal);
  return model[method](...words);
};

addEventListener("message", async ({ data: { id, words, cancel } }) => {
  if (cancel !== undefined) {
    if (inWork?.id === cancel) inWork.abort.abort();
    return;
  }
  inWork = { id, abort: new AbortController() };
  let message;
  try {
    message = { id, answer: await answerTo(words, inWork.abort.signal) };
  } catch (error) {
    message = { id, problem: told(error) };
  }
  inWork = undefined;
  postMessage(message);
});
