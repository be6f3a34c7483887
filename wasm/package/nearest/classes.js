// The classes whose instances hold wasm memory; this part of the package does not train.

export { Model } from "./bindings.js";
