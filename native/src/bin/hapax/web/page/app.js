// The page: what is typed goes to the model in its worker, what comes back is shown.

import { hasSimd } from './hapax/simd.js';
import { WorkerModel } from './hapax/worker.js';
import { answerItems, nearestItems, weighedItems, worth } from './answers.js';
import { askForLabels } from './corrections.js';
import { count } from './numbers.js';

const ANSWERS = 5;
/** Answers after the first that are less probable are left out; so are labels that no text was trained for. */
const LEAST = 0.01;
const UNTRAINED = -3e38;
/** Training texts shown as evidence, and features of each or of an answer. */
const NEIGHBORS = 5;
const FEATURES = 24;
/** Milliseconds without typing until answers are read out. */
const PAUSE = 700;

const get = (id) => document.getElementById(id);
const ask = get('ask');

let model;
let info;
let labelInfo;
let typing = new AbortController();

const clear = () => {
  get('found').hidden = true;
  get('examples').hidden = false;
};

/** Says the answers to those who listen, when typing has paused. */
const speak = (() => {
  let pause;
  return (text) => {
    clearTimeout(pause);
    pause = setTimeout(() => (get('spoken').textContent = text), PAUSE);
  };
})();

/** How sure the first answer must be for this model to give any. */
const isUnsure = (answers) => info.thresholds && !(answers[0]?.probability >= info.thresholds.abstain);

/** Whether an answer would be given at the model's threshold, which suits most texts. */
const isLikely = ({ probability }, at) => (info.thresholds ? probability >= info.thresholds.micro : at === 0);

function show(text, answers) {
  const unsure = isUnsure(answers);
  const note = unsure ? 'Not sure. These are guesses:' : '';
  get('nothing').hidden = !unsure;
  get('nothing').textContent = note;
  get('answers').classList.toggle('unsure', Boolean(unsure));
  get('answers').replaceChildren(...answerItems(answers, labelInfo));
  get('why').hidden = !info.evidence || answers.length === 0;
  get('found').hidden = false;
  askForLabels(text, answers, isLikely);
  speak([note, ...answers.map((answer) => `${answer.label}, ${worth(answer)}`)].filter(Boolean).join(' '));
}

function showNothing(text, message) {
  get('answers').replaceChildren();
  get('nothing').textContent = message;
  get('nothing').hidden = false;
  get('why').hidden = true;
  get('found').hidden = false;
  askForLabels(text, [], isLikely);
  speak(message);
}

/** Why the answers are what they are, if someone wants to see it. */
async function showEvidence(text, answers, signal) {
  if (get('why').hidden || !get('why').open) return;
  if (info.kind === 'nearest') {
    const found = await model.explainText(text, NEIGHBORS, FEATURES, { signal });
    get('evidence').replaceChildren(...nearestItems(text, found));
    return;
  }
  const found = [];
  for (const { id, label } of answers) found.push({ label, features: await model.contributionsText(text, id, FEATURES, { signal }) });
  get('evidence').replaceChildren(...weighedItems(text, found));
}

async function answer() {
  typing.abort();
  typing = new AbortController();
  const { signal } = typing;
  const text = ask.value.trim();
  if (!model) return;
  if (!text) {
    clear();
    return;
  }
  get('examples').hidden = true;
  try {
    const found = await model.predictText(text, ANSWERS, { signal });
    const answers = found.filter(({ score, probability }, at) => score > UNTRAINED && (at === 0 || !(probability < LEAST)));
    show(text, answers);
    await showEvidence(text, answers, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (error.name === 'PredictError' && error.rule === 'NoFeatures') showNothing(text, 'It knows none of these words.');
    else showTrouble(error);
  }
}

function showTrouble({ name, message }) {
  const what = {
    FormatError: 'The model file is damaged',
    LoadError: 'The model did not arrive',
  }[name] ?? 'The page does not work';
  get('loading').hidden = true;
  get('trouble').textContent = `${what}: ${message}. Loading the page again may help.`;
  get('trouble').hidden = false;
}

/** From now on the page is there without a network. */
async function keep() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  // Of the two wasm files a browser needs one.
  const without = hasSimd() ? 'hapax.wasm' : 'hapax_simd.wasm';
  await serviceWorker.register(`sw.js?without=${without}`, { updateViaCache: 'none' });
  await serviceWorker.ready;
  get('status').textContent = `${ready()} The page works offline from now on.`;
}

const ready = () => `${count(document.body.dataset.labels)} labels, ready.`;

/** What labels mean, by name; it may come late. */
async function loadLabelInfo() {
  const response = await fetch('labels.json');
  if (!response.ok) throw new Error(`labels.json: ${response.status}`);
  labelInfo = await response.json();
  answer();
}

async function start() {
  const loaded = await WorkerModel.load('model.hapax', {
    progress: (report) => {
      if (report.total) get('progress').value = report.loaded / report.total;
    },
  });
  info = await loaded.info();
  info.evidence = info.kind === 'nearest' || info.kind === 'linear';
  get('why-note').textContent =
    info.kind === 'nearest'
      ? 'The training texts that are most like yours: their labels, how like they are, and the words you share.'
      : 'The words that count most for each label.';
  get('loading').hidden = true;
  get('status').textContent = ready();
  model = loaded;
  answer();
  const lacks = (what) => (error) => console.warn(`${what}: ${error.message}`);
  if (document.body.dataset.labelInfo) await loadLabelInfo().catch(lacks('What labels mean did not arrive'));
  await keep().catch(lacks('The page does not work offline'));
}

ask.addEventListener('input', answer);
get('why').addEventListener('toggle', answer);
get('examples').addEventListener('click', ({ target }) => {
  if (!target.matches('button')) return;
  ask.value = target.textContent;
  answer();
  ask.focus();
});

start().catch(showTrouble);
