// Answers of the package and of the command, in one form.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as native from "./native.mjs";

export const plain = (answers) => answers.map(({ id, label, score }) => [id, label, score]);
export const expected = (answers) => answers.map(({ id, name, score }) => [id, name, score]);

/** A check that a model's answers and probabilities are those of the command with the same options. */
export const probabilitiesOfTheCommand = (path, directory, lines) => {
  const queries = lines.trimEnd().split("\n").map((line) => line.split("\t")[0]).slice(0, 60);
  const input = native.write(directory, "queries.txt", queries.join("\n"));
  // The command prints probabilities to four places.
  const four = (probability) => Math.round(probability * 1e4) / 1e4;
  return (model, options, ...words) => {
    const printed = native.hapax("predict", path, input, "--output", "jsonl", ...words).trimEnd().split("\n");
    const wanted = printed.map((line) => JSON.parse(line).labels.map(({ id, probability }) => [id, probability]));
    const found = queries.map((query) => model.predictText(query, options));
    assert.deepEqual(found.map((answers) => answers.map(({ id, probability }) => [id, four(probability)])), wanted);
    const { offsets, ids, scores, probabilities } = model.predictTexts(queries, options);
    const all = found.flat();
    assert.deepEqual(Array.from(ids), all.map(({ id }) => id));
    assert.deepEqual(Array.from(scores), all.map(({ score }) => score));
    assert.deepEqual(Array.from(probabilities), all.map(({ probability }) => probability));
    assert.equal(offsets.at(-1), ids.length);
  };
};

/** The first 10,000 rows of eurlex57k to train on, and 300 to ask; nothing where they are absent. */
export const eurlex57k = () => {
  const [train, test] = ["train", "test"].map((part) => native.shared(`eurlex57k/${part}.txt.xz`));
  if (train === undefined || test === undefined) return undefined;
  const first = (text, rows) => `${text.split("\n").slice(0, rows + 1).join("\n")}\n`.replace(/^\d+/, rows);
  return { train: first(train, 10_000), test: first(test, 300) };
};

/** A check that a model answers the texts of labelled lines as the command does with its file. */
export const answersOfTheCommand = (path, directory, lines) => {
  const queries = lines.trimEnd().split("\n").map((line) => line.split("\t")[0]);
  const input = native.write(directory, "queries.txt", queries.join("\n"));
  const wanted = native.answers(path, input, 5);
  return (model) =>
    queries.forEach((query, at) => {
      assert.deepEqual(plain(model.predictText(query, 5)), expected(wanted[at]), query);
    });
};

/** Holds the bytes and answers of a model in `tests/data` against those of all hosts, to the bit. */
export const holdGolden = (Model, name) => {
  const golden = (ending) => readFileSync(new URL(`../../tests/data/${name}.${ending}`, import.meta.url));
  const model = Model.fromBytes(golden("hapax"));
  const bits = (score) => new Uint32Array(Float32Array.of(score).buffer)[0].toString(16).padStart(8, "0");
  const lines = golden("answers").toString().trimEnd().split("\n").map((line) => line.split("\t"));
  for (const [text, ...wanted] of lines) {
    if (wanted[0].includes("=")) {
      const found = model.predictText(text, wanted.length);
      assert.deepEqual(found.map(({ label, score }) => `${label}=${bits(score)}`), wanted, text);
    } else {
      assert.throws(() => model.predictText(text), { message: wanted[0] });
    }
  }
  assert.equal(Buffer.compare(model.toBytes(), golden("hapax")), 0);
  model.free();
};
