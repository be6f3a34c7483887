/** Rows, texts or labels break a rule. */
export class ReadError extends Error {
  readonly rule: string;
  /** The number of the text, from 1. */
  readonly line?: number;
  /** The position in typed arrays, from 0. */
  readonly position?: number;
  /** How many indices, and how many values, where they differ. */
  readonly indices?: number;
  readonly values?: number;
  /** The offending index, the one before it, and how many features there are. */
  readonly index?: number;
  readonly previous?: number;
  readonly features?: number;
  /** The offending value. */
  readonly value?: number;
  /** The row whose offset is wrong. */
  readonly row?: number;
}

/** A parameter is outside its range. */
export class ParamError extends Error {
  readonly rule: string;
  readonly parameter?: string;
  readonly value?: unknown;
  readonly limit?: number;
  /** The offending lengths of n-grams. */
  readonly min?: number;
  readonly max?: number;
}

/** The data cannot be learned from, or the model cannot learn. */
export class TrainError extends Error {
  readonly rule: string;
  /** What there is too much of. */
  readonly what?: string;
  readonly value?: number;
  readonly limit?: number;
  readonly rows?: number;
  readonly bytes?: number;
  readonly documents?: number;
  readonly tokens?: number;
  readonly labelLists?: number;
  readonly labels?: number;
  readonly names?: number;
}

/** Bytes are not a model file, or a model cannot be written. */
export class FormatError extends Error {
  readonly rule: string;
  /** Bytes there are. */
  readonly length?: number;
  /** Bytes, or items of a section, there should be. */
  readonly expected?: number;
  readonly limit?: number;
  readonly found?: number;
  readonly supported?: number;
  readonly kind?: number;
  readonly id?: number;
  /** The name of the section. */
  readonly section?: string;
  /** Where in the file. */
  readonly offset?: number;
  /** The position of the item in the section. */
  readonly position?: number;
  /** What must hold of the item, as a sentence. */
  readonly requirement?: string;
  readonly bytes?: number;
}

/** A query cannot be answered. */
export class PredictError extends Error {
  readonly rule: string;
  /** How many tokens the text has, where the model knows none of them. */
  readonly tokens?: number;
  /** The kind of the model, where that cannot do what was asked. */
  readonly kind?: string;
}

/** A file does not come. */
export class LoadError extends Error {
  readonly rule: "Unreachable" | "Status" | "BodyUsed" | "BrokeOff" | "NoWasmFile" | "NoThread";
  readonly url?: string;
  readonly status?: number;
  /** Bytes that had come. */
  readonly loaded?: number;
}
