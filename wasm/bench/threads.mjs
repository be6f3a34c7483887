// hapax/threads with one and with two threads in a worker of Chromium, in turns, and the native
// command beside it: node wasm/bench/threads.mjs TRAIN.tsv [TURNS]; a line is a text, a tab, its
// labels. Needs cargo build-wasm --threads. Best and median of some turns: [TURNS], 5 if not given.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../../www/tests/demo.mjs";
import "./released.mjs";
import * as native from "../tests/native.mjs";

const [path, turns = 5] = process.argv.slice(2);
const HEADERS = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const TYPES = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };
const dist = fileURLToPath(new URL("../dist", import.meta.url));

const WORKER = `
import { Dataset, initThreads, MachTrainer, OvrTrainer, train } from "/threads/browser.js";
const seconds = async (action) => {
  const start = performance.now();
  const made = await action();
  return [(performance.now() - start) / 1000, made];
};
addEventListener("message", async ({ data: count }) => {
  const rows = (await (await fetch("/rows")).text()).trimEnd().split("\\n").map((line) => line.split("\\t"));
  const texts = rows.map(([text]) => text);
  const threads = await initThreads(count);
  const data = () => Dataset.fromTexts(texts, rows.map(([, labels]) => labels.split(" ")));
  const [mach] = await seconds(() => train(new MachTrainer({ epochs: 3 }), data()));
  const [ovr, model] = await seconds(() => train(new OvrTrainer(), data()));
  model.prepare();
  const [answers] = await seconds(() => model.predictTexts(texts, 5));
  postMessage({ threads, mach, ovr, answers });
});
`;

const FILES = {
  "/": ["html", '<!doctype html><title>hapax</title><link rel="icon" href="data:,">'],
  "/work.js": ["js", WORKER],
  "/rows": ["tsv", readFileSync(path)],
};

const server = createServer(({ url }, response) => {
  const [ending, bytes] = FILES[url] ?? [url.slice(url.lastIndexOf(".") + 1), readFileSync(`${dist}${url}`)];
  response.writeHead(200, { "content-type": TYPES[ending] ?? "text/plain", ...HEADERS }).end(bytes);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const browser = await startBrowser();
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
const inPage = (count) =>
  page.evaluate(
    (count) =>
      new Promise((resolve, reject) => {
        const worker = new Worker("/work.js", { type: "module" });
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.onmessage = ({ data }) => {
          worker.terminate();
          resolve(data);
        };
        worker.postMessage(count);
      }),
    count,
  );

const command = (count, ...words) => {
  const start = performance.now();
  native.hapax("train", ...words, path, "-o", `${native.folder()}/model.hapax`, "--threads", `${count}`);
  return (performance.now() - start) / 1000;
};

const all = {};
const keep = (name, place, value) => ((all[name] ??= [[], []])[place].push(value));
for (let turn = 0; turn < turns; turn += 1) {
  for (const [place, count] of [1, 2].entries()) {
    const told = await inPage(count);
    if (told.threads !== count) throw new Error(`${told.threads} threads in place of ${count}`);
    for (const name of ["mach", "ovr", "answers"]) keep(name, place, told[name]);
    keep("mach, native", place, command(count, "mach", "--epochs", "3"));
    keep("ovr, native", place, command(count, "ovr"));
  }
}
const best = (values) => Math.min(...values);
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
for (const [name, [one, two]] of Object.entries(all)) {
  const told = (which) => `${which(one).toFixed(2)} s, two threads ${which(two).toFixed(2)} s: ${(which(one) / which(two)).toFixed(2)}`;
  console.log(`${name.padEnd(14)} best ${told(best)}; median ${told(median)}`);
}
await browser.close();
server.close();
