// What the classes do and refuse beyond the wasm file; bindings.js hands its classes to `complete`.

import { lifetime } from "./lifetime.js";
import { asBytes, checkOptions, read } from "./load.js";
import { ParamError, PredictError } from "./errors.js";
import { labelListsOf, shown, stringOf, textsOf, valuesOf, whole, wholeOrDefault, wholesOf } from "./given.js";
import { host } from "./host.js";
import { timed, unwatch } from "./prepare.js";

export { noConstructor, notLoaded } from "./lifetime.js";

/** How many answers there are by default, and where a probability decides on them. */
const ANSWERS = 5;
const MANY = 20;

/** What models of one kind alone can do. */
const ABILITIES = {
  explain: ["nearest", "neighbors that vote"],
  explainText: ["nearest", "neighbors that vote"],
  learn: ["nearest", "rows to add to"],
  learnRow: ["nearest", "rows to add to"],
  forget: ["nearest", "rows to take away"],
  contributions: ["linear", "weights that add up"],
  contributionsText: ["linear", "weights that add up"],
  prepare: ["linear", "weights to lay out"],
  neighborhood: ["embedding", "prototypes of labels"],
};

/** The number of a label that the model has. */
const labelOf = (model, label) => {
  const { labels } = model.info();
  if (whole("label", label, 0) < labels) return label;
  const message = `label is ${label}, but the model has labels 0 to ${labels - 1}`;
  throw new ParamError(message, "AtMost", { parameter: "label", value: label, limit: labels - 1 });
};

const needs = (model, ability) => {
  if (model.can(ability)) return;
  const [kind, things] = ABILITIES[ability];
  const info = model.info();
  const message =
    `a model of ${info.algorithm} (kind ${info.kind}) has no ${things}, so no ${ability}: ` +
    `only kind ${kind} has; model.can("${ability}") tells beforehand`;
  throw new PredictError(message, "NotOfThisKind", { kind: info.kind });
};

/** Whether models have probabilities. */
const calibrated = new WeakMap();

const isCalibrated = (model) => {
  if (!calibrated.has(model)) calibrated.set(model, model.info().thresholds !== undefined);
  return calibrated.get(model);
};

/** A probability, or that of the model with this name. */
const probability = (model, parameter, value, names) => {
  if (value === undefined || value === false) return undefined;
  if (!isCalibrated(model)) {
    const message =
      `the model has scores, but no probabilities, which ${parameter} needs: ` +
      "train it again, on 200 rows or more and without --no-calibration";
    throw new PredictError(message, "NoProbabilities", { parameter });
  }
  const given = Object.hasOwn(names, value) ? model.info().thresholds[names[value]] : value;
  if (typeof given === "number" && given >= 0 && given <= 1) return Math.fround(given);
  const message = `${parameter} is ${shown(value)}, but must be a probability from 0 to 1, or ${Object.keys(names).join(" or ")}`;
  throw new ParamError(message, "Probability", { parameter, value });
};

/** How many answers are wanted at most, and how sure they must be. */
const wantedOf = (model, given) => {
  if (typeof given !== "object" || given === null) return { k: whole("k", given) };
  checkOptions(given, ["atMost", "above", "abstain"]);
  const { atMost = given.above === undefined ? ANSWERS : MANY } = given;
  return {
    k: whole("atMost", atMost),
    above: probability(model, "above", given.above, { micro: "micro", macro: "macro" }),
    abstain: probability(model, "abstain", given.abstain, { true: "abstain" }),
  };
};

/** Ids, scores and probabilities, side by side; those that are sure enough. */
const unpacked = (model, packed, { above, abstain }) => {
  const parts = isCalibrated(model) ? 3 : 2;
  const count = packed.length / parts;
  const part = (at) => new Float32Array(packed.buffer, packed.byteOffset + 4 * count * at, count);
  const probabilities = parts === 3 ? part(2) : undefined;
  // They never rise.
  let kept = above === undefined ? count : probabilities.findIndex((p) => p < above);
  if (kept < 0) kept = count;
  if (abstain !== undefined && !(probabilities[0] >= abstain)) kept = 0;
  return [packed.subarray(0, kept), part(1).subarray(0, kept), probabilities?.subarray(0, kept)];
};

const answersOf = (model, packed, wanted) => {
  const [ids, scores, probabilities] = unpacked(model, packed, wanted);
  return Array.from(ids, (id, at) => ({
    id,
    label: model.labelName(id),
    score: scores[at],
    probability: probabilities?.[at],
  }));
};

const NONE = new Uint32Array();

/** The packed answers of a text; none for a text of which the model knows nothing. */
const packedIfKnown = (model, text, k) => {
  try {
    return model.packedBestOfText(text, k);
  } catch (error) {
    if (error.rule === "NoFeatures") return NONE;
    throw error;
  }
};

/** Texts that share one call where there are threads, which take as much as each can. */
const BATCH = 256;

/** The packed answers of each text. */
const packedOfAll = function* (model, texts, k) {
  if (host.threads === 1) {
    for (const text of texts) yield timed(model, () => packedIfKnown(model, text, k));
    return;
  }
  for (let at = 0; at < texts.length; at += BATCH) {
    const all = timed(model, () => model.packedBestOfTexts(texts.slice(at, at + BATCH), k));
    for (let from = 0; from < all.length; from += 1 + all[from]) yield all.subarray(from + 1, from + 1 + all[from]);
  }
};

