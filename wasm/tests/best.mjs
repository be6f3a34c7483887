// Training what the command chooses, and one-vs-rest, in Node: the command's bytes, reports, what
// was chosen, stopping, and data that cannot be learned from.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BestTrainer, Dataset, initSync, Model, OvrTrainer, ParamError, train, TrainError } from "../dist/train/node.js";
import { plain } from "./answers.mjs";
import * as native from "./native.mjs";

const dataset = (text) => {
  const rows = text.trimEnd().split("\n").map((line) => line.split("\t"));
  return Dataset.fromTexts(
    rows.map(([text]) => text),
    rows.map(([, labels]) => labels.split(" ")),
  );
};

const text = native.manyTexts(400);

/** Points on two rings, which no plane tells apart: rows of 2 features, side by side. */
const rings = (count) => {
  const at = (row) => {
    const [angle, radius] = [row * 2.399963, row % 2 === 0 ? 1 : 2];
    return [radius * Math.cos(angle), radius * Math.sin(angle)].map((value) => Math.fround(3 + value));
  };
  return Array.from({ length: count }, (_, row) => at(row));
};

/** Rows of 2 features: the first tells the label, the second is large and tells nothing. */
const unlike = (count) =>
  Array.from({ length: count }, (_, row) => {
    const noise = (row * 7919) % 1000;
    return [Math.fround(10 + 4 * (row % 2) + noise / 1000), ((row + 3) * 7919) % 1000 + 1];
  });

