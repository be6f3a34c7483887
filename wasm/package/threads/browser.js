// hapax on a pool of threads, in a web worker of a page.

import start, { initSync, newPool } from "./bindings.js";
import { LoadError, ParamError } from "./errors.js";
import { host, ownFile } from "./host.js";
import { hasSimd } from "./simd.js";

export * from "./classes.js";
export * from "./errors.js";

/** More cannot be counted in a pool of 32 bits. */
const MOST = 255;

// All names stand as they are, so that bundlers find the files.
const shared = () => new URL("./hapax_threads.wasm", import.meta.url);
const simd = () => new URL("../train/hapax_simd.wasm", import.meta.url);
const baseline = () => new URL("../train/hapax.wasm", import.meta.url);
const newThread = () => new Worker(new URL("./thread.js", import.meta.url), { type: "module" });

/** The file of `hapax/train`, for which the bindings are the same but for the memory. */
const alone = async () => {
  await start({ module_or_path: ownFile(hasSimd() ? simd() : baseline()), memory: {} });
  return 1;
};

/** Resolves when the thread is there. */
const ready = (thread) =>
  new Promise((resolve, reject) => {
    thread.addEventListener("message", resolve, { once: true });
    thread.addEventListener("error", (event) => {
      event.preventDefault();
      const message = event.message || "its script could not be loaded";
      const next = "does the policy allow worker-src 'self', has thread.js the headers of the page, and does the bundler know it?";
      reject(new LoadError(`a thread of hapax did not start (${message}): ${next}`, "NoThread", {}));
    });
  });

/** The exports of the wasm file, whose memory can be shared; undefined where there is none. */
const sharing = (module) => {
  try {
    return initSync({ module });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

const begin = async (count) => {
  const able = globalThis.crossOriginIsolated && typeof Worker === "function" && hasSimd();
  if (count === 1 || !able) return alone();
  const module = await WebAssembly.compileStreaming(ownFile(shared()));
  const exports = sharing(module);
  if (!exports) return alone();
  const others = Array.from({ length: count - 1 }, newThread);
  try {
    const all = Promise.all(others.map(ready));
    for (const thread of others) thread.postMessage({ module, memory: exports.memory });
    await all;
    if (!newPool(count)) throw new Error(`${count} threads of hapax make no pool: begin again in another worker`);
  } catch (error) {
    for (const thread of others) thread.terminate();
    throw error;
  }
  for (const thread of others) thread.postMessage({});
  return count;
};

const checked = (count) => {
  if (!("WorkerGlobalScope" in globalThis)) {
    throw new Error(
      "hapax/threads is for workers, because a page must not wait for threads: call initThreads in a module worker, " +
        "or train by hapax/threads/train/worker and answer by hapax/threads/worker",
    );
  }
  if (Number.isInteger(count) && count >= 1 && count <= MOST) return;
  const message = `the number of threads is ${count}, but must be a whole number from 1 to ${MOST}`;
  throw new ParamError(message, "Whole", { parameter: "threads", value: count, limit: MOST });
};

let asked;
let pool;

export const initThreads = async (count = asked ?? Math.min(navigator.hardwareConcurrency ?? 1, MOST)) => {
  checked(count);
  if (count !== (asked ??= count)) {
    throw new Error(`${asked} threads were asked for before, and a pool keeps its size: ask for ${count} in another worker`);
  }
  pool ??= begin(count).catch((error) => {
    asked = pool = undefined;
    throw error;
  });
  host.threads = await pool;
  return host.threads;
};

export const threads = () => host.threads;

// Under the name that hapax/train has for it.
export { initThreads as init };

host.init = () => initThreads();
