// What differs between runtimes, set by the loader of each: browser.js, node.js, workerd.js.

export const host = {
  /** Loads the wasm file that belongs to the package, once. */
  init: undefined,
  /** The response for a URL or, where there are files, a path. */
  open: (source, signal) => fetch(source, { signal }),
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
