// The model, on a thread of its own: whatever it does, the page stays free.
//
// Messages in, each answered by one message with the same `id`:
//   { id, ask: text, k }       { id, meanings: [{ words, definition, taught, similarity, shared }],
//                              microseconds }, or { id, problem }
//   { id, teach: text, word }  { id, row }
//   { id, forget: row }        { id, forgotten }
//   { id, files: true }        { id, files: [{ name, encodedBodySize }] }, what it has loaded
// Messages out by themselves: { progress: share }, { ready: info }, { trouble }, and { defined },
// true once meanings have their definitions, or why they have not.

import { fetchWhole } from './download.js';
import { init, Model } from './hapax/nearest/browser.js';

const MODEL = 'reverse-dictionary.hapax';
const GLOSSES = 'reverse-dictionary.glosses.txt';
/** Words that a meaning shares with the question: those that count most. */
const SHARED = 5;

let model;
/** The definitions by row, once they are here. */
let glosses = [];
/** Definitions taught since, by row. */
const taught = new Map();

/** Often enough for a bar, seldom enough for the page. */
function reporter() {
  let last = 0;
  return (share) => {
    if (share - last > 0.01) postMessage({ progress: last = share });
  };
}

async function load() {
  const [bytes] = await Promise.all([fetchWhole(MODEL, reporter()), init()]);
  model = Model.fromBytes(bytes);
  postMessage({ ready: { ...model.info(), size: bytes.length } });
}

/** The definitions come after the model: words are answered meanwhile. */
async function define() {
  glosses = new TextDecoder().decode(await fetchWhole(GLOSSES)).split('\n');
  postMessage({ defined: true });
}

function ask({ ask: text, k }) {
  const start = performance.now();
  const found = model.explainText(text, k, SHARED);
  const microseconds = 1000 * (performance.now() - start);
  const meanings = found.map(({ row, similarity, labels, features }) => ({
    words: labels.map(({ label }) => label),
    definition: taught.get(row) ?? glosses[row] ?? '',
    taught: taught.has(row),
    similarity,
    shared: features.map(({ name }) => name),
  }));
  return { meanings, microseconds };
}

function teach({ teach: text, word }) {
  const row = model.learn(text, word);
  taught.set(row, text);
  return { row };
}

function forget({ forget: row }) {
  taught.delete(row);
  return { forgotten: model.forget(row) };
}

function files() {
  const entries = performance.getEntriesByType('resource');
  return { files: entries.map(({ name, encodedBodySize }) => ({ name, encodedBodySize })) };
}

const verbs = { ask, teach, forget, files };

addEventListener('message', ({ data }) => {
  const verb = Object.keys(verbs).find((name) => name in data);
  try {
    postMessage({ id: data.id, ...verbs[verb](data) });
  } catch ({ name, message, rule }) {
    postMessage({ id: data.id, problem: { name, message, rule } });
  }
});

load().then(
  () => define().catch(({ message }) => postMessage({ defined: message })),
  ({ name, message }) => postMessage({ trouble: { name, message } }),
);
