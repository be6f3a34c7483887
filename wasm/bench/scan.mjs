// How long an answer of MACH takes among 105,033 labels, B = 32, R = 25, with the scan of label
// codes by byte shuffles and without: processor time in Node. `node bench/scan.mjs [hapax.wasm]`,
// after `cargo build-wasm` and `cargo build --release`.

import { initSync, Model } from "../dist/node.js";
import "./released.mjs";
import * as native from "../tests/native.mjs";

const LABELS = 105_033;
const QUERIES = 300;
const text = (at) => `a${at % 97} b${at % 89} c${at % 83}`;
const lines = Array.from({ length: LABELS }, (_, at) => `${text(at)}\tlabel${at}`);
const options = ["--buckets", "32", "--repetitions", "25", "--epochs", "1", "--rerank", "0", "--words", "1"];
const path = native.trained("mach", native.folder(), lines.join("\n"), ...options);

// A process starts one wasm file: the first.
const file = process.argv[2] ?? "hapax_simd.wasm";
initSync(new URL(`../dist/${file}`, import.meta.url));
const model = Model.fromBytes(native.read(path));
const ask = () => Array.from({ length: QUERIES }, (_, at) => model.predictText(text(at * 331), 5));
ask();
let best = Infinity;
for (let round = 0; round < 5; round += 1) {
  const start = process.cpuUsage();
  ask();
  best = Math.min(best, process.cpuUsage(start).user / QUERIES);
}
console.log(`${file}: ${best.toFixed(0)} us an answer`);
