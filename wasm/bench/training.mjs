// What `hapax train` chooses, trained in Node beside the native command, in CPU seconds of one
// thread: node wasm/bench/training.mjs TRAIN.tsv [hapax.wasm]; a line is a text, a tab, its labels.

import { readFileSync } from "node:fs";
import { BestTrainer, Dataset, initSync, train } from "../dist/train/node.js";
import "./released.mjs";
import * as native from "../tests/native.mjs";

const [path, file = "hapax_simd.wasm"] = process.argv.slice(2);
initSync(new URL(`../dist/train/${file}`, import.meta.url));

const model = `${native.folder()}/model.hapax`;
const words = ["--threads", "1", "--json"];
const told = JSON.parse(native.hapax("train", path, "-o", model, ...words));

const rows = readFileSync(path, "utf8").trimEnd().split("\n").map((line) => line.split("\t"));
const data = Dataset.fromTexts(
  rows.map(([text]) => text),
  rows.map(([, labels]) => labels.split(" ")),
);
const trainer = new BestTrainer();
let memory;
const start = process.cpuUsage();
const made = await train(trainer, data, { progress: (report) => (memory = report.memory ?? memory) });
const { user, system } = process.cpuUsage(start);

const seconds = (user + system) / 1e6;
console.log(`native ${told.cpu_seconds.toFixed(1)} s, ${file} ${seconds.toFixed(1)} s: ${(seconds / told.cpu_seconds).toFixed(2)}`);
console.log(`memory beside the data by the estimate: ${(memory / 1e6).toFixed(1)} MB`);
console.log(`the same bytes: ${Buffer.compare(made.toBytes(), native.read(model)) === 0}`);
console.log(JSON.stringify(trainer.summary));
