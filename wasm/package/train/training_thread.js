// Training on a thread of its own: the worker's side. One work comes in, { method, options, texts,
// labels }; { report } goes out after each part, and { made: { model, summary } } or { problem } at
// the end.

import { BestTrainer, Dataset, init, MachTrainer, OvrTrainer, train, Trainer } from "./browser.js";
import { ParamError } from "./errors.js";
import { told } from "./problem.js";

const TRAINERS = { best: BestTrainer, ovr: OvrTrainer, nearest: Trainer, mach: MachTrainer };

const made = async ({ method = "best", options, texts, labels }) => {
  if (!Object.hasOwn(TRAINERS, method)) {
    const message = `method is '${method}', but must be one of ${Object.keys(TRAINERS).join(" ")}`;
    throw new ParamError(message, "OneOf", { parameter: "method", value: method });
  }
  await init();
  const data = Dataset.fromTexts(texts, labels);
  const trainer = new TRAINERS[method](options);
  const model = await train(trainer, data, { progress: (report) => postMessage({ report }) });
  return { model: model.toBytes(), summary: trainer.summary };
};

addEventListener("message", async ({ data: work }) => {
  try {
    const answer = await made(work);
    postMessage({ made: answer }, [answer.model.buffer]);
  } catch (error) {
    postMessage({ problem: told(error) });
  }
});
