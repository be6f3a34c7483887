// The declared types, used as a strict program uses them: checked, not run.

import {
  type Answer,
  type Evidence,
  FormatError,
  init,
  initSync,
  Model,
  type ModelInfo,
  PredictError,
} from "hapax";

await init();
await init(new URL("https://example.org/hapax.wasm"));
await init(fetch("/hapax.wasm"));
initSync(new WebAssembly.Module(new Uint8Array()));

const model: Model = Model.fromBytes(new Uint8Array());
const answers: Answer[] = model.predictText("mouse", 5);
const batch: Float32Array = model.predictTexts(["mouse"]).scores;
const loaded: Promise<Model> = Model.load(fetch("/model.hapax"), { progress: ({ total }) => total?.toFixed() });
const able: boolean = model.can("neighborhood");
console.log(batch, loaded, able, Model.fromBytes(new ArrayBuffer(8), { prepare: true }));
const sure: Answer[] = model.predictText("mouse", { above: "micro", atMost: 3, abstain: true });
const probability: number | undefined = sure[0]?.probability;
console.log(probability, model.predictTexts(["mouse"], { above: 0.5 }).probabilities?.length, model.info().thresholds?.micro);
// @ts-expect-error There is no such threshold.
model.predictText("mouse", { above: "best" });
const label: string | undefined = answers[0]?.label;
const evidence: Evidence[] = model.explain(Uint32Array.of(1), Float32Array.of(1), 3);
const info: ModelInfo = model.info();
const row: number = model.learn("a rat", label ?? "animal");
const known: boolean = model.forget(row);
const bytes: Uint8Array = model.toBytes();
try {
  Model.fromBytes(bytes);
} catch (error) {
  if (error instanceof FormatError) console.log(error.rule, error.offset, error.section);
  if (error instanceof PredictError) console.log(error.rule);
}
console.log(evidence, info.rows, known);
model.free();

// @ts-expect-error A response is loaded, not read at once.
Model.fromBytes(new Response());
// @ts-expect-error There is no such ability.
model.can("fly");
// @ts-expect-error Models are loaded or trained.
new Model();
// @ts-expect-error A text is no row.
model.predict("text", 5);
import { init as initModel, Model as OnlyModel } from "hapax/nearest";

await initModel();
const answersOfTheModel: Answer[] = OnlyModel.fromBytes(new Uint8Array()).predictText("text", 1);
answersOfTheModel.forEach(({ score }) => score.toFixed(3));

import { trainInWorker } from "hapax/train/worker";
import { BestTrainer, Dataset as MachData, init as initTrain, MachTrainer, type Model as Mach, OvrTrainer, type StageReport, train, type TrainingReport, Trainer as Nearest } from "hapax/train";

await initTrain();
new Nearest({ neighbors: 3, words: [1, 2], calibrate: false });
// @ts-expect-error There is no such option.
new Nearest({ neighbours: 3 });
const machData = MachData.fromTexts(["a mouse"], [["animal"]]);
const machTrainer = new MachTrainer({ buckets: 8, epochs: 3, estimator: "mean", minDocuments: 1 });
const signal = AbortSignal.timeout(1000);
const mach: Mach = await train(machTrainer, machData, { progress: ({ loss }) => loss.toFixed(3), signal });
const training = machTrainer.start(machData);
const part: TrainingReport | undefined = training.step();
console.log(mach.info(), part?.done, training.memory, training.finish());
// @ts-expect-error There is no such estimator.
new MachTrainer({ estimator: "best" });
// @ts-expect-error Nearest neighbors are trained at once.
await train(new Nearest(), machData);

const bestTrainer = new BestTrainer({ seed: 7, calibrate: false });
const best: Mach = await train(bestTrainer, machData, { progress: ({ stage, done, of }: StageReport) => console.log(stage, done, of), signal });
console.log(bestTrainer.summary?.tried[0]?.precisionAt1, bestTrainer.summary?.features?.words, best.can("contributionsText"));
const ovr: Mach = new OvrTrainer({ cost: 0.3, fuse: "nearest", bits: 16 }).train(machData, (stage, done) => console.log(stage, done));
console.log(ovr.contributionsText("text", 0));
const inWorker = await trainInWorker({ texts: ["a mouse"], labels: [["animal"]] }, { signal, progress: ({ done }) => done.toFixed() });
Model.fromBytes(inWorker.model);
await trainInWorker({ method: "mach", options: { epochs: 3 }, texts: ["a"], labels: [["b"]] });
// @ts-expect-error Epochs are none of one-vs-rest's options.
await trainInWorker({ method: "ovr", options: { epochs: 3 }, texts: ["a"], labels: [["b"]] });
// @ts-expect-error The labels of a text are a list.
await trainInWorker({ texts: ["a"], labels: ["b"] });
// @ts-expect-error There is no such choice.
new OvrTrainer({ fuse: "all" });
