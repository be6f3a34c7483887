// The example worker in workerd: starts, and answers as the native command does.

import assert from "node:assert/strict";
import { readFileSync, truncateSync } from "node:fs";
import { test } from "node:test";
import * as native from "./native.mjs";
import { ask, judge, start } from "./workerd.mjs";

const data = () => {
  const text = native.shared("banking77/train.raw.tsv.xz");
  if (text === undefined) return { text: readFileSync(native.fixture, "utf8"), options: [] };
  return { text, options: ["--columns", "labels,text"] };
};

for (const algorithm of ["nearest", "ovr"]) test(`${algorithm}: the worker answers as the native command does`, async () => {
  const { text, options } = data();
  const edge = await start((model) => {
    const train = native.write(native.folder(), "train.tsv", text);
    native.hapax("train", algorithm, train, "-o", model, ...options);
  }, algorithm === "nearest" ? "nearest" : ".");
  const queries = text.split("\n").slice(0, 200).flatMap((line) => line.split("\t")[options.length ? 1 : 0] || []);
  await judge(algorithm, edge, queries);
  assert.equal((await ask(edge.address, "?!")).status, 422);
  assert.equal((await fetch(edge.address)).status, 400);
});

test("a truncated model is a FormatError at the start", async () => {
  const edge = await start((model) => {
    native.hapax("train", "nearest", native.fixture, "-o", model);
    truncateSync(model, readFileSync(model).length - 1);
  });
  await new Promise((resolve) => edge.worker.once("exit", resolve));
  assert.match(edge.written(), /FormatError: .*it is cut off/);
});
