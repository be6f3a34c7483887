// The classes whose instances hold wasm memory.

export { Model } from "./bindings.js";
