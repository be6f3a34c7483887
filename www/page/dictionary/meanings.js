// Meanings, the words for them and their definitions, as elements.

import { element } from './element.js';

/** The definition with every word that is in `shared` marked. */
function marked(definition, shared) {
  const known = new Set(shared);
  const parts = definition.split(/([\p{L}\p{N}]+(?:['’.][\p{L}\p{N}]+)*)/u);
  return parts.map((part) => (known.has(part.normalize('NFKC').toLowerCase()) ? element('mark', {}, part) : part));
}

/** The items of the list: one for each meaning, its words first. */
export const meaningItems = (found) =>
  found.map(({ definition, words, similarity, shared, taught }) => {
    const note = taught ? [element('span', { class: 'badge' }, 'taught')] : [];
    const meter = element('span', { class: 'bar', 'aria-hidden': 'true' }, element('span', {}));
    meter.firstChild.style.width = `${Math.min(100, 100 * similarity)}%`;
    const figure = element('span', { class: 'score' }, similarity.toFixed(2));
    figure.prepend(element('span', { class: 'visually-hidden' }, 'similarity '));
    const text = element('p', { class: 'definition' }, ...marked(definition, shared));
    return element('li', {}, element('span', { class: 'word' }, words.join(', ')), ...note, meter, figure, text);
  });
