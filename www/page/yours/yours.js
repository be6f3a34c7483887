// The page: a table of the visitor's becomes a model, here, and answers.

import { trainInWorker } from './hapax/train/training_worker.js';
import { WorkerModel } from './hapax/worker.js';
import { answerItems } from './answers.js';
import { element } from './element.js';
import { bytes, count } from './numbers.js';
import { labelsOf, likelySeparator, readTable } from './table.js';

const ANSWERS = 5;
/** Labels that are shown of a table. */
const SHOWN = 4;
const STAGES = {
  features: 'Trying words and parts of words',
  parameters: 'Trying settings',
  nearest: 'Trying nearest neighbors',
  training: 'Training',
  solving: 'Training',
  mining: 'Looking for labels easily confused',
  softmax: 'Weighing labels against each other',
  calibrating: 'Making scores into probabilities',
};

const get = (id) => document.getElementById(id);

let table;
let model;
let stop;
let typing = new AbortController();

function trouble(message) {
  get('trouble').textContent = message;
  get('trouble').hidden = !message;
}

/** The labels of each text, as they are divided now. */
const labels = () => table.fields.map((field) => labelsOf(field, get('separator').value));

function describe() {
  const all = labels();
  const different = [...new Set(all.flat())];
  const some = different.slice(0, SHOWN).map((label) => `“${label}”`).join(', ');
  const more = different.length > SHOWN ? ' …' : '';
  get('about').textContent = `${count(all.length)} texts with ${count(different.length)} labels: ${some}${more}`;
  get('train').disabled = different.length < 2;
}

function take(name, content) {
  trouble('');
  stop?.abort();
  for (const id of ['known', 'asking']) get(id).hidden = true;
  try {
    table = readTable(content);
  } catch ({ message }) {
    trouble(`${name}: ${message}.`);
    return;
  }
  get('separator').value = likelySeparator(table.fields);
  describe();
  get('known').hidden = false;
}

async function takeFile(file) {
  if (file) take(file.name, await file.text());
}

function progress(report) {
  get('stage').textContent = STAGES[report.stage] ?? 'Training';
  if (report.of) Object.assign(get('progress'), { max: report.of, value: report.done });
  else get('progress').removeAttribute('value');
}

/** What training tried, in a sentence. */
function told(made, seconds) {
  const size = `${bytes(made.model.length)}, made in ${seconds.toFixed(0)} s`;
  if (!made.summary.judged) return `${size}. There are too few texts to say how good it is.`;
  const { precisionAt1 } = made.summary.tried.find(({ method }) => method === made.summary.method);
  const right = `${Math.round(100 * precisionAt1)} % of ${count(made.summary.judged)} texts that were held out`;
  return `${size}. Its first answer was right for ${right}, before it learned from these, too.`;
}

async function train() {
  trouble('');
  stop = new AbortController();
  const { signal } = stop;
  const start = performance.now();
  get('train').disabled = true;
  get('asking').hidden = true;
  get('working').hidden = false;
  try {
    const work = { texts: table.texts, labels: labels(), method: 'best' };
    const made = await trainInWorker(work, { progress, signal });
    model = await WorkerModel.load(made.model.slice().buffer);
    get('made').textContent = told(made, (performance.now() - start) / 1000);
    URL.revokeObjectURL(get('keep').href);
    get('keep').href = URL.createObjectURL(new Blob([made.model]));
    get('asking').hidden = false;
    get('ask').focus();
    await answer();
  } catch (error) {
    if (!signal.aborted) trouble(`It cannot be trained: ${error.message}.`);
  }
  if (stop.signal === signal) {
    get('working').hidden = true;
    get('train').disabled = false;
  }
}

async function answer() {
  typing.abort();
  typing = new AbortController();
  const { signal } = typing;
  const text = get('ask').value.trim();
  let items = [];
  try {
    if (text) items = answerItems(await model.predictText(text, ANSWERS, { signal }));
  } catch (error) {
    if (signal.aborted) return;
    const what = error.rule === 'NoFeatures' ? 'It knows none of these words.' : error.message;
    items = [element('li', { class: 'nothing' }, what)];
  }
  get('answers').replaceChildren(...items);
}

get('file').addEventListener('change', ({ target }) => takeFile(target.files[0]));
get('separator').addEventListener('change', describe);
get('train').addEventListener('click', train);
get('cancel').addEventListener('click', () => stop.abort());
get('ask').addEventListener('input', answer);
// A file may be dropped anywhere on the page.
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  takeFile(event.dataTransfer.files[0]);
});
