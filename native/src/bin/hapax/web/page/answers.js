// Answers and the evidence for them, as elements.

import { element } from './element.js';

const percent = (probability) => `${Math.round(100 * probability)} %`;

/** How good an answer is, in words: its probability, where the model has probabilities. */
export const worth = ({ probability, score }) => (probability === undefined ? score.toFixed(3) : percent(probability));

/** A label, with a link where one is known. */
function named(label, [, link] = []) {
  const name = link ? element('a', { href: link, rel: 'noreferrer' }, label) : label;
  return element('span', { class: 'word', dir: 'auto' }, name);
}

/** The items of the list of answers; `info` has what is known of labels: `[definition, link]`. */
export function answerItems(answers, info) {
  return answers.map((answer) => {
    const known = info && Object.hasOwn(info, answer.label) ? info[answer.label] : undefined;
    const parts = [named(answer.label, known)];
    if (answer.probability !== undefined) {
      const bar = element('span', { class: 'bar', 'aria-hidden': 'true' }, element('span'));
      bar.firstChild.style.width = `${100 * answer.probability}%`;
      parts.push(bar);
    }
    const what = answer.probability === undefined ? 'score ' : 'probability ';
    parts.push(element('span', { class: 'score' }, element('span', { class: 'visually-hidden' }, what), worth(answer)));
    if (known?.[0]) parts.push(element('p', { class: 'definition', dir: 'auto' }, known[0]));
    return element('li', {}, ...parts);
  });
}

/** Words shown of one answer. */
const SHOWN = 6;

/** A feature with the ends of its words marked, as those of pieces of words are: `#<rai`. */
const marked = ({ id, name = `feature ${id}` }) =>
  name.startsWith('#') && name.length > 1 ? name.slice(1) : name.split(' ').map((word) => `<${word}>`).join(' ');

/** The same for people: a piece has dots where its word goes on. */
const readable = (form) =>
  `${form.startsWith('<') ? '' : '…'}${form.replace(/[<>]/g, '')}${form.endsWith('>') ? '' : '…'}`;

/**
 * The words of a text that count most for an answer, marked, and those against it. What features
 * add is shared by the words in which they occur.
 */
function words(text, features) {
  const found = text.normalize('NFKC').toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:['’.][\p{L}\p{M}\p{N}]+)*/gu) ?? [];
  const sums = new Map(found.map((word) => [word, 0]));
  const all = [...sums.keys()];
  for (const feature of features) {
    const form = marked(feature);
    const within = all.filter((word) => form.includes(`<${word}>`) || `<${word}>`.includes(form));
    const share = (feature.score ?? feature.share) / Math.max(within.length, 1);
    for (const word of within.length ? within : [readable(form)]) sums.set(word, (sums.get(word) ?? 0) + share);
  }
  const most = [...sums].sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  const of = (sign) => most.filter(([, sum]) => sign * sum > 0).slice(0, SHOWN).map(([word]) => word);
  const marks = of(1).flatMap((word, at) => [...(at ? [' '] : []), element('mark', {}, word)]);
  const against = of(-1).join(', ');
  return against ? [...marks, element('span', { class: 'note' }, `${marks.length ? ' — ' : ''}against it: ${against}`)] : marks;
}

const item = (title, figure, text, features) =>
  element(
    'li',
    {},
    element('div', { class: 'head' }, element('span', { class: 'words', dir: 'auto' }, title), figure),
    element('p', {}, ...words(text, features)),
  );

/** Which words count for each answer: `found` holds `{ label, features }`. */
export const weighedItems = (text, found) => found.map(({ label, features }) => item(label, '', text, features));

/** The training texts that are nearest: their labels, how near they are and what they share. */
export const nearestItems = (text, found) =>
  found.map(({ labels, similarity, features }) => {
    const figure = element('span', { class: 'score' }, similarity.toFixed(2));
    figure.prepend(element('span', { class: 'visually-hidden' }, 'similarity '));
    return item(labels.map(({ label }) => label).join(', '), figure, text, features);
  });