/** All tests, with this wasm file; a process starts one, the first. */
export const suite = (file) => {
  initSync(new URL(`../dist/train/${file}`, import.meta.url));

  test(`train/${file}: what the command chooses, to the byte`, async () => {
    const data = dataset(text);
    for (const [options, ...words] of [
      [{}],
      [{ calibrate: false, seed: 7 }, "--no-calibration", "--seed", "7"],
      [
        { words: [1], characters: [], punctuation: true, minDocuments: 2 },
        ..."--words 1 --characters 0 --punctuation true --min-documents 2".split(" "),
      ],
    ]) {
      const wanted = native.read(native.trained("auto", native.folder(), text, ...words));
      const trainer = new BestTrainer(options);
      assert.equal(trainer.summary, undefined);
      const model = await train(trainer, data);
      assert.equal(Buffer.compare(model.toBytes(), wanted), 0, JSON.stringify(options));
      assert.equal(model.info().thresholds === undefined, options.calibrate === false);
      assert.equal(trainer.summary.features === undefined, options.words !== undefined);
      model.free();
      trainer.free();
    }
    data.free();
  });

  test(`train/${file}: reports of every stage, the memory before it is taken, and what was tried`, async () => {
    const data = dataset(text);
    const trainer = new BestTrainer();
    const reports = [];
    const model = await train(trainer, data, { progress: (report) => reports.push(report) });
    const stages = reports.map(({ stage }) => stage).filter((stage, at, all) => stage !== all[at - 1]);
    assert.deepEqual(stages.slice(0, 4), ["features", "parameters", "nearest", "training"]);
    // The answers that judged the choice calibrate it.
    assert(!stages.includes("calibrating"));
    for (const { stage, done, of, memory } of reports) {
      assert.equal(memory === undefined, stage === "features");
      assert(memory === undefined || memory > 1e6);
      assert(of === undefined || (done <= of && done > 0), `${stage} ${done} of ${of}`);
    }
    const { method, tried, judged, settings, parameters, features } = trainer.summary;
    assert.equal(method, "ovr");
    assert.equal(model.info().algorithm, method);
    assert.deepEqual(tried.map(({ method }) => method), ["ovr", "nearest"]);
    for (const { precision, precisionAt1 } of tried) assert(precision > 0.2 && precisionAt1 > precision && precisionAt1 <= 1);
    assert(judged >= 80 && settings > 6 && parameters.cost > 0 && features.words.length === 2);
    assert.equal(settings, reports.filter(({ stage }) => stage === "parameters").length);
    model.free();
    data.free();
  });

  for (const [what, points, method, standardized] of [
    ["neighbors are taken where classes are curved", rings(240), "nearest", false],
    ["features of unlike scale are standardized", unlike(240), undefined, true],
    ["few rows of unlike scale are standardized untried", unlike(60), "ovr", false],
  ]) {
    test(`train/${file}: ${what}, and answer as the command's`, async () => {
      const lines = points.map(([x, y], row) => `${row % 2} 0:${x} 1:${y}`);
      const input = native.write(native.folder(), "train.txt", `${points.length} 2 2\n${lines.join("\n")}\n`);
      const path = `${input}.hapax`;
      native.hapax("train", input, "-o", path);
      const wanted = Model.fromBytes(native.read(path));
      const pairs = (length, step) => Uint32Array.from({ length }, (_, at) => at * step);
      const data = Dataset.fromRows(
        2,
        pairs(points.length + 1, 2),
        Uint32Array.from(points.flatMap(() => [0, 1])),
        Float32Array.from(points.flat()),
        pairs(points.length + 1, 1),
        Uint32Array.from(points, (_, row) => row % 2),
      );
      const trainer = new BestTrainer();
      const model = await train(trainer, data);
      assert.equal(trainer.summary.method, method ?? trainer.summary.method);
      assert.equal(trainer.summary.standardized !== undefined, standardized);
      if (standardized) assert(trainer.summary.standardized.precisionAt1 > 0.95);
      assert.equal(model.info().algorithm, wanted.info().algorithm);
      assert.deepEqual(model.info().thresholds, wanted.info().thresholds);
      for (const [x, y] of points) {
        const row = [Uint32Array.of(0, 1), Float32Array.of(y, x), 2];
        assert.deepEqual(model.predict(...row), wanted.predict(...row));
      }
    });
  }

  test(`train/${file}: one-vs-rest by its options, to the byte`, async () => {
    const data = dataset(text);
    for (const [options, ...words] of [
      [{}],
      [
        { cost: 0.3, positiveWeight: 3, exponent: 0.7, prune: 0, bits: 16, fuse: "centroid", prior: 0.1, seed: 3 },
        ...["--cost", "0.3", "--positive-weight", "3", "--exponent", "0.7", "--prune", "0", "--bits", "16"],
        ...["--fuse", "centroid", "--prior", "0.1", "--seed", "3"],
      ],
      [
        { negatives: "mined", rounds: 3, pool: 50, mine: 4, bias: -0.5, loss: "hinge", fuse: "nearest", epsilon: 0.1 },
        ...["--negatives", "mined", "--rounds", "3", "--pool", "50", "--mine", "4", "--bias", "-0.5"],
        ...["--loss", "hinge", "--fuse", "nearest", "--epsilon", "0.1"],
      ],
      [
        { softmax: 0.2, embedding: 0.1, centroid: 0, learnBias: true, maxEpochs: 4, characters: [2, 3], calibrate: false },
        ...["--softmax", "0.2", "--embedding", "0.1", "--centroid", "0", "--learn-bias", "--max-epochs", "4"],
        ...["--characters", "2-3", "--no-calibration"],
      ],
      [{ fuse: "none" }, "--fuse", "none"],
    ]) {
      const wanted = native.read(native.trained("ovr", native.folder(), text, ...words));
      const trainer = new OvrTrainer(options);
      const model = await train(trainer, data);
      assert.equal(Buffer.compare(model.toBytes(), wanted), 0, JSON.stringify(options));
      for (const [name, given] of Object.entries(options)) {
        const found = trainer.parameters[name];
        if (typeof found === "number") assert(Math.abs(found - given) < 1e-6, name);
      }
      assert.equal(trainer.parameters.neighbors > 0, options.fuse === "nearest");
      assert(model.can("contributionsText"));
      const [best] = model.predictText("a1 a2 w3");
      assert(model.contributionsText("a1 a2 w3", best.id).length > 0);
      model.free();
    }
    data.free();
  });

  test(`train/${file}: few texts train one-vs-rest as the command does, and choose nothing`, async () => {
    const few = text.split("\n").slice(0, 60).join("\n");
    const data = dataset(few);
    const [chosen, named] = ["auto", "ovr"].map((method) => native.read(native.trained(method, native.folder(), few)));
    assert.equal(Buffer.compare(chosen, named), 0);
    const model = await train(new OvrTrainer(), data);
    assert.equal(Buffer.compare(model.toBytes(), chosen), 0);
    const trainer = new BestTrainer();
    assert.equal(Buffer.compare((await train(trainer, data)).toBytes(), chosen), 0);
    assert.deepEqual([trainer.summary.tried, trainer.summary.judged, trainer.summary.settings], [[], 0, 0]);
  });

  test(`train/${file}: training stops where a signal or a report says so, and another begins`, async () => {
    const data = dataset(text);
    for (const Trainer of [BestTrainer, OvrTrainer]) {
      const trainer = new Trainer({ calibrate: false });
      const wanted = new Set(["features", "parameters", "solving"]);
      for (const stage of wanted) {
        const stop = new AbortController();
        let after = 0;
        const progress = (report) => {
          after += stop.signal.aborted ? 1 : 0;
          if (report.stage === stage) stop.abort(new Error(`enough of ${stage}`));
        };
        await assert.rejects(train(trainer, data, { progress, signal: stop.signal }), new RegExp(`enough of ${stage}`));
        assert.equal(after, 0);
      }
      const failing = () => {
        throw new RangeError("no place to show it");
      };
      await assert.rejects(train(trainer, data, { progress: failing }), RangeError);
      await assert.rejects(train(trainer, data, { signal: AbortSignal.abort() }), { name: "AbortError" });
      const model = await train(trainer, data);
      assert.equal(plain(model.predictText("a1 a2", 1)).length, 1);
      model.free();
      trainer.free();
    }
    data.free();
  });

  test(`train/${file}: what cannot be learned from, or had, is an error that says so`, async () => {
    const rows = (features, rows, labels) =>
      Dataset.fromRows(
        features,
        Uint32Array.from({ length: rows + 1 }, (_, at) => at),
        new Uint32Array(rows),
        new Float32Array(rows).fill(1),
        Uint32Array.from({ length: rows + 1 }, (_, at) => (labels ? at : 0)),
        Uint32Array.from({ length: labels ? rows : 0 }, (_, at) => at % labels),
      );
    const refused = async (data, rule, fields = {}) => {
      for (const Trainer of [BestTrainer, OvrTrainer]) {
        await assert.rejects(train(new Trainer(), data), (error) => {
          assert(error instanceof TrainError, `${error}`);
          assert.deepEqual({ ...error, ...fields }, { ...error });
          assert.equal(error.rule, rule);
          return true;
        });
      }
    };
    assert.throws(() => Dataset.fromTexts([], []), { name: "ReadError", rule: "Empty", line: 1 });
    await refused(rows(3, 0, 1), "NoRows");
    await refused(rows(3, 200, 0), "NoLabels");
    await refused(rows(3e9, 200, 2), "OutOfMemory");
    await refused(rows(6e7, 200, 2), "OutOfMemory");
    assert.throws(() => Dataset.fromTexts(["a"], ["label"]), { name: "TypeError", message: /labels of text 1 are a string; .*\["label"\]/ });
    const wrong = (options, fields) =>
      assert.throws(
        () => new OvrTrainer(options),
        (error) => error instanceof ParamError && Object.entries(fields).every(([key, value]) => error[key] === value),
      );
    wrong({ cost: 0 }, { parameter: "cost", value: 0 });
    wrong({ cost: "1" }, { parameter: "cost", rule: "Type" });
    wrong({ bits: 7 }, { parameter: "bits", rule: "OneOf" });
    wrong({ rounds: Number.NaN }, { parameter: "rounds", value: 0 });
    wrong({ prune: -1 }, { parameter: "prune" });
    wrong({ fuse: "all" }, { parameter: "fuse", rule: "OneOf" });
    wrong({ learnBias: 1 }, { parameter: "learnBias", rule: "Type" });
    wrong({ positive_weight: 1 }, { parameter: "positive_weight", rule: "OneOf" });
    assert.throws(() => new BestTrainer({ cost: 1 }), { name: "ParamError", rule: "OneOf", parameter: "cost" });
  });
};
