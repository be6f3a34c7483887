// hapax in Node, Deno and Bun.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import start, { initSync as startSync } from "./bindings.js";
import { host, once } from "./host.js";
import { hasSimd } from "./simd.js";

export * from "./classes.js";
export * from "./errors.js";

const file = () => new URL(hasSimd() ? "./hapax_simd.wasm" : "./hapax.wasm", import.meta.url);

const isFile = (source) => source instanceof URL && source.protocol === "file:";

/** Whether a string is a URL: a drive of Windows has one letter, a scheme has more. */
const isUrl = (source) => /^[a-z][a-z\d+.-]+:/i.test(source);

const loader = once(async (source = file()) => {
  await start({ module_or_path: isFile(source) ? await readFile(source) : source });
});

export const init = loader.init;

export const initSync = (source = file()) => {
  startSync({ module: isFile(source) ? readFileSync(source) : source });
  loader.done();
};

host.init = init;
host.open = async (source, signal) => {
  const place = typeof source === "string" && isUrl(source) ? new URL(source) : source;
  if (!isFile(place) && typeof place !== "string") return fetch(place, { signal });
  return new Response(await readFile(place, { signal }));
};
