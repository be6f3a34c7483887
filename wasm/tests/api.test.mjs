// What the classes refuse, and in which words; defaults; many texts at once; preparing by itself.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { initSync, Model, ParamError, PredictError } from "../dist/node.js";
import * as nearestOnly from "../dist/nearest/node.js";
import { Dataset, initSync as initTrain, MachTrainer, Trainer } from "../dist/train/node.js";
import * as native from "./native.mjs";

initSync();
initTrain();
const lines = readFileSync(native.fixture, "utf8").trimEnd().split("\n").map((line) => line.split("\t"));
const texts = lines.map(([text]) => text);
const labels = lines.map(([, names]) => names.split(" "));
const data = Dataset.fromTexts(texts, labels);
const bytes = new Trainer({ minDocuments: 1 }).train(data).toBytes();
const model = Model.fromBytes(bytes);
const [text] = texts;

const trained = (algorithm, ...options) =>
  Model.fromBytes(native.read(native.trained(algorithm, native.folder(), readFileSync(native.fixture, "utf8"), "--min-documents", "1", ...options)));

const typeError = (call, message) => assert.throws(call, { name: "TypeError", message });

test("five answers by default, and a k that is no count is a ParamError", () => {
  assert.equal(model.predictText(text).length, 5);
  assert.deepEqual(model.predictText(text), model.predictText(text, 5));
  const row = [Uint32Array.of(1, 2), Float32Array.of(1, 1)];
  assert.deepEqual(model.predict(...row), model.predict(...row, 5));
  const refused = (k, rule) => {
    for (const call of [
      () => model.predictText(text, k),
      () => model.predictTexts(texts, k),
      () => model.predict(...row, k),
      () => model.explainText(text, k),
    ]) {
      assert.throws(call, (error) => error instanceof ParamError && error.rule === rule && Object.is(error.value, k), `${k}`);
    }
  };
  for (const k of [-1, 0, -0.5, Number.NEGATIVE_INFINITY]) refused(k, "AtLeast");
  for (const k of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32, "5", null, true]) refused(k, "Whole");
  assert.throws(() => model.predictText(text, -1), { message: "k is -1, but must be at least 1" });
  assert.throws(() => model.predictText(text, "5"), { message: 'k is "5", but must be a whole number up to 4294967295' });
});

test("labels and texts that are none are refused, with their place", () => {
  typeError(() => Dataset.fromTexts(["a", "b"], ["lost", "exchange"]), 'labels of text 1 are a string; give a list such as ["lost"]');
  typeError(() => Dataset.fromTexts(["a"], [7]), 'labels of text 1 are 7; give a list such as ["label"]');
  typeError(() => Dataset.fromTexts(["a"], [["x", 3]]), "label 2 of text 1 is 3; give a string");
  typeError(() => Dataset.fromTexts(["a", 5], [["x"], ["y"]]), "text 2 is 5; give a string");
  typeError(() => Dataset.fromTexts(undefined, []), "the texts are undefined; give a list of texts");
  typeError(() => model.predictTexts("word"), "the texts are a string; give a list of texts");
  typeError(() => model.predictTexts(["word", null]), "text 2 is null; give a string");
  Dataset.fromTexts(new Set(["a", "b"]), [new Set(["x"]), []]).free();
});

test("bytes of any kind are a model, and what is no bytes is refused", () => {
  const padded = new Uint8Array(bytes.length + 3);
  padded.set(bytes, 3);
  const buffer = bytes.slice().buffer;
  for (const given of [bytes, buffer, new DataView(padded.buffer, 3), Buffer.from(bytes), padded.subarray(3), Array.from(bytes)]) {
    const read = Model.fromBytes(given);
    assert.deepEqual(read.predictText(text), model.predictText(text));
    read.free();
  }
  const wanted = /^Model\.fromBytes takes bytes, not \[object (Response|Promise)\]; await Model\.load\(…\) takes URLs and responses$/;
  typeError(() => Model.fromBytes(new Response(bytes)), wanted);
  typeError(() => Model.fromBytes(Promise.resolve(bytes)), wanted);
  typeError(() => Model.fromBytes("model.hapax"), /not model\.hapax; await Model\.load/);
  assert.throws(() => Model.fromBytes(bytes, { prepared: true }), { name: "ParamError", rule: "OneOf", parameter: "prepared" });
});

