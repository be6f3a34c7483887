// Answers of the package and of the command, in one form.

import assert from "node:assert/strict";
import * as native from "./native.mjs";

export const plain = (answers) => answers.map(({ id, label, score }) => [id, label, score]);
export const expected = (answers) => answers.map(({ id, name, score }) => [id, name, score]);

export const firstLines = (text, count) => text.split("\n").slice(0, count).join("\n") + "\n";

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
