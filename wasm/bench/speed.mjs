// CPU microseconds of a query on the first 1,000 test rows of eurlex57k: the native command on one thread, the
// package with and without vectors in Node, for nearest neighbors and for a linear model, which is prepared
// for speed everywhere. Prints ratios: only those compare between machines.

import { join } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { Model, initSync } from "../dist/node.js";
import * as native from "../tests/native.mjs";

const ROUNDS = 3;

const measure = ({ file, model, queries }) => {
  initSync(new URL(`../dist/${file}`, import.meta.url));
  const loaded = Model.fromBytes(native.read(model));
  const start = performance.now();
  loaded.prepare();
  const prepared = performance.now() - start;
  const rows = native.rows(queries);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage();
    for (const { indices, values } of rows) loaded.predict(indices, values, 5);
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / rows.length);
  }
  return { best, prepared };
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
  const algorithms = process.argv.length > 2 ? process.argv.slice(2) : ["nearest", "ovr"];
  for (const algorithm of algorithms) await compareBy(algorithm, directory, data, input, rows);
};

const compareBy = async (algorithm, directory, data, input, rows) => {
  const model = join(directory, `${algorithm}.hapax`);
  native.hapax("train", algorithm, data, "-o", model);
  const once = () => {
    const words = ["evaluate", model, input, "-k", "5", "--threads", "1", "--json"];
    return (1e6 * JSON.parse(native.hapax(...words)).cpu_seconds) / 1000;
  };
  const own = Math.min(...Array.from({ length: ROUNDS }, once));
  console.log(`${algorithm}: native ${own.toFixed(1)} µs a query`);
  for (const [name, file] of [["simd", "hapax_simd.wasm"], ["baseline", "hapax.wasm"]]) {
    const { best, prepared } = await inWorker(file, model, rows);
    const ratio = (best / own).toFixed(2);
    console.log(`  ${name.padEnd(9)} ${best.toFixed(1)} µs a query, ${ratio} times native; prepared in ${prepared.toFixed(0)} ms`);
  }
};

if (isMainThread) await compare();
else parentPort.postMessage(measure(workerData));
