// A thread of the pool: { module, memory } comes in and { ready } goes out; from the next message
// on it takes part in the work, and hears nothing more. It ends with the worker that started it.

import { initSync, runThread, threadFailed } from "./bindings.js";

addEventListener("message", ({ data: { module, memory } }) => {
  if (module) {
    initSync({ module, memory });
    postMessage({ ready: true });
    return;
  }
  try {
    runThread();
  } catch {
    // The first thread waits for work that nobody does now.
    threadFailed();
  }
});
