// The models and the queries that the measurements share: eurlex57k, trained on by the native
// command, and the first 1,000 rows of its test set.

import { join } from "node:path";
import "./released.mjs";
import * as native from "../tests/native.mjs";

/** `{ models, rows }`: the path of each algorithm's model, and of the queries as XMC data. */
export const prepare = (algorithms) => {
  const train = native.shared("eurlex57k/train.txt.xz");
  const test = native.shared("eurlex57k/test.txt.xz");
  if (train === undefined || test === undefined) process.exit(1);
  const directory = native.folder();
  const [, features, labels] = test.slice(0, test.indexOf("\n")).split(" ");
  const queries = test.split("\n").slice(1, 1001).join("\n");
  const data = native.write(directory, "train.txt", train);
  const models = algorithms.map((algorithm) => {
    const model = join(directory, `${algorithm}.hapax`);
    native.hapax("train", algorithm, data, "-o", model);
    return { algorithm, model };
  });
  return { models, rows: native.write(directory, "test.txt", `1000 ${features} ${labels}\n${queries}\n`) };
};
