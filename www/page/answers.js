// Words and the definitions behind them, as elements.

import { element } from './element.js';

/** One word with its score, as a share of the best. */
function answer({ label, score }, best, isTaught) {
  const meter = element('span', { class: 'bar', 'aria-hidden': 'true' }, element('span', {}));
  meter.firstChild.style.width = `${(100 * score) / best}%`;
  const word = element('span', { class: 'word' }, label);
  const note = isTaught ? [element('span', { class: 'badge' }, 'taught')] : [];
  const figure = element('span', { class: 'score' }, score.toFixed(3));
  figure.prepend(element('span', { class: 'visually-hidden' }, 'score '));
  return element('li', {}, word, ...note, meter, figure);
}

/** The items of the list of words; `taught` holds the words of the user. */
export function answers(found, taught) {
  const best = found[0]?.score ?? 1;
  return found.map((one) => answer(one, best, taught.has(one.label)));
}

/** The items of the second model's list: each word, what counts most for it, and its score. */
export function weighed(found) {
  return found.map(({ label, score, parts }) => {
    const word = element('span', { class: 'word' }, label);
    const reasons = element('span', { class: 'reasons' }, parts.join(', '));
    if (parts.length) reasons.prepend(element('span', { class: 'visually-hidden' }, 'because of '));
    const figure = element('span', { class: 'score' }, score.toFixed(3));
    figure.prepend(element('span', { class: 'visually-hidden' }, 'score '));
    return element('li', {}, word, reasons, figure);
  });
}

/** The definition with every word that is in `shared` marked. */
function marked(definition, shared) {
  const known = new Set(shared);
  const parts = definition.split(/([\p{L}\p{N}]+(?:['’.][\p{L}\p{N}]+)*)/u);
  return parts.map((part) => (known.has(part.normalize('NFKC').toLowerCase()) ? element('mark', {}, part) : part));
}

/** The items of the list of definitions. */
export function evidence(found) {
  return found.map(({ definition, labels, similarity, shared, taught }) => {
    const words = element('span', { class: 'words' }, labels.join(', '));
    const note = taught ? [element('span', { class: 'badge' }, 'taught')] : [];
    const figure = element('span', { class: 'score' }, similarity.toFixed(3));
    figure.prepend(element('span', { class: 'visually-hidden' }, 'similarity '));
    const text = element('p', {}, ...marked(definition, shared));
    return element('li', {}, element('div', { class: 'head' }, words, ...note, figure), text);
  });
}
