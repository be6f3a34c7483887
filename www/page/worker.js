// The model, on a thread of its own: whatever it does, the page stays free.
//
// Messages in, each answered by one message with the same `id`:
//   { id, ask: text, k }          { id, answers: [{ label, score }], microseconds }
//                                 or { id, problem }
//   { id, why: text, neighbors }  { id, evidence: [{ definition, similarity, labels, shared }] }
//   { id, teach: text, word }     { id, row }
//   { id, forget: row }           { id, forgotten }
//   { id, second: which }         { id, size, labels }, once that second model is here:
//                                 'weights' or 'hashed'
//   { id, weigh: text, which, k } { id, answers: [{ label, score, parts: [word] }], microseconds }
//   { id, kinds: true }           { id, size, labels }, once the model of kinds is here
//   { id, near: name, k }         { id, near: [{ id, label, distance, cosine, x, y }],
//                                 similar: [name] }
//   { id, files: true }           { id, files: [{ name, encodedBodySize }] }, what it has loaded
// Messages out by themselves: { progress: share }, { secondProgress: share },
// { kindsProgress: share }, { ready: info }, { trouble }.

import { fetchWhole } from './download.js';

const MODEL = 'reverse-dictionary.hapax';
const SECONDS = {
  weights: 'reverse-dictionary-weights.hapax',
  hashed: 'reverse-dictionary-mach.hapax',
};
const KINDS = 'kind-of-thing-distances.hapax';
const GLOSSES = 'reverse-dictionary.glosses.txt';
/** Shared words named with each definition: those that count most. */
const SHARED = 5;

/** Names said in place of one that no kind has. */
const SIMILAR = 5;

/** Words of a definition named with each answer of the second model. */
const PARTS = 3;

let model;
/** The second models that have been asked for, by name. */
const seconds = {};
/** The model of kinds and their names in small letters, once it has been asked for. */
let places;
let kindNames;
/** The definitions by row, once they have been asked for. */
let glosses;
/** Definitions taught since, by row. */
const taught = new Map();

/**
 * A part of the package: nearest neighbors alone are fewer bytes; all kinds come with the second
 * model.
 */
const nearestOnly = () => import('./hapax/nearest/browser.js');
const allKinds = () => import('./hapax/browser.js');

/** The package and its wasm file, which come while the model does. */
async function start(part) {
  const hapax = await part();
  await hapax.init();
  return hapax.Model;
}

/** Often enough for a bar, seldom enough for the page. */
function reporter(name) {
  let last = 0;
  return (share) => {
    if (share - last > 0.01) postMessage({ [name]: last = share });
  };
}

async function load() {
  const [Model, bytes] = await Promise.all([start(nearestOnly), fetchWhole(MODEL, reporter('progress'))]);
  model = Model.fromBytes(bytes);
  postMessage({ ready: { ...model.info(), size: bytes.length } });
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

async function second({ second: which }) {
  const [Model, bytes] = await Promise.all([start(allKinds), fetchWhole(SECONDS[which], reporter('secondProgress'))]);
  seconds[which]?.free();
  seconds[which] = Model.fromBytes(bytes);
  return { size: bytes.length, labels: seconds[which].info().labels };
}

function weigh({ weigh: text, which, k }) {
  const start = performance.now();
  const found = seconds[which].predictText(text, k);
  const microseconds = 1000 * (performance.now() - start);
  const answers = found.map(({ id, label, score }) => {
    const all = seconds[which].can('contributions') ? seconds[which].contributionsText(text, id, PARTS) : [];
    return { label, score, parts: all.filter((part) => part.score > 0).map(({ name }) => name) };
  });
  return { answers, microseconds };
}

async function kinds() {
  const [Model, bytes] = await Promise.all([start(allKinds), fetchWhole(KINDS, reporter('kindsProgress'))]);
  places?.free();
  places = Model.fromBytes(bytes);
  const { labels } = places.info();
  kindNames = Array.from({ length: labels }, (_, id) => places.labelName(id).toLowerCase());
  return { size: bytes.length, labels };
}

function near({ near: name, k }) {
  const wanted = name.toLowerCase();
  const exact = places.labelId(name) ?? kindNames.indexOf(wanted);
  if (exact >= 0) return { near: places.neighborhood(exact, k), similar: [] };
  const similar = kindNames.filter((kind) => kind.includes(wanted)).sort((a, b) => a.length - b.length);
  return { near: [], similar: similar.slice(0, SIMILAR) };
}

const verbs = { ask, why, teach, forget, second, weigh, kinds, near, files };

addEventListener('message', async ({ data }) => {
  const verb = Object.keys(verbs).find((name) => name in data);
  try {
    postMessage({ id: data.id, ...(await verbs[verb](data)) });
  } catch (error) {
    postMessage({ id: data.id, problem: { name: error.name, message: error.message } });
  }
});

load().catch((error) => postMessage({ trouble: { name: error.name, message: error.message } }));
