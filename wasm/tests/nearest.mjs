// The part of the package that reads nearest neighbors only and does not train, held against the
// whole in Node, for each of its wasm files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as whole from "../dist/node.js";
import * as part from "../dist/nearest/node.js";
import * as training from "../dist/train/node.js";
import * as native from "./native.mjs";

const texts = readFileSync(native.fixture, "utf8").trimEnd().split("\n").map((line) => line.split("\t"));

whole.initSync();
training.initSync();
const trained = new training.Trainer({ minDocuments: 1 }).train(
  training.Dataset.fromTexts(
    texts.map(([text]) => text),
    texts.map(([, labels]) => labels.split(" ")),
  ),
);
const bytes = trained.toBytes();

/** All tests, with this wasm file; a process starts one, the first. */
export const suite = (file) => {
  part.initSync(new URL(`../dist/nearest/${file}`, import.meta.url));

  test(`nearest/${file}: answers, learns, explains, forgets and writes as the whole package does`, () => {
    const [model, other] = [part.Model.fromBytes(bytes), whole.Model.fromBytes(bytes)];
    const text = "a tree with cones and white cheese";
    assert.equal(model.learn(text, "cheese-tree"), other.learn(text, "cheese-tree"));
    assert.equal(model.forget(0), other.forget(0));
    for (const [query] of texts) assert.deepEqual(model.predictText(query, 5), other.predictText(query, 5));
    assert.deepEqual(model.explainText(text, 3), other.explainText(text, 3));
    assert.deepEqual(model.toBytes(), other.toBytes());
    assert.deepEqual(model.info(), other.info());
  });

  test("what only answers has no trainer, and the errors of the part are its own", () => {
    assert.equal(part.Trainer, undefined);
    assert.equal(whole.Trainer, undefined);
    assert.throws(
      () => part.Model.fromBytes(bytes.slice(0, 99)),
      (error) => error instanceof part.FormatError && error.rule === "WrongLength" && error.expected === bytes.length,
    );
  });

  test("a model of another kind is refused, and the error says so", () => {
    const model = join(native.folder(), "linear.hapax");
    native.hapax("train", "ovr", native.fixture, "-o", model, "--min-documents", "1");
    assert.throws(
      () => part.Model.fromBytes(readFileSync(model)),
      (error) => error instanceof part.FormatError && error.rule === "KindLeftOut" && error.kind === 2,
    );
  });
};
