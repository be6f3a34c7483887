// The model, on a thread of its own: whatever it does, the page stays free.
//
// Messages in, each answered by one message with the same `id`:
//   { id, ask: text, k }          { id, answers: [{ label, score }], microseconds } or { id, problem }
//   { id, why: text, neighbors }  { id, evidence: [{ definition, similarity, labels, shared }] }
//   { id, teach: text, word }     { id, row }
//   { id, forget: row }           { id, forgotten }
//   { id, files: true }           { id, files: [{ name, encodedBodySize }] }, what it has loaded
// Messages out by themselves: { progress: share }, { ready: info }, { trouble }.

import { fetchWhole } from './download.js';

const MODEL = 'reverse-dictionary.hapax';
const GLOSSES = 'reverse-dictionary.glosses.txt';
/** Shared words named with each definition: those that count most. */
const SHARED = 5;

let model;
/** The definitions by row, once they have been asked for. */
let glosses;
/** Definitions taught since, by row. */
const taught = new Map();

/** The package and its wasm file, which come while the model does. */
async function start() {
  const hapax = await import('./hapax/browser.js');
  await hapax.init();
  return hapax.Model;
}

async function load() {
  let last = 0;
  const [Model, bytes] = await Promise.all([
    start(),
    fetchWhole(MODEL, (share) => {
      // Often enough for a bar, seldom enough for the page.
      if (share - last > 0.01) postMessage({ progress: last = share });
    }),
  ]);
  model = Model.fromBytes(bytes);
  postMessage({ ready: model.info() });
}

function ask({ ask: text, k }) {
  const start = performance.now();
  const answers = model.predictText(text, k);
  const microseconds = 1000 * (performance.now() - start);
  return { answers, microseconds };
}

async function why({ why: text, neighbors }) {
  glosses ??= fetchWhole(GLOSSES).then(
    (bytes) => new TextDecoder().decode(bytes).split('\n'),
    (error) => { glosses = undefined; throw error; },
  );
  const lines = await glosses;
  const evidence = model.explainText(text, neighbors, SHARED);
  return {
    evidence: evidence.map(({ row, similarity, labels, features }) => ({
      definition: taught.get(row) ?? lines[row] ?? '',
      taught: taught.has(row),
      similarity,
      labels: labels.map(({ label }) => label),
      shared: features.map(({ name }) => name),
    })),
  };
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

const verbs = { ask, why, teach, forget, files };

addEventListener('message', async ({ data }) => {
  const verb = Object.keys(verbs).find((name) => name in data);
  try {
    postMessage({ id: data.id, ...(await verbs[verb](data)) });
  } catch (error) {
    postMessage({ id: data.id, problem: { name: error.name, message: error.message } });
  }
});

load().catch((error) => postMessage({ trouble: { name: error.name, message: error.message } }));
