// What differs between runtimes, set by the loader of each: browser.js, node.js, workerd.js.

import { LoadError } from "./errors.js";

export const host = {
  /** Loads the wasm file that belongs to the package, once. */
  init: undefined,
  /** The response for a URL or, where there are files, a path. */
  open: (source, signal) => fetch(source, { signal }),
  /** How many threads share the work of many texts. */
  threads: 1,
};

/** A wasm file of the package. A server that lacks it may send its index page in its place. */
export const ownFile = async (url) => {
  const response = await fetch(url);
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && !type.startsWith("text/")) return response;
  const found = response.ok ? type : `status ${response.status}`;
  throw new LoadError(
    `${url} is not the wasm file of hapax (${found}): the bundler moved the module and left the file behind. ` +
      "Vite 5 to 7 need optimizeDeps: { exclude: ['hapax'] }; with other bundlers pass the file's URL to init(url)",
    "NoWasmFile",
    { url: url.href, status: response.status },
  );
};

/** `start(source)` made a loader that runs once, and again after a failure. */
export const once = (start) => {
  let ready;
  return {
    init: (source) =>
      (ready ??= start(source).catch((error) => {
        ready = undefined;
        throw error;
      })),
    done: () => {
      ready = Promise.resolve();
    },
  };
};
