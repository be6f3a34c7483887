import type { Dataset, MachTrainer, Model } from "./bindings.js";
import type { TrainingWatch } from "./values.js";

export { Dataset, MachTrainer, MachTraining, Model, Trainer } from "./bindings.js";

/**
 * Trains from begin to end, and lets other tasks run every tenth of a second, so that messages and
 * signals arrive; best called in a worker, because a part may take longer. Rejects with
 * `ParamError`, `TrainError` or the signal's reason.
 */
export function train(trainer: MachTrainer, data: Dataset, watch?: TrainingWatch): Promise<Model>;