test("what a model cannot do is an error, and can() tells beforehand", () => {
  const [linear, places] = [trained("ovr"), trained("wsabie-pp")];
  const cannot = (of, kind, call) =>
    assert.throws(call, (error) => error instanceof PredictError && error.rule === "NotOfThisKind" && error.kind === kind);
  const able = (of) => ["explain", "learn", "contributions", "prepare", "neighborhood", "predictText"].filter((name) => of.can(name));
  assert.deepEqual(able(model), ["explain", "learn", "predictText"]);
  assert.deepEqual(able(linear), ["contributions", "prepare", "predictText"]);
  assert.deepEqual(able(places), ["neighborhood", "predictText"]);
  cannot(model, "nearest", () => model.neighborhood(0));
  cannot(model, "nearest", () => model.contributionsText(text, 0));
  cannot(linear, "linear", () => linear.explainText(text));
  cannot(linear, "linear", () => linear.neighborhood(0));
  cannot(places, "embedding", () => places.explain(Uint32Array.of(1), Float32Array.of(1)));
  assert.throws(() => model.neighborhood(0), {
    message:
      "a model of nearest (kind nearest) has no prototypes of labels, so no neighborhood: only kind embedding has; " +
      'model.can("neighborhood") tells beforehand',
  });
  assert.throws(() => model.can("fly"), { name: "ParamError", message: '"fly" is no method of a model' });
  const count = linear.info().labels;
  const none = { name: "ParamError", rule: "AtMost", message: `label is ${count}, but the model has labels 0 to ${count - 1}` };
  assert.throws(() => linear.contributionsText(text, count), none);
  assert.throws(() => places.neighborhood(count), none);
  assert.throws(() => places.neighborhood(-1), { name: "ParamError", rule: "AtLeast" });
  assert.throws(() => model.forget(-1), { name: "ParamError", rule: "AtLeast" });
  linear.free();
  places.free();
});

test("a freed object says so, and freeing twice does nothing", () => {
  const [gone, lost] = [Model.fromBytes(bytes), Dataset.fromTexts(["a"], [["x"]])];
  gone.predictText(text);
  for (const object of [gone, lost]) {
    object.free();
    object.free();
  }
  const freed = { name: "Error", message: "this Model was freed; make another one" };
  for (const call of [
    () => gone.predictText(text),
    () => gone.predictTexts([text]),
    () => gone.info(),
    () => gone.can("explain"),
    () => gone.toBytes(),
    () => gone.explainText(text),
    () => gone.prepare(),
  ]) {
    assert.throws(call, freed);
  }
  const told = { message: "this Dataset was freed; make another one" };
  assert.throws(() => new Trainer().train(lost), told);
  assert.throws(() => lost.length, told);
});

test("objects are not made by new, copied or written as JSON", () => {
  typeError(() => new Model(), "a Model is not made by new, but by Model.load(url), Model.fromBytes(bytes) or a trainer");
  typeError(() => new Dataset(), /Dataset\.fromTexts/);
  typeError(() => JSON.stringify({ model }), /a Model is no JSON: model\.toBytes\(\)/);
  typeError(() => JSON.stringify(data), /a Dataset is no JSON/);
  assert.throws(() => structuredClone(model), { name: "DataCloneError", message: /send model\.toBytes\(\) and call Model\.fromBytes there/ });
  const training = new MachTrainer({ minDocuments: 1 }).start(Dataset.fromTexts(texts, labels));
  typeError(() => new training.constructor(), /trainer\.start\(data\)/);
  training.free();
  assert.throws(() => training.step(), { message: "this MachTraining was freed; make another one" });
});

