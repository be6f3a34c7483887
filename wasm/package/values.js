// The objects that hapax hands out, made here because that takes fewer bytes than in wasm.

import * as errors from "./errors.js";
import { shown } from "./given.js";
import { checkOptions } from "./load.js";

export const newError = (className, message, rule) => new errors[className](message, rule);

export const newObject = () => ({});

export const setNumber = (object, field, value) => {
  object[field] = value;
};

export const setText = setNumber;

export const setObject = setNumber;

export const itself = (value) => value;

/** A number of 32 bits as a short decimal that rounds to it. */
const short = (number) =>
  [7, 8, 9].map((digits) => Number(number.toPrecision(digits))).find((decimal) => Math.fround(decimal) === number);

export const setThresholds = (object, micro, macro, abstain) => {
  object.thresholds = { micro: short(micro), macro: short(macro), abstain: short(abstain) };
};

export const newEvidence = (row, similarity, vote) => ({
  row,
  similarity,
  vote,
  labels: [],
  features: [],
});

export const newContribution = (id, name, score) => ({ id, name, score });

export const newNeighbor = (id, label, distance, cosine, x, y) => ({ id, label, distance, cosine, x, y });

export const addLabel = (evidence, id, label) => {
  evidence.labels.push({ id, label });
};

export const addFeature = (evidence, id, name, share) => {
  evidence.features.push({ id, name, share });
};

/** Refuses a name that is not among the known ones, which stand apart by spaces. */
export const checkNames = (options, known) => {
  if (options !== undefined && options !== null) checkOptions(options, known.split(" "));
};

/** An option that must be of a kind where it is given; null is none. */
const given = (options, name, is, wanted) => {
  const value = options?.[name] ?? undefined;
  if (value === undefined || is(value)) return value;
  throw new errors.ParamError(`${name} is ${shown(value)}, but must be ${wanted}`, "Type", { parameter: name, value });
};

const typed = (options, name, type, wanted) => given(options, name, (value) => typeof value === type, wanted);

export const numberOption = (options, name) => typed(options, name, "number", "a number");

/** Lengths of n-grams. */
export const lengthsOption = (options, name) => {
  const isLength = (value) => Number.isInteger(value) && value >= 0 && value < 256;
  const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);
  const areLengths = (value) => isList(value) && Array.from(value).every(isLength);
  const value = given(options, name, areLengths, "a list of lengths");
  return value && Array.from(value);
};

export const flagOption = (options, name) => typed(options, name, "boolean", "true or false");

/** The place of a name in a list whose names stand apart by spaces. */
export const namedOption = (options, name, names) => {
  const value = typed(options, name, "string", "a name");
  if (value === undefined) return undefined;
  const at = names.split(" ").indexOf(value);
  if (at >= 0) return at;
  throw new errors.ParamError(`${name} is '${value}', but must be one of ${names}`, "OneOf", { parameter: name, value });
};

export const newReport = (epoch, epochs, done, of, loss, calibrating) => ({ epoch, epochs, done, of, loss, calibrating });
