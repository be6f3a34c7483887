/** A suggested label. */
export interface Answer {
  id: number;
  /** Its name, where labels have names. */
  label: string | undefined;
  /** Higher is better. Exactly the 32-bit float that the native command computes. */
  score: number;
  /** That it is right; never more than that of a better answer. Of calibrated models only. */
  probability: number | undefined;
}

/** How many answers are wanted, and how sure they must be. */
export interface PredictOptions {
  /** How many answers at most: 5, or 20 with `above`. */
  atMost?: number;
  /**
   * Leaves out answers whose probability is below; by name, the one that gave the best micro- or
   * macro-F1 on held-out rows.
   */
  above?: number | "micro" | "macro";
  /**
   * Gives no answer if the first one's probability is below; `true` takes the one that balances
   * texts answered and texts answered rightly.
   */
  abstain?: number | boolean;
}

/**
 * Suggested labels of many texts: those of text `i` stand from `offsets[i]` to `offsets[i + 1]`,
 * best first.
 */
export interface Answers {
  offsets: Uint32Array;
  ids: Uint32Array;
  scores: Float32Array;
  /** Of calibrated models only. */
  probabilities: Float32Array | undefined;
}

/** Where a model comes from. Bytes are copied; a stream and the body of a response are used up. */
export type ModelSource = string | URL | Response | Blob | ReadableStream | ArrayBuffer | ArrayBufferView;

/** How much of a model has come. */
export interface Progress {
  loaded: number;
  /**
   * All of it, as the file says it in its first 64 bytes; compression on the way does not matter.
   */
  total: number | undefined;
}

export interface PrepareOptions {
  /**
   * Whether a linear model is prepared at once. By default it prepares itself once its queries have
   * taken as long as that takes; `false` saves the memory.
   */
  prepare?: boolean;
}

export interface LoadOptions extends PrepareOptions {
  /** Stops the loading: the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Called for every part that comes. */
  progress?: (report: Progress) => void;
}

/** A method that a model of some kinds lacks. */
export type Ability =
  | "explain"
  | "explainText"
  | "learn"
  | "learnRow"
  | "forget"
  | "contributions"
  | "contributionsText"
  | "prepare"
  | "neighborhood";

/** A training row that voted. */
export interface Evidence {
  /** Its position in the training data, or the id that learning it gave. */
  row: number;
  /** At most 1. */
  similarity: number;
  /** What it adds to the score of each of its labels. */
  vote: number;
  labels: { id: number; label: string | undefined }[];
  /** The features it shares with the query, and what each adds to their cosine. */
  features: { id: number; name: string | undefined; share: number }[];
}

/** What a feature adds to the score of a label; below 0 if it speaks against it. */
export interface Contribution {
  id: number;
  name: string | undefined;
  score: number;
}

/** A label near another. */
export interface Neighbor {
  id: number;
  label: string | undefined;
  /** The distance of the two prototypes. */
  distance: number;
  /** The cosine of the two prototypes. */
  cosine: number;
  /** A place in a picture of all of them; its unit is that of the distance. */
  x: number;
  y: number;
}

/** What made a model, and how large it is. */
export interface ModelInfo {
  /** What it is made of, which decides what `Model.can`. */
  kind: "nearest" | "linear" | "mach" | "embedding";
  algorithm: string;
  library: string;
  /** Equal data, equal fingerprint. */
  fingerprint: string;
  seed: number;
  features: number;
  labels: number;
  trainingRows: number;
  trainingValues: number;
  /**
   * Probabilities from which answers are worth giving, of calibrated models: for the best micro-
   * and macro-F1, and from which a first answer is worth giving at all.
   */
  thresholds?: { micro: number; macro: number; abstain: number };
  /** Rows that can be neighbors, those learned since included; of kind `nearest` only. */
  rows?: number;
  index?: string;
  neighbors?: number;
  alpha?: number;
  beta?: number;
  exponent?: number;
  /** How many weights a model of kind `linear` holds. */
  weights?: number;
  /** Bits of each. */
  bits?: number;
}

/** How texts become features; what is left out has the native command's default. */
export interface TextOptions {
  /** Words in fewer texts are left out: by default 2, of less than 1,000 texts 1. */
  minDocuments?: number;
  /** The shortest and the longest n-grams of words, `[]` for none. */
  words?: Uint8Array | number[];
  /** The same of characters. */
  characters?: Uint8Array | number[];
  /** Whether punctuation marks count as words. */
  punctuation?: boolean;
  /**
   * Whether scores become probabilities, by models of part of the rows: by default they do where
   * there are 200 rows or more. `false` is the command's `--no-calibration`.
   */
  calibrate?: boolean;
}

/** Nearest neighbors; what is left out has the native command's default. */
export interface TrainerOptions extends TextOptions {
  /** How many rows vote; a fraction is cut off. */
  neighbors?: number;
  /** The exponent of a vote. */
  alpha?: number;
  /** The exponent of the Jaccard similarity. */
  beta?: number;
  /** The exponent of the values of features. */
  exponent?: number;
}

