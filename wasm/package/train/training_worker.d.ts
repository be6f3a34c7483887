import type { BestOptions, MachOptions, OvrOptions, StageReport, TrainerOptions, TrainingReport, TrainingSummary } from "./values.js";

export type { BestOptions, MachOptions, OvrOptions, StageReport, TrainerOptions, TrainingReport, TrainingSummary } from "./values.js";

/** Texts, the labels of each, and how to train on them: by default as `hapax train` does. */
export type TrainingWork = { texts: string[]; labels: string[][] } & (
  | { method?: "best"; options?: BestOptions }
  | { method: "ovr"; options?: OvrOptions }
  | { method: "nearest"; options?: TrainerOptions }
  | { method: "mach"; options?: MachOptions }
);

export interface WorkerWatch {
  /** Hears of every part. */
  progress?: (report: StageReport | TrainingReport) => void;
  /** Ends the worker at once: the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /**
   * A worker whose module imports `hapax/train/worker/thread`, for bundlers that do not find the
   * package's own worker. It trains one model and is ended.
   */
  worker?: Worker;
}

/**
 * Trains in a web worker. Rejects with `ReadError`, `ParamError`, `TrainError` or the signal's
 * reason.
 */
export function trainInWorker(
  work: TrainingWork,
  watch?: WorkerWatch,
): Promise<{
  /** The bytes of the model file. */
  model: Uint8Array<ArrayBuffer>;
  /** What was tried and chosen, by `best`. */
  summary: TrainingSummary | undefined;
}>;
