// Trains by the npm package for test_sets.py: node train.mjs KIND FILE METHOD OPTIONS MODEL.

import { readFileSync, writeFileSync } from "node:fs";
import { BestTrainer, Dataset, init, OvrTrainer, train, Trainer } from "../../../wasm/dist/train/node.js";

const [kind, file, method, options, path] = process.argv.slice(2);
const TRAINERS = { auto: BestTrainer, ovr: OvrTrainer, nearest: Trainer };

const texts = (lines) => {
  const rows = lines.map((line) => line.split("\t"));
  return Dataset.fromTexts(rows.map(([text]) => text), rows.map(([, labels]) => labels.split(" ")));
};

const rows = ([header, ...lines]) => {
  const [offsets, labelOffsets, indices, values, labels] = [[0], [0], [], [], []];
  for (const line of lines) {
    const [ids, ...pairs] = line.split(" ");
    if (ids) for (const id of ids.split(",")) labels.push(+id);
    for (const pair of pairs.filter(Boolean)) {
      const [index, value] = pair.split(":");
      indices.push(+index);
      values.push(+value);
    }
    offsets.push(indices.length);
    labelOffsets.push(labels.length);
  }
  const features = +header.split(" ")[1];
  return Dataset.fromRows(
    features,
    Uint32Array.from(offsets),
    Uint32Array.from(indices),
    Float32Array.from(values),
    Uint32Array.from(labelOffsets),
    Uint32Array.from(labels),
  );
};

await init();
const lines = readFileSync(file, "utf8").replace(/\n$/, "").split("\n");
const data = { rows, texts }[kind](lines);
const model = await train(new TRAINERS[method](JSON.parse(options)), data);
writeFileSync(path, model.toBytes());
