// The objects that hapax hands out, made here because that takes fewer bytes than in wasm.

import * as errors from "./errors.js";

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

/** The first of the options that is none of the known names, which stand apart by spaces. */
export const unknownOption = (options, known) =>
  Object.keys(options).find((name) => !known.split(" ").includes(name));

/** An option that must be of a type where it is given. */
const typed = (options, name, type, article) => {
  const value = options[name];
  if (value === undefined || typeof value === type) return value;
  throw new errors.ParamError(`${name} is ${JSON.stringify(value)}, but must be ${article}`, "Type", { parameter: name, value });
};

export const numberOption = (options, name) => typed(options, name, "number", "a number");

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
