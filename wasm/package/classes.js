// The classes whose instances hold wasm memory.

export { Dataset, Model, Trainer } from "./bindings.js";
