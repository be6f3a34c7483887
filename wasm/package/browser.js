// hapax in a page or a web worker.

import start, { initSync as startSync } from "./bindings.js";
import { host, once, ownFile } from "./host.js";
import { hasSimd } from "./simd.js";

export * from "./classes.js";
export * from "./errors.js";

// Both names stand as they are, so that bundlers find the files.
const baseline = () => new URL("./hapax.wasm", import.meta.url);
const simd = () => new URL("./hapax_simd.wasm", import.meta.url);

const loader = once(async (source = ownFile(hasSimd() ? simd() : baseline())) => {
  await start({ module_or_path: source });
});

export const init = loader.init;

export const initSync = (source) => {
  startSync({ module: source });
  loader.done();
};

host.init = init;
