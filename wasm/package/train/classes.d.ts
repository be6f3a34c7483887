import type { BestTrainer, Dataset, MachTrainer, Model, OvrTrainer } from "./bindings.js";
import type { StageWatch, TrainingWatch } from "./values.js";

export { BestTrainer, Dataset, MachTrainer, MachTraining, Model, OvrTrainer, Trainer } from "./bindings.js";

/**
 * Trains from begin to end, and lets other tasks run every tenth of a second, so that messages and
 * signals arrive; best called in a worker, because a part may take longer. Rejects with
 * `ParamError`, `TrainError` or the signal's reason.
 */
export function train(trainer: MachTrainer, data: Dataset, watch?: TrainingWatch): Promise<Model>;
/**
 * Trains from begin to end in one go: no other task runs meanwhile, so that a signal stops it only
 * if `progress` aborts it. `hapax/train/worker` trains in a
 * worker, which can be stopped at any time. Rejects with `TrainError` or the signal's reason.
 */
export function train(trainer: BestTrainer | OvrTrainer, data: Dataset, watch?: StageWatch): Promise<Model>;
