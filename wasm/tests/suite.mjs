// What must hold of the built package in Node, for each of its wasm files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as bindings from "../dist/bindings.js";
import * as hapax from "../dist/node.js";
import { answersOfTheCommand, eurlex57k, expected, plain, probabilitiesOfTheCommand } from "./answers.mjs";
import * as native from "./native.mjs";
import { modelOfManyWeights, modelsOfWeights } from "./weights.mjs";

const { FormatError, Model, PredictError, ReadError } = hapax;

const trained = (...rest) => native.trained("nearest", ...rest);

/** What a call throws. */
const refusal = (call) => {
  try {
    call();
  } catch (error) {
    return error;
  }
};

/** All tests, with the package running this wasm file. */
export const suite = (name, file) => {
  const memory = () => bindings.initSync().memory.buffer.byteLength;
  const tooEarly = refusal(() => Model.fromBytes(new Uint8Array()));
  hapax.initSync(new URL(`../dist/${file}`, import.meta.url));
  const texts = readFileSync(native.fixture, "utf8");

  test(`${name}: a call before the module was loaded said so`, () => {
    assert.equal(tooEarly?.message, "hapax is not loaded: await init() first");
  });

  modelOfManyWeights(name, memory);

  test(`${name}: texts get the native scores to the bit`, () => {
    const directory = native.folder();
    const path = trained(directory, texts, "--min-documents", "1");
    const model = Model.fromBytes(native.read(path));
    answersOfTheCommand(path, directory, texts)(model);
    model.free();
  });

  test(`${name}: what is no string is refused, and answers stay as they were`, () => {
    const model = Model.fromBytes(native.read(trained(native.folder(), texts)));
    const text = texts.split("\t", 1)[0];
    const before = plain(model.predictText(text, 3));
    for (const wrong of [5, null, undefined, {}, ["a"], 1e9]) {
      const refusal = { name: "TypeError", message: /^the (text|name) is .*; give a string$/ };
      assert.throws(() => model.predictText(wrong, 3), refusal);
      assert.throws(() => model.labelId(wrong), refusal);
    }
    assert.deepEqual(plain(model.predictText(text, 3)), before);
    model.free();
  });

  test(`${name}: learns, explains, forgets and keeps it all in its bytes`, () => {
    const model = Model.fromBytes(native.read(trained(native.folder(), texts, "--min-documents", "1")));
    const text = "a tree with cones and white cheese";
    const before = model.predictText(text, 3);
    const row = model.learn(text, "cheese-tree");
    const [best] = model.predictText(text, 1);
    assert.equal(best.label, "cheese-tree");
    const [nearest] = model.explainText(text, 1, 2);
    assert.equal(nearest.row, row);
    assert.deepEqual(nearest.labels, [{ id: best.id, label: "cheese-tree" }]);
    assert.equal(nearest.features.length, 2);
    assert.equal(typeof nearest.features[0].name, "string");
    const again = Model.fromBytes(model.toBytes());
    assert.deepEqual(again.predictText(text, 5), model.predictText(text, 5));
    assert.deepEqual(again.toBytes(), model.toBytes());
    assert.equal(model.forget(row), true);
    assert.equal(model.forget(row), false);
    assert.deepEqual(model.predictText(text, 3), before);
    assert.equal(again.labelName(best.id), "cheese-tree");
    assert.equal(again.labelId("cheese-tree"), best.id);
  });

  test(`${name}: what is wrong is an error of its class with its numbers`, () => {
    const bytes = native.read(trained(native.folder(), texts));
    const model = Model.fromBytes(bytes);
    const thrown = (action, type, fields) =>
      assert.throws(action, (error) => {
        assert(error instanceof type && error instanceof Error, `${error}`);
        assert.equal(error.name, type.name);
        assert.deepEqual({ ...error, ...fields }, { ...error });
        return true;
      });
    for (let length = 0; length < bytes.length; length += Math.max(1, length >> 4)) {
      thrown(() => Model.fromBytes(bytes.slice(0, length)), FormatError, { name: "FormatError" });
    }
    const cut = bytes.slice(0, bytes.length - 1);
    thrown(() => Model.fromBytes(cut), FormatError, {
      rule: "WrongLength",
      length: bytes.length - 1,
      expected: bytes.length,
    });
    const damaged = bytes.slice();
    // The last byte that is not zero: padding is.
    damaged[bytes.findLastIndex((byte) => byte !== 0)] ^= 2;
    assert.throws(
      () => Model.fromBytes(damaged),
      ({ rule, section, offset }) => rule === "SectionDamaged" && section.length > 3 && offset % 64 === 0,
    );
    thrown(() => model.predictText("?!", 1), PredictError, { rule: "NoFeatures", tokens: 0 });
    thrown(() => model.predictText("xqzzt", 1), PredictError, { rule: "NoFeatures", tokens: 1 });
    thrown(() => model.predict(Uint32Array.of(2, 1), Float32Array.of(1, 1), 1), ReadError, {
      rule: "NotRising",
      position: 1,
    });
    thrown(() => model.predict(Uint32Array.of(1), Float32Array.of(Number.NaN), 1), ReadError, {
      rule: "NotFinite",
      position: 0,
      value: Number.NaN,
    });
    thrown(() => model.predict(Uint32Array.of(1, 2), Float32Array.of(1), 1), ReadError, {
      rule: "LengthsDiffer",
      indices: 2,
      values: 1,
    });
  });

  test(`${name}: probabilities are the native ones, and leave the same answers out`, () => {
    for (const algorithm of ["nearest", "ovr", "mach"]) {
      const directory = native.folder();
      const lines = native.manyTexts(300);
      const path = native.trained(algorithm, directory, lines);
      const model = Model.fromBytes(native.read(path));
      const check = probabilitiesOfTheCommand(path, directory, lines);
      check(model);
      check(model, { atMost: 1 }, "--at-most", "1");
      check(model, { above: 0.3 }, "--above", "0.3");
      check(model, { above: "micro", atMost: 2 }, "--above", "micro", "--at-most", "2");
      check(model, { above: "macro" }, "--above", "macro");
      check(model, { abstain: true }, "--abstain");
      check(model, { abstain: 0.9, above: 0.05 }, "--abstain=0.9", "--above", "0.05");
      model.free();
    }
  });

  test(`${name}: banking77 gets the native scores to the bit`, (context) => {
    const text = native.shared("banking77/train.raw.tsv.xz");
    const queries = native.shared("banking77/test.raw.tsv.xz");
    if (text === undefined || queries === undefined) return context.skip("shared data absent");
    const directory = native.folder();
    const path = trained(directory, text, "--columns", "labels,text");
    const lines = queries.trimEnd().split("\n").map((line) => line.split("\t")[1]).slice(0, 500);
    const input = native.write(directory, "queries.txt", lines.join("\n"));
    const wanted = native.answers(path, input, 5);
    const model = Model.fromBytes(native.read(path));
    lines.forEach((line, at) => {
      assert.deepEqual(plain(model.predictText(line, 5)), expected(wanted[at]), line);
    });
    model.free();
  });

  test(`${name}: eurlex57k gets the native scores to the bit, in little memory`, (context) => {
    const rows = eurlex57k();
    if (rows === undefined) return context.skip("shared data absent");
    const directory = native.folder();
    const path = trained(directory, rows.train);
    const wanted = native.answers(path, native.write(directory, "queries.txt", rows.test), 5);
    const bytes = native.read(path);
    const before = memory();
    const model = Model.fromBytes(bytes);
    native.rows(rows.test).forEach(({ indices, values }, at) => {
      const found = plain(model.predict(indices, values, 5));
      assert.deepEqual(found, expected(wanted[at]), `row ${at}`);
    });
    const [used, most] = [memory() - before, 1.2 * bytes.length + 2 ** 20];
    console.log(`${name}: a model of ${bytes.length} bytes takes ${used} more bytes of wasm memory`);
    assert(used <= most, `${used} bytes of wasm memory, more than ${most}`);
    model.free();
  });

  modelsOfWeights(name, texts);
};
