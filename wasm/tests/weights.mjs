// What must hold of linear models, prototypes and MACH in the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../dist/node.js";
import { answersOfTheCommand, eurlex57k, expected, holdGolden, plain } from "./answers.mjs";
import * as native from "./native.mjs";

const trainedBy = native.trained;

/** Parameters as the command may choose them: to choose takes fifteen times as long. */
const CHOSEN = [
  ["cost", 1],
  ["positive-weight", 1],
  ["exponent", 1],
  ["bias", 1],
  ["centroid", 0.2],
  ["prior", -0.025],
  ["softmax", 0],
  ["prune", 0.15],
  ["fuse", "centroid"],
]
  .map(([name, value]) => `--${name}=${value}`)
  .concat("--learn-bias", "--no-calibration");

/** The tests, once the module is loaded. */
export const modelsOfWeights = (name, texts) => {
  test(`${name}: a linear model gets the native scores to the bit, prepared or not`, () => {
    // Words of as many labels as these have dense parts, which vectors add.
    const many = Array.from({ length: 700 }, (_, at) => `w${at % 41} v${at % 5} u${at % 3}\tlabel${at % 90}`);
    const exact = ["--bits", "16", "--prune", "0"];
    for (const [lines, ...form] of [
      [texts],
      [texts, ...exact],
      [many.join("\n"), "--prune", "0"],
      [many.join("\n"), ...exact],
    ]) {
      const directory = native.folder();
      const path = trainedBy("ovr", directory, lines, "--min-documents", "1", ...form);
      const model = Model.fromBytes(native.read(path));
      const compare = answersOfTheCommand(path, directory, lines);
      compare(model);
      assert(model.prepare() > 0);
      compare(model);
      assert.deepEqual(model.toBytes(), native.read(path));
      assert.equal(model.info().algorithm, "ovr");
      assert(model.info().weights > 0);
      model.free();
    }
  });

  test(`${name}: a model with vectors of words answers`, () => holdGolden(Model, "vectors-1"));

  test(`${name}: the labels near a label are the native ones, with places for a picture`, () => {
    const directory = native.folder();
    const path = trainedBy("wsabie-pp", directory, texts, "--min-documents", "1");
    const model = Model.fromBytes(native.read(path));
    for (let id = 0; id < model.info().labels; id++) {
      const label = model.labelName(id);
      const said = JSON.parse(native.hapax("inspect", path, "--neighbors", label, "--json"));
      const wanted = said.neighbors.map((near) => [
        near.id,
        near.label,
        Math.fround(near.distance),
        Math.fround(near.cosine),
      ]);
      const [own, ...near] = model.neighborhood(id);
      assert.deepEqual([own.id, own.label, own.distance, own.cosine], [id, label, 0, 1]);
      assert.deepEqual(
        near.map((one) => [one.id, one.label, one.distance, one.cosine]),
        wanted,
      );
      // Two dimensions cannot put labels further apart than all of them do.
      for (const { x, y, distance } of near) {
        const shown = Math.hypot(x - own.x, y - own.y);
        assert(shown <= distance * (1 + 1e-6), `${shown} shown of ${distance}`);
      }
    }
    assert.equal(model.neighborhood(0, 2).length, 3);
    model.free();
  });

  test(`${name}: models of prototypes get the native scores to the bit`, () => {
    const directory = native.folder();
    for (const [algorithm, ...form] of [
      ["wsabie-pp"],
      ["wsabie-pp", "--reduce", "3", "--bits", "8"],
      ["wsabie", "--bits", "32"],
      ["ova-sgd", "--bits", "4"],
      ["auc", "--reduce", "3"],
      ["nearest-mean"],
    ]) {
      const path = trainedBy(algorithm, directory, texts, "--min-documents", "1", ...form);
      const model = Model.fromBytes(native.read(path));
      answersOfTheCommand(path, directory, texts)(model);
      assert.deepEqual(model.toBytes(), native.read(path));
      assert.equal(model.info().algorithm, algorithm);
      model.free();
    }
  });

  test(`${name}: a MACH model gets the native scores to the bit`, () => {
    const directory = native.folder();
    const small = ["--buckets", "2", "--repetitions", "9", "--rerank", "4"];
    for (const form of [["--bits", "4"], ["--bits", "8"], ["--bits", "32"], ["--estimator", "mean"]]) {
      const path = trainedBy("mach", directory, texts, "--min-documents", "1", ...small, ...form);
      const model = Model.fromBytes(native.read(path));
      answersOfTheCommand(path, directory, texts)(model);
      assert.deepEqual(model.toBytes(), native.read(path));
      assert.equal(model.info().algorithm, "mach");
      model.free();
    }
  });

  test(`${name}: the best of many labels are found by the scan of their codes as natively`, () => {
    const directory = native.folder();
    const lines = Array.from({ length: 700 }, (_, at) => `w${at % 41} v${at % 37} u${at % 29}\tlabel${at}`);
    const input = native.write(directory, "queries.txt", lines.map((line) => line.split("\t")[0]).join("\n"));
    // Tables of 16 to 128 bytes are looked up by vectors, longer ones are not.
    for (const buckets of [9, 16, 30, 64, 100, 200]) {
      const options = ["--buckets", `${buckets}`, "--repetitions", "7", "--epochs", "1", "--rerank", "0"];
      const path = trainedBy("mach", directory, lines.join("\n"), ...options);
      const model = Model.fromBytes(native.read(path));
      const wanted = native.answers(path, input, 5);
      lines.forEach((line, at) => {
        const found = plain(model.predictText(line.split("\t")[0], 5));
        assert.deepEqual(found, expected(wanted[at]), `${buckets} buckets: ${line}`);
      });
      model.free();
    }
  });

  test(`${name}: what features add to a label's score is the native command's`, () => {
    const directory = native.folder();
    const path = trainedBy("ovr", directory, texts, "--min-documents", "1");
    const model = Model.fromBytes(native.read(path));
    const query = texts.split("\t")[0];
    const input = native.write(directory, "queries.txt", `${query}\n`);
    const words = ["predict", path, input, "-k", "2", "--output", "json", "--explain"];
    const { evidence } = JSON.parse(native.hapax(...words));
    model.predictText(query, 2).forEach(({ id }, at) => {
      const parts = model.contributionsText(query, id, 8);
      const wanted = evidence[at].features.map((f) => [f.feature, Math.fround(f.score)]);
      assert.deepEqual(parts.map((part) => [part.name, part.score]), wanted);
    });
    const [best] = model.predictText(query, 1);
    const [first] = model.contributionsText(query, best.id);
    assert(query.toLowerCase().includes(first.name) && first.score > 0, JSON.stringify(first));
    assert.deepEqual(model.contributions(Uint32Array.of(), Float32Array.of(), best.id), []);
    model.free();
  });
};

