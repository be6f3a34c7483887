// The classes whose instances hold wasm memory, and what trains them.

export { BestTrainer, Dataset, MachTrainer, MachTraining, Model, OvrTrainer, Trainer } from "./bindings.js";
export { train } from "./training.js";
