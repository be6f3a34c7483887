// hapax in Node, Deno and Bun.

import { readFileSync } from "node:fs";
import start, { initSync as startSync } from "./bindings.js";
import { hasSimd } from "./simd.js";

export * from "./classes.js";
export * from "./errors.js";

const file = () => new URL(hasSimd() ? "./hapax_simd.wasm" : "./hapax.wasm", import.meta.url);

const isFile = (source) => source instanceof URL && source.protocol === "file:";

export const init = async (source = file()) => {
  await start({ module_or_path: isFile(source) ? readFileSync(source) : source });
};

export const initSync = (source = file()) => {
  startSync({ module: isFile(source) ? readFileSync(source) : source });
};
