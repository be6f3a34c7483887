// hapax in workerd and Cloudflare Workers, where wasm files are imported as compiled modules and
// vectors are always there.

import module from "./hapax_simd.wasm";
import { initSync as startSync } from "./bindings.js";
import { host } from "./host.js";

export * from "./classes.js";
export * from "./errors.js";

export const initSync = (source = module) => {
  startSync({ module: source });
};

export const init = async (source = module) => {
  startSync({ module: source });
};

host.init = init;
