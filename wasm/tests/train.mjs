// The part of the package that trains, in Node: for each of its wasm files the native command's
// bytes, progress, stopping, errors, and a worker.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { Dataset, initSync, MachTrainer, Model, ParamError, ReadError, train, Trainer, TrainError } from "../dist/train/node.js";
import { holdGolden, plain } from "./answers.mjs";
import * as native from "./native.mjs";

const texts = readFileSync(native.fixture, "utf8");

const dataset = (text) => {
  const rows = text.trimEnd().split("\n").map((line) => line.split("\t"));
  return Dataset.fromTexts(
    rows.map(([text]) => text),
    rows.map(([, labels]) => labels.split(" ")),
  );
};

/** All tests, with this wasm file; a process starts one, the first. */
export const suite = (file) => {
  initSync(new URL(`../dist/train/${file}`, import.meta.url));

  test(`train/${file}: training nearest neighbors gives the native bytes`, () => {
    const directory = native.folder();
    // The second set has rows enough to be calibrated.
    for (const text of [texts, native.manyTexts(300)]) {
      const data = dataset(text);
      assert.equal(data.length, text.trimEnd().split("\n").length);
      for (const [options, ...words] of [[{}], [{ calibrate: false, neighbors: 7 }, "--no-calibration", "--neighbors", "7"]]) {
        const wanted = native.read(native.trained("nearest", directory, text, ...words));
        const model = new Trainer(options).train(data);
        assert.equal(Buffer.compare(model.toBytes(), wanted), 0);
        assert.equal(model.info().thresholds !== undefined, text !== texts && options.calibrate !== false);
        model.free();
      }
      data.free();
    }
  });

  test(`train/${file}: a model with vectors of words answers`, () => holdGolden(Model, "vectors-1"));

  test(`train/${file}: rows are trained on as texts are`, () => {
    const data = Dataset.fromRows(
      3,
      Uint32Array.of(0, 2, 3),
      Uint32Array.of(0, 2, 1),
      Float32Array.of(1, 2, 3),
      Uint32Array.of(0, 1, 2),
      Uint32Array.of(4, 1),
    );
    const model = new Trainer({ neighbors: 1, alpha: 1, beta: 0 }).train(data);
    const [rows, file] = ["2 3 5\n4 0:1 2:2\n1 1:3\n", join(native.folder(), "model.hapax")];
    writeFileSync(`${file}.txt`, rows);
    native.hapax("train", "nearest", "--neighbors", "1", "--alpha", "1", "--beta", "0", `${file}.txt`, "-o", file);
    assert.equal(Buffer.compare(model.toBytes(), readFileSync(file)), 0);
    assert.deepEqual(plain(model.predict(Uint32Array.of(1), Float32Array.of(5), 3)), [
      [1, undefined, 1],
    ]);
    assert.equal(model.info().rows, 2);
    assert.equal(model.info().beta, 0);
  });

  test(`train/${file}: what trains no nearest neighbors is an error of its class with its numbers`, () => {
    const thrown = (action, type, fields) =>
      assert.throws(action, (error) => {
        assert(error instanceof type && error.name === type.name, `${error}`);
        assert.deepEqual({ ...error, ...fields }, { ...error });
        return true;
      });
    thrown(() => new Trainer({ neighbors: Number.NaN }), ParamError, { parameter: "neighbors" });
    thrown(() => new Trainer({ characters: [3, 1] }), ParamError, { rule: "BadNGrams", min: 3, max: 1 });
    thrown(() => new Trainer({ words: [], characters: [] }), ParamError, { rule: "NoTokenKind" });
    thrown(() => new Trainer({ minDocuments: 99 }).train(dataset(texts)), TrainError, { rule: "NothingKept" });
    thrown(() => new Trainer({ neighbours: 3 }), ParamError, { rule: "OneOf", parameter: "neighbours" });
    for (const [parameter, value] of Object.entries({ alpha: "2", minDocuments: [1], words: [1, 300], characters: "12", punctuation: 1, calibrate: "no" })) {
      thrown(() => new Trainer({ [parameter]: value }), ParamError, { rule: "Type", parameter, value });
    }
    assert.throws(() => new Trainer("fast"), { name: "TypeError", message: /the options are "fast"; give an object such as { neighbors }/ });
    for (const options of [null, { alpha: null, words: null, punctuation: undefined }]) new Trainer(options).train(dataset(texts)).free();
    thrown(() => new Trainer({ beta: -1 }), ParamError, { parameter: "beta", value: -1, limit: 0 });
    thrown(() => Dataset.fromTexts(["a"], [[]].slice(1)), TrainError, {
      rule: "RowsDiffer",
      rows: 1,
      labelLists: 0,
    });
    thrown(() => Dataset.fromTexts(["a"], [[""]]), ReadError, { rule: "EmptyLabel", line: 1 });
  });

  test(`train/${file}: training MACH gives the native bytes, and says how far it is`, async () => {
    const directory = native.folder();
    const data = dataset(texts);
    for (const [options, ...words] of [
      [{ minDocuments: 1 }, "--min-documents", "1"],
      [
        { buckets: 3.9, repetitions: 5, epochs: 4, learningRate: 0.5, exponent: 0.7, bits: 32, rerank: 0 },
        ...["--buckets", "3", "--repetitions", "5", "--epochs", "4", "--learning-rate", "0.5"],
        ...["--exponent", "0.7", "--bits", "32", "--rerank", "0"],
      ],
      [
        { estimator: "min", bits: 8, keep: 0.5, seed: 7, words: [1, 2], averagedEpochs: 2, dropout: 0.3 },
        ...["--estimator", "min", "--bits", "8", "--keep", "0.5", "--seed", "7", "--words", "1-2"],
        ...["--averaged-epochs", "2", "--dropout", "0.3"],
      ],
    ]) {
      const wanted = native.read(native.trained("mach", directory, texts, ...words));
      const reports = [];
      const progress = (report) => reports.push(report);
      const model = await train(new MachTrainer(options), data, { progress });
      assert.equal(Buffer.compare(model.toBytes(), wanted), 0, JSON.stringify(options));
      const epochs = options.epochs ?? 10;
      assert.deepEqual(reports.map(({ epoch }) => epoch), [...Array(epochs).keys()]);
      for (const { done, of, ...report } of reports) {
        // Texts without a known word teach nothing.
        assert(done === of && of > 10 && of <= data.length, `${done} of ${of}`);
        assert.equal(report.epochs, epochs);
      }
      assert(reports.at(-1).loss < reports[0].loss);
      model.free();
    }
  });

  test(`train/${file}: MACH is calibrated as natively, and says that it is`, async () => {
    const text = native.manyTexts(300);
    const data = dataset(text);
    for (const [options, ...words] of [
      [{ epochs: 4, seed: 5 }, "--epochs", "4", "--seed", "5"],
      [{ epochs: 2, calibrate: false }, "--epochs", "2", "--no-calibration"],
    ]) {
      const wanted = native.read(native.trained("mach", native.folder(), text, ...words));
      const parts = [];
      const progress = (report) => parts.push(report);
      const model = await train(new MachTrainer(options), data, { progress });
      assert.equal(Buffer.compare(model.toBytes(), wanted), 0, JSON.stringify(options));
      const own = parts.filter(({ calibrating }) => !calibrating);
      assert.equal(own.length, options.epochs);
      // A fifth is held out five times.
      assert.equal(parts.length, options.calibrate === false ? own.length : 6 * own.length);
      model.free();
    }
    const training = new MachTrainer({ epochs: 1 }).start(data);
    while (training.step()?.calibrating === false);
    assert.throws(() => training.finish(), { name: "TrainError", rule: "Stopped" });
    training.free();
    data.free();
  });

  test(`train/${file}: a training of MACH can be left at any part, and another begun`, async () => {
    const data = dataset(texts);
    const trainer = new MachTrainer({ minDocuments: 1, epochs: 50 });
    const left = trainer.start(data);
    assert(left.memory > 1000);
    left.step();
    assert.throws(() => left.finish(), { name: "TrainError", rule: "Stopped" });
    left.free();
    const stop = new AbortController();
    let parts = 0;
    const progress = () => ++parts === 3 && stop.abort(new Error("enough"));
    await assert.rejects(train(trainer, data, { progress, signal: stop.signal }), /enough/);
    assert.equal(parts, 3);
    await assert.rejects(train(trainer, data, { signal: AbortSignal.abort() }), { name: "AbortError" });
    const model = await train(trainer, data);
    data.free();
    assert.equal(model.predictText(texts.split("\t")[0], 1).length, 1);
  });

  test(`train/${file}: rows train MACH, and what it cannot be told is an error`, async () => {
    const row = (at) => [at, at + 3];
    const count = 9;
    const data = Dataset.fromRows(
      count + 3,
      Uint32Array.from({ length: count + 1 }, (_, at) => 2 * at),
      Uint32Array.from(Array.from({ length: count }, (_, at) => row(at)).flat()),
      new Float32Array(2 * count).fill(1),
      Uint32Array.from({ length: count + 1 }, (_, at) => at),
      Uint32Array.from({ length: count }, (_, at) => at % 3),
    );
    const model = await train(new MachTrainer({ buckets: 2, epochs: 30 }), data);
    for (let at = 0; at < count; at += 1) {
      const [best] = model.predict(Uint32Array.from(row(at)), Float32Array.of(1, 1), 1);
      assert.equal(best.id, at % 3);
    }
    const refused = (options, fields) =>
      assert.throws(
        () => new MachTrainer(options).start(data),
        (error) => error instanceof ParamError && Object.entries(fields).every(([key, value]) => error[key] === value),
      );
    refused({ buckets: 1 }, { parameter: "buckets", value: 1, limit: 2 });
    refused({ buckets: 4 }, { parameter: "buckets", value: 4, limit: 3 });
    refused({ repetitions: 0 }, { parameter: "repetitions" });
    refused({ epochs: Number.NaN }, { parameter: "epochs", value: 0 });
    refused({ learningRate: Number.NaN }, { parameter: "learning_rate" });
    refused({ dropout: 1 }, { parameter: "dropout" });
    refused({ epochs: "3" }, { parameter: "epochs", rule: "Type", value: "3" });
    refused({ bits: 5 }, { parameter: "bits", rule: "OneOf" });
    refused({ learning_rate: 1 }, { parameter: "learning_rate", rule: "OneOf" });
    refused({ estimator: "best" }, { parameter: "estimator", rule: "OneOf" });
    refused({ words: [], characters: [] }, { rule: "NoTokenKind" });
  });

  test(`train/${file}: a worker trains MACH, tells its progress, and stops when it is told to`, async () => {
    const worker = new Worker(new URL("worker.mjs", import.meta.url));
    const messages = [];
    const next = async (kind) => {
      for (;;) {
        const found = messages.findIndex((message) => kind in message);
        if (found >= 0) return messages.splice(found, 1)[0][kind];
        await new Promise((resolve) => worker.once("message", resolve));
      }
    };
    worker.on("message", (message) => messages.push(message));
    const lines = texts.trimEnd().split("\n").map((line) => line.split("\t"));
    const work = {
      file: new URL(`../dist/train/${file}`, import.meta.url).href,
      texts: lines.map(([text]) => text),
      labels: lines.map(([, labels]) => labels.split(" ")),
    };
    worker.postMessage({ ...work, options: { minDocuments: 1, epochs: 10_000 } });
    await next("progress");
    worker.postMessage("stop");
    assert.equal(await next("stopped"), "AbortError");
    worker.postMessage({ ...work, options: { minDocuments: 1 } });
    const bytes = await next("model");
    await worker.terminate();
    const wanted = native.trained("mach", native.folder(), texts, "--min-documents", "1");
    assert.equal(Buffer.compare(bytes, native.read(wanted)), 0);
  });
};
