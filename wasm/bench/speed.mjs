// Microseconds of a query on the first 1,000 test rows of eurlex57k: the native command on one thread, the
// package with and without vectors in Node. Prints ratios: only those compare between machines.

import { join } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { Model, initSync } from "../dist/node.js";
import * as native from "../tests/native.mjs";

const ROUNDS = 3;

const measure = ({ file, model, queries }) => {
  initSync(new URL(`../dist/${file}`, import.meta.url));
  const loaded = Model.fromBytes(native.read(model));
  const rows = native.rows(queries);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    for (const { indices, values } of rows) loaded.predict(indices, values, 5);
    best = Math.min(best, (1000 * (performance.now() - start)) / rows.length);
  }
  return best;
};

const inWorker = (file, model, queries) =>
  new Promise((resolve, reject) => {
    const data = { file, model, queries };
    const worker = new Worker(new URL(import.meta.url), { workerData: data });
    worker.on("message", resolve).on("error", reject);
  });

const compare = async () => {
  const directory = native.folder();
  const train = native.shared("eurlex57k/train.txt.xz");
  const test = native.shared("eurlex57k/test.txt.xz");
  if (train === undefined || test === undefined) process.exit(1);
  const [, features, labels] = test.slice(0, test.indexOf("\n")).split(" ");
  const queries = test.split("\n").slice(1, 1001).join("\n");
  const rows = `1000 ${features} ${labels}\n${queries}\n`;
  const [data, input] = [native.write(directory, "train.txt", train), native.write(directory, "test.txt", rows)];
  const model = join(directory, "model.hapax");
  native.hapax("train", "nearest", data, "-o", model);
  const once = () => {
    const words = ["evaluate", model, input, "-k", "5", "--threads", "1", "--json"];
    return JSON.parse(native.hapax(...words)).microseconds_per_point;
  };
  const own = Math.min(...Array.from({ length: ROUNDS }, once));
  console.log(`native    ${own.toFixed(0)} µs a query`);
  for (const [name, file] of [["simd", "hapax_simd.wasm"], ["baseline", "hapax.wasm"]]) {
    const time = await inWorker(file, model, rows);
    console.log(`${name.padEnd(9)} ${time.toFixed(0)} µs a query, ${(time / own).toFixed(2)} times native`);
  }
};

if (isMainThread) await compare();
else parentPort.postMessage(measure(workerData));
