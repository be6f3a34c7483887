// Kinds of things near a kind, as a picture and as a list; the model is fetched when someone asks.

import { element } from './element.js';
import { bytes, count } from './numbers.js';
import { picture } from './picture.js';

/** Kinds shown beside the one asked for. */
const NEIGHBORS = 10;

const get = (id) => document.getElementById(id);

/** The part of the page about kinds; `fetched()` is told once the model is here. */
export class Near {
  #dictionary;
  #fetched;
  /** The promise of what the model is: bytes and kinds. */
  #about;

  constructor(dictionary, fetched) {
    this.#dictionary = dictionary;
    this.#fetched = fetched;
    get('near').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#show(get('kind').value.trim());
    });
    for (const place of ['kinds', 'near-list']) {
      get(place).addEventListener('click', ({ target }) => {
        const button = target.closest('button');
        if (button) this.#show(button.dataset.kind ?? button.textContent);
      });
    }
    get('near-picture').addEventListener('click', ({ target }) => {
      const kind = target.closest('[data-kind]')?.dataset.kind;
      if (kind) this.#show(kind);
    });
  }

  /** How much of the model's file has come. */
  progress(share) {
    get('near-state').textContent = `fetching, ${Math.round(100 * share)} %`;
  }

  async #show(kind) {
    if (!kind) return;
    try {
      this.#about ??= this.#open();
      const about = await this.#about;
      const { near, similar } = await this.#dictionary.near(kind, NEIGHBORS);
      if (near.length) this.#draw(near, about);
      else this.#say(`No kind is called “${kind}”${similar.length ? `; there is ${similar.join(', ')}` : ''}.`);
    } catch ({ message }) {
      this.#about = undefined;
      this.#say(`It cannot be shown: ${message}.`);
    }
  }

  async #open() {
    this.progress(0);
    const { size, labels } = await this.#dictionary.kinds();
    this.#fetched();
    return `${bytes(size)}, ${count(labels)} kinds`;
  }

  #say(text) {
    get('near-state').textContent = text;
    get('near-found').hidden = true;
  }

  #draw(near, about) {
    const [own, ...others] = near;
    get('kind').value = own.label;
    get('near-state').textContent = about;
    get('near-found').hidden = false;
    get('near-picture').replaceChildren(picture(near, get('near-picture').clientWidth));
    get('near-list').setAttribute('aria-label', `Kinds nearest to ${own.label}`);
    get('near-list').replaceChildren(...others.map(({ label, distance }) => {
      const figure = element('span', { class: 'score' }, distance.toFixed(2));
      figure.prepend(element('span', { class: 'visually-hidden' }, 'distance '));
      return element('li', {}, element('button', { type: 'button', 'data-kind': label }, label), figure);
    }));
  }
}
