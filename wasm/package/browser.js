// hapax in a page or a web worker.

import start, { initSync as startSync } from "./bindings.js";
import { LoadError } from "./errors.js";
import { host, once } from "./host.js";
import { hasSimd } from "./simd.js";

export * from "./classes.js";
export * from "./errors.js";

// Both names stand as they are, so that bundlers find the files.
const baseline = () => new URL("./hapax.wasm", import.meta.url);
const simd = () => new URL("./hapax_simd.wasm", import.meta.url);

/** The package's own wasm file. A server that lacks it may send its index page in its place. */
const ownFile = async () => {
  const url = hasSimd() ? simd() : baseline();
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

const loader = once(async (source = ownFile()) => {
  await start({ module_or_path: source });
});

export const init = loader.init;

export const initSync = (source) => {
  startSync({ module: source });
  loader.done();
};

host.init = init;
