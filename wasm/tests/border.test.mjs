// Any values in any order: each call gives a value or one of the package's errors, never a trap,
// and the model answers as if what was refused had not been asked.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { Dataset, initSync, MachTrainer, Model, OvrTrainer, Trainer } from "../dist/train/node.js";
import * as native from "./native.mjs";

initSync();
const lines = readFileSync(native.fixture, "utf8").trimEnd().split("\n").map((line) => line.split("\t"));
const texts = lines.map(([text]) => text);
const data = Dataset.fromTexts(
  texts,
  lines.map(([, labels]) => labels.split(" ")),
);

/** The model that a trainer of any kind makes. */
const trained = (trainer, data) => {
  if (!(trainer instanceof MachTrainer)) return trainer.train(data);
  const training = trainer.start(data);
  while (training.step());
  return training.finish();
};

const files = [Trainer, OvrTrainer, MachTrainer].map((Kind) => trained(new Kind({ minDocuments: 1 }), data).toBytes());

/** Errors that the documentation names; a trap of WebAssembly is none of them. */
const known = new Set(["TypeError", "ParamError", "ReadError", "TrainError", "FormatError", "PredictError", "LoadError"]);

/** TypeErrors of the package; the engine has others for values that nobody looked at. */
const own = /; (give|await) /;

/** What a call gives: a value, or the name of an error that says something. */
const asked = (call) => {
  try {
    return call();
  } catch (error) {
    const { name, message } = error;
    assert.ok(known.has(name) && (name !== "TypeError" || own.test(message)), `${name}: ${message}\n${error.stack}`);
    return name;
  }
};

const number = fc.oneof(fc.integer({ min: -3, max: 40 }), fc.double(), fc.constantFrom(2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, Number.NaN));
const anything = fc.anything({ withTypedArray: true, withBigInt: true, withSparseArray: true, maxDepth: 2 });
const text = fc.oneof(fc.constantFrom(...texts), fc.string(), fc.string({ unit: "binary" }), anything);
const numbers = fc.array(number, { maxLength: 8 });
const rising = fc.uniqueArray(fc.nat(60), { maxLength: 8 }).map((ids) => Uint32Array.from(ids.sort((a, b) => a - b)));
const indices = fc.oneof(rising, numbers, fc.uint32Array({ maxLength: 8 }), anything);
const values = fc.oneof(fc.float32Array({ maxLength: 8 }), numbers, fc.constant(Float32Array.of(1, 0.5, 2)), anything);
const count = fc.oneof(number, fc.constant(undefined), anything);

/** A method and what it is given. */
const call = fc.oneof(
  fc.tuple(fc.constantFrom("predictText", "predictTexts", "explainText"), text, count),
  fc.tuple(fc.constant("predictTexts"), fc.array(text, { maxLength: 4 }), count),
  fc.tuple(fc.constantFrom("predict", "explain"), indices, values, count, count),
  fc.tuple(fc.constant("contributionsText"), text, count, count),
  fc.tuple(fc.constant("contributions"), indices, values, count, count),
  fc.tuple(fc.constantFrom("forget", "labelName"), count),
  fc.tuple(fc.constantFrom("labelId", "can"), text),
  fc.tuple(fc.constant("learn"), text, text),
  fc.tuple(fc.constant("learnRow"), indices, values, indices),
  fc.tuple(fc.constantFrom("info", "prepare", "toBytes")),
);

test("any calls in any order", () => {
  const property = fc.property(fc.nat(files.length - 1), fc.array(call, { maxLength: 20 }), (which, calls) => {
    const model = Model.fromBytes(files[which]);
    for (const [method, ...given] of calls) asked(() => model[method](...given));
    const file = asked(() => model.toBytes());
    if (typeof file !== "string") {
      const read = Model.fromBytes(file);
      for (const text of texts.slice(0, 3)) {
        assert.deepEqual(asked(() => read.predictText(text)), asked(() => model.predictText(text)));
      }
      read.free();
    }
    model.free();
  });
  fc.assert(property, { numRuns: 300, seed: 7 });
});

test("any values as a data set, options and a model", () => {
  const options = fc.dictionary(fc.constantFrom("minDocuments", "neighbors", "alpha", "cost", "buckets", "words", "other"), fc.oneof(number, anything));
  const property = fc.property(fc.array(text, { maxLength: 6 }), fc.array(fc.oneof(fc.array(text, { maxLength: 3 }), anything), { maxLength: 6 }), options, (some, labels, given) => {
    const made = asked(() => Dataset.fromTexts(some, labels));
    for (const Kind of [Trainer, OvrTrainer, MachTrainer]) {
      const trainer = asked(() => new Kind(given));
      if (typeof trainer !== "string" && typeof made !== "string") asked(() => trained(trainer, made).free());
    }
    asked(() => Dataset.fromRows(given.cost, some, labels, given.alpha, some, labels));
  });
  fc.assert(property, { numRuns: 300, seed: 7 });
  const changed = fc.property(fc.nat(files.length - 1), fc.array(fc.tuple(fc.nat(4000), fc.nat(255)), { minLength: 1 }), (which, changes) => {
    const damaged = files[which].slice();
    for (const [place, value] of changes) damaged[place % damaged.length] = value;
    const read = asked(() => Model.fromBytes(damaged));
    if (typeof read !== "string") read.free();
  });
  fc.assert(changed, { numRuns: 500, seed: 7 });
  asked(() => Model.fromBytes(new Uint8Array(0)));
});
