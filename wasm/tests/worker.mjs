// A worker that trains MACH, as an application would write it: work comes in, progress and the
// model's bytes go out.

import { parentPort } from "node:worker_threads";
import { Dataset, initSync, MachTrainer, train } from "../dist/train/node.js";

let stop;

parentPort.on("message", async (message) => {
  if (message === "stop") return stop.abort();
  const { file, texts, labels, options } = message;
  initSync(new URL(file));
  stop = new AbortController();
  const progress = (report) => parentPort.postMessage({ progress: report });
  const data = Dataset.fromTexts(texts, labels);
  try {
    const model = await train(new MachTrainer(options), data, { progress, signal: stop.signal });
    parentPort.postMessage({ model: model.toBytes() });
    model.free();
  } catch (error) {
    parentPort.postMessage({ stopped: error.name });
  } finally {
    data.free();
  }
});