/**
 * MACH; what is left out is chosen by the data, as the native command does. Fractions of counts
 * are cut off.
 */
export interface MachOptions extends TextOptions {
  /** Buckets of each classifier, at most as many as there are labels. */
  buckets?: number;
  /** How many classifiers. */
  repetitions?: number;
  /** How often the rows are gone over. */
  epochs?: number;
  /** The weights are the mean of those at the ends of so many epochs, the last ones. */
  averagedEpochs?: number;
  /** The share of a row's values that each step leaves out. */
  dropout?: number;
  /** The rate of the first step. */
  learningRate?: number;
  /** The exponent of the values of features. */
  exponent?: number;
  /** Bits of a stored weight: 32, 8 or 4. */
  bits?: number;
  /** The share of weights that are stored, unless they have 32 bits. */
  keep?: number;
  /** How many of the best labels are compared with their mean row; 0 for none. */
  rerank?: number;
  /** How a label's buckets make its score. */
  estimator?: "logit-sum" | "log-mean" | "mean" | "median" | "min";
  /** Everything random follows from it. */
  seed?: number;
}

/** What `hapax train` chooses; what is left out has the native command's default. */
export interface BestOptions extends TextOptions {
  /** Everything random follows from it. */
  seed?: number;
}

/**
 * One-vs-rest, by the native command's names; what is left out is chosen on held-out rows or has
 * the command's default (`hapax train ovr --help`). Fractions of counts are cut off.
 */
export interface OvrOptions extends TextOptions {
  cost?: number;
  positiveWeight?: number;
  exponent?: number;
  negatives?: "mined" | "all" | "auto";
  rounds?: number;
  pool?: number;
  mine?: number;
  bias?: number;
  learnBias?: boolean;
  loss?: "hinge" | "squared-hinge";
  fuse?: "auto" | "centroid" | "nearest" | "none";
  centroid?: number;
  prior?: number;
  softmax?: number;
  embedding?: number;
  prune?: number;
  /** Bits of a stored weight: 4, 5, 6, 8 or 16. */
  bits?: number;
  epsilon?: number;
  maxEpochs?: number;
  /** Everything random follows from it. */
  seed?: number;
}

/** What one-vs-rest was trained with, given and chosen. */
export interface OvrParameters {
  cost: number;
  positiveWeight: number;
  exponent: number;
  centroid: number;
  prior: number;
  prune: number;
  softmax: number;
  /** The weight of an embedding beside the machines; 0 for none. */
  embedding: number;
  /** The weight of nearest neighbors beside the machines; 0 for none. */
  neighbors: number;
}

/** What was tried on held-out rows, and chosen. */
export interface TrainingSummary {
  method: "ovr" | "nearest";
  /** The methods that were tried: none with less than 100 rows. */
  tried: {
    method: "ovr" | "nearest";
    /** The mean of P@1, P@3 and P@5 on the held-out rows, from 0 to 1. */
    precision: number;
    precisionAt1: number;
  }[];
  /** How many held-out rows the figures are of. */
  judged: number;
  /** How many settings of one-vs-rest were tried. */
  settings: number;
  /** Those of one-vs-rest that did best. */
  parameters: OvrParameters;
  /**
   * P@1 of plain methods on held-out rows, if features of dense rows were standardized or those of
   * sparse rows weighed by how rare they are: and without.
   */
  standardized?: { precisionAt1: number; without: number };
  /** How texts become features, where that was tried. */
  features?: { words: number[]; characters: number[]; punctuation: boolean; minDocuments?: number };
}

/** How far a training has come that is one call. */
export interface StageReport {
  /**
   * What was done: n-grams tried, settings of one-vs-rest tried, nearest neighbors tried; then, of
   * the model itself, labels solved, rows mined, softmax regression; then the same again of models
   * of part of the rows, whose answers to the others turn scores into probabilities.
   */
  stage: "features" | "parameters" | "nearest" | "training" | "solving" | "mining" | "softmax" | "calibrating";
  done: number;
  /** Of so many, where that is known. */
  of: number | undefined;
  /** Bytes of memory that training takes beside its data, as soon as the features are chosen. */
  memory: number | undefined;
}

/** What is called after each part: it stops the training by throwing. */
export type Hearing = (stage: StageReport["stage"], done: number, of: number, memory: number | undefined) => void;

/** What to do while training goes on in one call. */
export interface StageWatch {
  /** Hears of every part. */
  progress?: (report: StageReport) => void;
  /** Stops the training between two parts: the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
}

/** How far training has come. */
export interface TrainingReport {
  /** The epoch, from 0. */
  epoch: number;
  epochs: number;
  /** Rows done in this epoch. */
  done: number;
  /** Rows of an epoch. */
  of: number;
  /** The mean loss over them, each before its step. */
  loss: number;
  /**
   * Whether the model itself is done and another is trained on part of the rows, up to five times:
   * its answers to the others turn scores into probabilities.
   */
  calibrating: boolean;
}

/** What to do while training goes on. */
export interface TrainingWatch {
  /** Hears of every part. */
  progress?: (report: TrainingReport) => void;
  /** Stops the training: the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
}