test("many texts at once: the answers of each, in typed arrays", () => {
  for (const part of [model, nearestOnly]) {
    if (part === nearestOnly) nearestOnly.initSync();
    const answering = part === model ? model : nearestOnly.Model.fromBytes(bytes);
    const many = [texts[3], "xqzzt", texts[0], "", texts[7]];
    const { offsets, ids, scores } = answering.predictTexts(many, 3);
    assert.deepEqual(Array.from(offsets), [0, 3, 3, 6, 6, 9]);
    assert.ok(ids instanceof Uint32Array && scores instanceof Float32Array && ids.length === 9 && scores.length === 9);
    [0, 2, 4].forEach((at) => {
      const found = answering.predictText(many[at], 3);
      assert.deepEqual(Array.from(ids.subarray(offsets[at], offsets[at + 1])), found.map(({ id }) => id));
      assert.deepEqual(Array.from(scores.subarray(offsets[at], offsets[at + 1])), found.map(({ score }) => score));
    });
  }
  const all = texts.map((one) => model.predictText(one).length);
  assert.equal(model.predictTexts(texts).ids.length, all.reduce((sum, count) => sum + count));
  assert.deepEqual(model.predictTexts([]), {
    offsets: Uint32Array.of(0),
    ids: new Uint32Array(),
    scores: new Float32Array(),
    probabilities: undefined,
  });
  assert.ok(model.predictTexts([text], 2 ** 32 - 1).ids.length <= model.info().labels);
});

test("answers above a probability: what cannot be is refused", () => {
  const file = native.read(native.trained("nearest", native.folder(), native.manyTexts(300)));
  for (const { Model: Class, PredictError: Refusal } of [{ Model, PredictError }, nearestOnly]) {
    const [sure, unsure] = [Class.fromBytes(file), Class.fromBytes(bytes)];
    const { micro, macro, abstain } = sure.info().thresholds;
    for (const threshold of [micro, macro, abstain]) assert(threshold >= 0 && threshold <= 1);
    const query = "a1 a2 w3";
    assert.deepEqual(sure.predictText(query, { above: micro }), sure.predictText(query, { above: "micro" }));
    assert.deepEqual(sure.predictText(query, {}), sure.predictText(query));
    const [best] = sure.predictText(query, { atMost: 1 });
    assert.deepEqual(best, sure.predictText(query)[0]);
    assert(best.probability > 0 && best.probability < 1);
    assert.deepEqual(sure.predictText(query, { above: best.probability }).length, 1);
    assert.deepEqual(sure.predictText(query, { abstain: 1 }), []);
    assert.deepEqual(sure.predictText(query, { abstain: false }), sure.predictText(query));
    assert.equal(unsure.info().thresholds, undefined);
    assert.equal(unsure.predictText(text)[0].probability, undefined);
    for (const options of [{ above: 0.5 }, { above: "micro" }, { abstain: true }]) {
      const told = (error) => error instanceof Refusal && error.rule === "NoProbabilities";
      assert.throws(() => unsure.predictText(text, options), told);
      assert.throws(() => unsure.predictTexts([text], options), told);
    }
    const refused = (options, rule) => assert.throws(() => sure.predictText(query, options), { name: "ParamError", rule });
    for (const above of [-0.1, 1.1, Number.NaN, "most", true, null]) refused({ above }, "Probability");
    refused({ abstain: "micro" }, "Probability");
    refused({ atMost: 0 }, "AtLeast");
    refused({ k: 3 }, "OneOf");
    for (const one of [sure, unsure]) one.free();
  }
});

/** How often a model was prepared while this ran. */
const preparations = (of, work) => {
  let times = 0;
  const prepare = of.prepare;
  Object.defineProperty(of, "prepare", { value: () => ((times += 1), prepare.call(of)), configurable: true });
  work();
  return times;
};

test("a linear model prepares itself once, when its queries took as long as that; others never", () => {
  const file = native.read(native.trained("ovr", native.folder(), readFileSync(native.fixture, "utf8"), "--min-documents", "1"));
  const asked = (of) => () => Array.from({ length: 2000 }, () => of.predictText(text));
  const [own, never, atOnce] = [Model.fromBytes(file), Model.fromBytes(file, { prepare: false }), Model.fromBytes(file, { prepare: true })];
  let answered;
  assert.equal(preparations(own, () => (answered = asked(own)())), 1);
  assert.deepEqual(answered.at(-1), answered[0]);
  assert.equal(preparations(never, asked(never)), 0);
  assert.equal(preparations(atOnce, asked(atOnce)), 0);
  assert.equal(preparations(model, asked(model)), 0);
  assert.deepEqual(own.predictTexts(texts), never.predictTexts(texts));
  assert.deepEqual(own.predictTexts(texts), atOnce.predictTexts(texts));
  for (const one of [own, never, atOnce]) one.free();
});