/** The test of a large linear model; `memory` says how much the module takes, which nothing gives back. */
export const modelOfManyWeights = (name, memory) => {
  test(`${name}: a linear model of eurlex57k gets the native scores to the bit`, (context) => {
    const rows = eurlex57k();
    if (rows === undefined) return context.skip("shared data absent");
    const directory = native.folder();
    const path = trainedBy("ovr", directory, rows.train, ...CHOSEN, "--rounds", "1");
    const wanted = native.answers(path, native.write(directory, "queries.txt", rows.test), 5);
    const bytes = native.read(path);
    const before = memory();
    const model = Model.fromBytes(bytes, { prepare: false });
    const compare = () =>
      native.rows(rows.test).forEach(({ indices, values }, at) => {
        const found = plain(model.predict(indices, values, 5));
        assert.deepEqual(found, expected(wanted[at]), `row ${at}`);
      });
    compare();
    const used = memory();
    const taken = model.prepare();
    compare();
    console.log(
      `${name}: a linear model of ${bytes.length} bytes takes ${used - before} more bytes of wasm memory; ` +
        `prepared ${taken} for ${model.info().weights} weights, memory then ${memory()}`,
    );
    assert(used - before <= 1.2 * bytes.length + 2 ** 20, `${used - before} bytes`);
    model.free();
  });
};
