// A search box for other pages of the same origin, which load this module and hold an element
// <hapax-search name="subject" label="Describe it">. Its value is the label that was chosen: forms
// send it, and `change` tells of it.

import { WorkerModel } from './hapax/worker.js';
import { worth } from './answers.js';
import { element } from './element.js';

const ANSWERS = 5;

/** The model of all boxes of a page, loaded when somebody enters the first of them. */
let loading;
const model = () => {
  loading ??= WorkerModel.load(new URL('model.hapax', import.meta.url)).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
};

class Search extends HTMLElement {
  static formAssociated = true;
  #internals = this.attachInternals();
  #value = '';
  #typing = new AbortController();
  #input = element('input', { type: 'search', autocomplete: 'off', dir: 'auto' });
  #answers = element('ul', { role: 'list' });
  #state = element('span', { role: 'status' });

  connectedCallback() {
    if (this.firstChild) return;
    const name = this.getAttribute('label') ?? 'Describe it';
    this.#answers.setAttribute('aria-label', `${name}: labels`);
    this.#answers.hidden = true;
    this.append(element('label', {}, `${name} `, this.#input), ' ', this.#state, this.#answers);
    this.#input.addEventListener('focus', () => model().catch(() => {}), { once: true });
    this.#input.addEventListener('input', () => this.#ask());
    // `change` is that of the box.
    this.#input.addEventListener('change', (event) => event.stopPropagation());
  }

  get value() {
    return this.#value;
  }

  set value(label) {
    this.#input.value = label;
    this.#set(label);
  }

  #set(label) {
    this.#value = label;
    this.#internals.setFormValue(label || null);
  }

  async #ask() {
    this.#typing.abort();
    this.#typing = new AbortController();
    const { signal } = this.#typing;
    this.#set('');
    const text = this.#input.value.trim();
    let answers = [];
    let state = '';
    try {
      if (text) answers = await (await model()).predictText(text, ANSWERS, { signal });
    } catch (error) {
      if (error.name !== 'AbortError') state = error.rule === 'NoFeatures' ? 'It knows none of these words.' : error.message;
    }
    if (signal.aborted) return;
    this.#state.textContent = state;
    this.#show(answers);
  }

  #show(answers) {
    this.#answers.hidden = answers.length === 0;
    this.#answers.replaceChildren(
      ...answers.map((answer) => {
        const button = element('button', { type: 'button', dir: 'auto' }, answer.label);
        button.addEventListener('click', () => this.#choose(answer.label));
        return element('li', {}, button, ` ${worth(answer)}`);
      }),
    );
  }

  #choose(label) {
    this.value = label;
    this.#show([]);
    this.#state.textContent = `Chosen: ${label}`;
    this.#input.focus();
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

customElements.define('hapax-search', Search);
