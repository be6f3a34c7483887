// What shows that nothing leaves the page.

import { element } from './element.js';
import { count } from './numbers.js';

const get = (id) => document.getElementById(id);

/** The rule the page came with: the server's header, or the page's own element without it. */
async function policy() {
  const own = document.querySelector('meta[http-equiv="Content-Security-Policy"]').content;
  const response = await fetch(location.pathname, { method: 'HEAD' }).catch(() => undefined);
  return response?.headers.get('content-security-policy') ?? own;
}

/** Asks the browser for a place elsewhere, which it must refuse before anything is sent. */
async function tryToEscape() {
  const state = get('escape-state');
  let refused = false;
  const note = () => { refused = true; };
  addEventListener('securitypolicyviolation', note);
  try {
    await fetch('https://example.com/', { mode: 'no-cors' });
    state.textContent = 'It went out: this page was served without its rule.';
  } catch {
    // The event comes in a task of its own.
    await new Promise((resolve) => setTimeout(resolve));
    state.textContent = refused
      ? 'Refused by your browser: connect-src allows no other place. Nothing was sent.'
      : 'It failed, but not by the rule: is the network off?';
  } finally {
    removeEventListener('securitypolicyviolation', note);
  }
}

/** Every file that the page and its worker have loaded, each once, with its bytes. */
export async function loadedFiles(dictionary) {
  const own = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const { files } = await dictionary.files();
  const bytes = new Map();
  for (const { name, encodedBodySize } of [...own, ...files]) {
    const url = new URL(name);
    const shown = url.origin === location.origin ? url.pathname : name;
    bytes.set(shown, Math.max(encodedBodySize, bytes.get(shown) ?? 0));
  }
  return bytes;
}

async function listFiles(dictionary) {
  const rows = [...await loadedFiles(dictionary)].map(([name, size]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, count(size))));
  get('files').replaceChildren(...rows);
}

/** Shows the rule, and makes the ways to check it work. */
export async function showPrivacy(dictionary) {
  get('escape').addEventListener('click', tryToEscape);
  get('check').parentElement.addEventListener('toggle', () => listFiles(dictionary));
  get('policy').textContent = (await policy()).split(/;\s*/).join(';\n');
}
