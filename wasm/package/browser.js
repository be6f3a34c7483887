// hapax in a page or a web worker.

import start, { initSync as startSync } from "./bindings.js";
import { hasSimd } from "./simd.js";

export * from "./classes.js";
export * from "./errors.js";

// Both names stand as they are, so that bundlers find the files.
const baseline = () => new URL("./hapax.wasm", import.meta.url);
const simd = () => new URL("./hapax_simd.wasm", import.meta.url);

export const init = async (source = hasSimd() ? simd() : baseline()) => {
  await start({ module_or_path: source });
};

export const initSync = (source) => {
  startSync({ module: source });
};
