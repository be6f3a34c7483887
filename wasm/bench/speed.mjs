// The speed of the package against the native command, for nearest neighbors and for a linear model
// (or the algorithms named), prepared for speed everywhere: microseconds of a query on one thread,
// and how fast a model file is checked and loaded. In Node it is CPU time; Chromium gives the time
// of the clock only, so the command's is told for both. `--no-browser` leaves Chromium out. Only
// ratios compare between machines.

import { readFileSync } from "node:fs";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { Model, initSync } from "../dist/node.js";
import "./released.mjs";
import * as native from "../tests/native.mjs";
import { inChromium } from "./chromium.mjs";
import { prepare } from "./eurlex57k.mjs";

// Runtimes compile what is hot again while it runs: the first rounds are slower.
const ROUNDS = 10;
const FILES = { simd: "hapax_simd.wasm", baseline: "hapax.wasm" };

const measure = ({ file, model, rows }) => {
  initSync(new URL(`../dist/${file}`, import.meta.url));
  const bytes = native.read(model);
  const queries = native.rows(readFileSync(rows, "utf8"));
  const microseconds = (action) => {
    const start = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  let [load, query, loaded] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, undefined];
  let prepared = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    loaded?.free();
    load = Math.min(load, microseconds(() => (loaded = Model.fromBytes(bytes))));
    prepared = microseconds(() => loaded.prepare()) / 1000;
    const all = microseconds(() => {
      for (const { indices, values } of queries) loaded.predict(indices, values, 5);
    });
    query = Math.min(query, all / queries.length);
  }
  return { query, load: bytes.length / load, prepared };
};

const inWorker = (file, { model, rows }) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { file, model, rows } });
    worker.on("message", resolve).on("error", reject);
  });

const compare = async () => {
  const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const { models, rows } = prepare(named.length > 0 ? named : ["nearest", "ovr"]);
  for (const { algorithm, model } of models) await compareBy(algorithm, { model, rows });
};

const compareBy = async (algorithm, paths) => {
  const words = ["evaluate", paths.model, paths.rows, "-k", "5", "--threads", "1", "--json"];
  const once = () => JSON.parse(native.hapax(...words)).cpu_seconds * 1000;
  const own = Math.min(...Array.from({ length: ROUNDS }, once));
  console.log(`${algorithm}: native ${own.toFixed(1)} µs a query`);
  const tell = (where, name, { query, load, prepared }) => {
    const ratio = (query / own).toFixed(2);
    const place = `  ${where} ${name}`.padEnd(20);
    const ready = `loads ${load.toFixed(0)} MB/s, prepared in ${prepared.toFixed(0)} ms`;
    console.log(`${place} ${query.toFixed(1)} µs a query, ${ratio} times native; ${ready}`);
  };
  for (const [name, file] of Object.entries(FILES)) tell("Node", name, await inWorker(file, paths));
  if (process.argv.includes("--no-browser")) return;
  for (const [name, file] of Object.entries(FILES)) {
    tell("Chromium", name, await inChromium(file, paths, ROUNDS));
  }
};

if (isMainThread) await compare();
else parentPort.postMessage(measure(workerData));
