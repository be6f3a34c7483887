// hapax/train/worker in a browser: the recipe of docs/web.md, stopping, errors of their classes.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { manyTexts } from "../tests/native.mjs";
import { answersRightly, open } from "./browser.mjs";
import { files, installed, project } from "./projects.mjs";
import { serve } from "./servers.mjs";

const TEXT = manyTexts(300);
const QUESTION = "a1 a2 w3";

const columns = (text) => {
  const rows = text.trimEnd().split("\n").map((line) => line.split("\t"));
  return { texts: rows.map(([text]) => text), labels: rows.map(([, names]) => names.split(" ")) };
};

/** What Node trains of the same texts; other tests hold that against the command. */
const trainedHere = async () => {
  const { BestTrainer, Dataset, init, train } = await import(join(installed, "train/node.js"));
  await init();
  const { texts, labels } = columns(TEXT);
  return train(new BestTrainer(), Dataset.fromTexts(texts, labels));
};

const html = files["plain/index.html"];
const map = html.match(/<script type="importmap">(.*?)<\/script>/s)[1];
const hash = createHash("sha256").update(map).digest("base64");
const policy =
  `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'; connect-src 'self'; ` +
  "worker-src 'self'; style-src 'self'; img-src data:";

export const training = () => {
  test("hapax/train/worker: the page trains under a strict policy what Node trains, and answers", async () => {
    const model = await trainedHere();
    const wanted = model.predictText(QUESTION).map(({ label, score }) => `${label} ${score}`).join("\n");
    const folder = project("train", { "main.js": files["train/main.js"], "index.html": html, "train.tsv": TEXT });
    await answersRightly(await serve(folder, { "content-security-policy": policy }), wanted, QUESTION);
  });

  test("hapax/train/worker: it stops at once, its errors have their classes, and what fails ends it", async () => {
    const folder = project("train-stop", { "index.html": '<!doctype html><title>hapax</title><link rel="icon" href="data:,">' });
    const url = await serve(folder);
    const { page, problems, close } = await open(url);
    const { texts, labels } = columns(manyTexts(3000));
    const made = await page.evaluate(
      async ([address, texts, labels]) => {
        const { trainInWorker } = await import(address);
        const told = (promise) => promise.then(({ model, summary }) => ({ bytes: model.length, summary }), ({ name, message, rule, rows }) => ({ name, message, rule, rows }));
        const stop = new AbortController();
        const heard = [];
        const running = told(trainInWorker({ texts, labels }, { signal: stop.signal, progress: ({ stage }) => heard.push(stage) }));
        while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
        stop.abort(new Error("another file"));
        const start = performance.now();
        const stopped = await running;
        const waited = performance.now() - start;
        const count = heard.length;
        await new Promise((resolve) => setTimeout(resolve, 500));
        const few = [texts.slice(0, 50), labels.slice(0, 50)];
        return {
          stopped,
          waited,
          silent: heard.length === count,
          aborted: await told(trainInWorker({ texts, labels }, { signal: AbortSignal.abort(new Error("before")) })),
          few: await told(trainInWorker({ texts: few[0], labels: few[1] })),
          ovr: await told(trainInWorker({ method: "ovr", texts: few[0], labels: few[1] })),
          nearest: await told(trainInWorker({ method: "nearest", options: { neighbors: 3 }, texts: few[0], labels: few[1] })),
          mach: await told(trainInWorker({ method: "mach", options: { epochs: 2 }, texts: few[0], labels: few[1] })),
          none: await told(trainInWorker({ texts: [], labels: [] })),
          letters: await told(trainInWorker({ texts: ["a"], labels: ["label"] })),
          method: await told(trainInWorker({ method: "svm", texts: ["a"], labels: [["label"]] })),
          option: await told(trainInWorker({ text: ["a"], labels: [["label"]] })),
          lost: await told(trainInWorker({ texts, labels }, { progress: () => { throw new RangeError("no place"); } })),
        };
      },
      [`${url}node_modules/hapax/train/training_worker.js`, texts, labels],
    );
    assert.equal(made.stopped.message, "another file");
    assert.ok(made.waited < 200 && made.silent, `${made.waited} ms`);
    assert.equal(made.aborted.message, "before");
    assert.deepEqual([made.none.name, made.none.rule], ["ReadError", "Empty"]);
    for (const method of ["few", "ovr", "nearest", "mach"]) assert.ok(made[method].bytes > 500, JSON.stringify(made[method]));
    assert.equal(made.letters.name, "TypeError");
    assert.match(made.letters.message, /labels of text 1 are a string/);
    for (const wrong of ["method", "option"]) assert.deepEqual([made[wrong].name, made[wrong].rule], ["ParamError", "OneOf"]);
    assert.equal(made.lost.name, "RangeError");
    assert.deepEqual(problems, []);
    await close();
  });
};
