/** Rows, texts or labels break a rule. */
export class ReadError extends Error {
  readonly rule: string;
  /** The number of the text, from 1. */
  readonly line?: number;
  /** The position in typed arrays, from 0. */
  readonly position?: number;
}

/** A parameter is outside its range. */
export class ParamError extends Error {
  readonly rule: string;
  readonly parameter?: string;
  readonly value?: number;
  readonly limit?: number;
}

/** The data cannot be learned from. */
export class TrainError extends Error {
  readonly rule: string;
  readonly value?: number;
  readonly limit?: number;
  readonly rows?: number;
  readonly bytes?: number;
  readonly documents?: number;
  readonly tokens?: number;
}

/** Bytes are not a model file, or a model cannot be written. */
export class FormatError extends Error {
  readonly rule: string;
  /** Bytes there are. */
  readonly length?: number;
  /** Bytes there should be. */
  readonly expected?: number;
  readonly limit?: number;
  readonly found?: number;
  readonly supported?: number;
  readonly kind?: number;
  readonly id?: number;
  readonly section?: string;
  readonly offset?: number;
  readonly position?: number;
  readonly bytes?: number;
}

/** A query cannot be answered. */
export class PredictError extends Error {
  readonly rule: string;
}