const rowOf = (indices, values) => [wholesOf("indices", indices), valuesOf("values", values)];

const predicting = {
  predict(indices, values, k = ANSWERS) {
    const wanted = wantedOf(this, k);
    const row = rowOf(indices, values);
    const packed = timed(this, () => this.packedBest(...row, wanted.k));
    return answersOf(this, packed, wanted);
  },

  predictText(text, k = ANSWERS) {
    const wanted = wantedOf(this, k);
    stringOf("text", text);
    const packed = timed(this, () => this.packedBestOfText(text, wanted.k));
    return answersOf(this, packed, wanted);
  },

  predictTexts(texts, k = ANSWERS) {
    const list = textsOf(texts);
    const wanted = wantedOf(this, k);
    const most = Math.min(wanted.k, this.info().labels);
    const offsets = new Uint32Array(list.length + 1);
    const ids = new Uint32Array(list.length * most);
    const scores = new Float32Array(list.length * most);
    const probabilities = isCalibrated(this) ? new Float32Array(list.length * most) : undefined;
    let [end, at] = [0, 0];
    for (const packed of packedOfAll(this, list, most)) {
      const [own, worth, sure] = unpacked(this, packed, wanted);
      ids.set(own, end);
      scores.set(worth, end);
      probabilities?.set(sure, end);
      end += own.length;
      offsets[(at += 1)] = end;
    }
    return { offsets, ids: ids.slice(0, end), scores: scores.slice(0, end), probabilities: probabilities?.slice(0, end) };
  },

  can(ability) {
    const [kind] = Object.hasOwn(ABILITIES, ability) ? ABILITIES[ability] : [];
    if (kind) return this.info().kind === kind && ability in this;
    if (typeof ability === "string" && ability in this) return true;
    throw new ParamError(`${shown(ability)} is no method of a model`, "OneOf", { parameter: "ability" });
  },
};

/** Checks of the methods that the wasm file has, by name; what they return are the arguments. */
const checks = {
  explain: (_, indices, values, rows, features) => [
    ...rowOf(indices, values),
    wholeOrDefault("neighbors", rows),
    wholeOrDefault("features", features),
  ],
  explainText: (_, text, rows, features) => [
    stringOf("text", text),
    wholeOrDefault("neighbors", rows),
    wholeOrDefault("features", features),
  ],
  contributions: (model, indices, values, label, features) => [
    ...rowOf(indices, values),
    labelOf(model, label),
    wholeOrDefault("features", features),
  ],
  contributionsText: (model, text, label, features) => [
    stringOf("text", text),
    labelOf(model, label),
    wholeOrDefault("features", features),
  ],
  neighborhood: (model, label, k) => [labelOf(model, label), wholeOrDefault("k", k)],
};

const checked = (Model) => {
  for (const [name, check] of Object.entries(checks)) {
    const method = Model.prototype[name];
    if (!method) continue;
    Model.prototype[name] = function (...given) {
      needs(this, name);
      return method.apply(this, check(this, ...given));
    };
  }
  const given = {
    forget: (row) => [whole("row", row, 0)],
    labelName: (id) => [whole("id", id, 0)],
    labelId: (name) => [stringOf("name", name)],
    learn: (text, label) => [stringOf("text", text), stringOf("label", label)],
    learnRow: (indices, values, labels) => [...rowOf(indices, values), wholesOf("labels", labels)],
  };
  for (const [name, check] of Object.entries(given)) {
    const method = Model.prototype[name];
    if (!method) continue;
    Model.prototype[name] = function (...words) {
      return method.apply(this, check(...words));
    };
  }
};

const loading = (Model) => {
  const fromBytes = Model.fromBytes;
  Model.fromBytes = (source, options = {}) => {
    checkOptions(options, ["prepare"]);
    const bytes = asBytes(source) ?? (Array.isArray(source) ? source : undefined);
    if (!bytes) {
      throw new TypeError(`Model.fromBytes takes bytes, not ${source}; await Model.load(…) takes URLs and responses`);
    }
    const model = fromBytes(bytes);
    if (options.prepare !== undefined) unwatch(model);
    try {
      if (options.prepare && model.can("prepare")) model.prepare();
    } catch (error) {
      model.free();
      throw error;
    }
    return model;
  };
  Model.load = async (source, options = {}) => {
    checkOptions(options, ["signal", "progress", "prepare"]);
    // Both come at once; a failure of one must not leave the other's without a listener.
    const [bytes] = await Promise.all([read(source, options), host.init()]);
    options.signal?.throwIfAborted();
    return Model.fromBytes(bytes, options.prepare === undefined ? {} : { prepare: options.prepare });
  };
};

const reading = (Dataset) => {
  const { fromTexts, fromRows } = Dataset;
  Dataset.fromTexts = (texts, labels) => fromTexts(textsOf(texts), labelListsOf(labels));
  Dataset.fromRows = (features, offsets, indices, values, labelOffsets, labels) =>
    fromRows(
      whole("features", features),
      wholesOf("offsets", offsets),
      ...rowOf(indices, values),
      wholesOf("label offsets", labelOffsets),
      wholesOf("labels", labels),
    );
};

export const complete = (classes) => {
  for (const [name, Class] of Object.entries(classes)) lifetime(name, Class);
  const { Dataset, Model } = classes;
  checked(Model);
  Object.assign(Model.prototype, predicting);
  loading(Model);
  if (Dataset) reading(Dataset);
};
