// The classes whose instances hold wasm memory, and what trains them.

export { Dataset, MachTrainer, MachTraining, Model, Trainer } from "./bindings.js";
export { train } from "./training.js";
