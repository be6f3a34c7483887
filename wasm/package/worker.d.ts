/// <reference lib="esnext.disposable" />
import type { Ability, Answer, Answers, Contribution, Evidence, LoadOptions, ModelInfo, ModelSource, Neighbor, PredictOptions } from "./values.js";

export type { Ability, Answer, Answers, Contribution, Evidence, LoadOptions, ModelInfo, ModelSource, Neighbor, PredictOptions, Progress } from "./values.js";

/** Cancels a question; the promise is rejected with the signal's reason at once. */
export interface Cancel {
  signal?: AbortSignal;
}

export interface WorkerOptions extends LoadOptions {
  /**
   * A worker whose module imports `hapax/worker/thread`, for bundlers that do not find the
   * package's own worker.
   */
  worker?: Worker;
}

type Indices = Uint32Array | number[];
type Values = Float32Array | number[];

/**
 * A model in a web worker. Its methods are those of `Model`, each with a promise of what that
 * returns. Questions are answered one after the other; one that waits is dropped as soon as its
 * signal aborts.
 */
export class WorkerModel {
  private constructor();
  /** Starts a worker and loads a model there. Throws what `Model.load` throws. */
  static load(source: ModelSource | Promise<Response>, options?: WorkerOptions): Promise<WorkerModel>;
  predict(indices: Indices, values: Values, k?: number, cancel?: Cancel): Promise<Answer[]>;
  predict(indices: Indices, values: Values, options: PredictOptions & Cancel): Promise<Answer[]>;
  predictText(text: string, k?: number, cancel?: Cancel): Promise<Answer[]>;
  predictText(text: string, options: PredictOptions & Cancel): Promise<Answer[]>;
  predictTexts(texts: string[], k?: number, cancel?: Cancel): Promise<Answers>;
  predictTexts(texts: string[], options: PredictOptions & Cancel): Promise<Answers>;
  explain(indices: Indices, values: Values, neighbors?: number, features?: number, cancel?: Cancel): Promise<Evidence[]>;
  explainText(text: string, neighbors?: number, features?: number, cancel?: Cancel): Promise<Evidence[]>;
  contributions(indices: Indices, values: Values, label: number, features?: number, cancel?: Cancel): Promise<Contribution[]>;
  contributionsText(text: string, label: number, features?: number, cancel?: Cancel): Promise<Contribution[]>;
  neighborhood(label: number, k?: number, cancel?: Cancel): Promise<Neighbor[]>;
  learn(text: string, label: string): Promise<number>;
  learnRow(indices: Indices, values: Values, labels: Indices): Promise<number>;
  forget(row: number): Promise<boolean>;
  labelId(name: string): Promise<number | undefined>;
  labelName(id: number): Promise<string | undefined>;
  info(): Promise<ModelInfo>;
  can(ability: Ability): Promise<boolean>;
  prepare(): Promise<number>;
  toBytes(): Promise<Uint8Array>;
  /** Ends the worker; questions that wait are rejected. */
  free(): void;
  [Symbol.dispose](): void;
}
