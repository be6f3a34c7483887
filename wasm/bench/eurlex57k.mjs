// The model and the queries that the measurements share: eurlex57k, trained on by the native command, and the first
// 1,000 rows of its test set.

import { join } from "node:path";
import * as native from "../tests/native.mjs";

/** `{ model, rows }`: the paths of the model and of the queries as XMC data. */
export const prepare = () => {
  const train = native.shared("eurlex57k/train.txt.xz");
  const test = native.shared("eurlex57k/test.txt.xz");
  if (train === undefined || test === undefined) process.exit(1);
  const directory = native.folder();
  const [, features, labels] = test.slice(0, test.indexOf("\n")).split(" ");
  const queries = test.split("\n").slice(1, 1001).join("\n");
  const model = join(directory, "model.hapax");
  native.hapax("train", "nearest", native.write(directory, "train.txt", train), "-o", model);
  return { model, rows: native.write(directory, "test.txt", `1000 ${features} ${labels}\n${queries}\n`) };
};
