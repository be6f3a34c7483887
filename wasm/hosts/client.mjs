// hapax/worker in a browser: cancellation, errors of their classes, progress, the end.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { open } from "./browser.mjs";
import { answers, model, project, QUERY, sureAnswers } from "./projects.mjs";
import { serve } from "./servers.mjs";

const PAGE = '<!doctype html><title>hapax</title><link rel="icon" href="data:,">';

let folder;

/**
 * What the page makes of a function, which gets the module, the model's bytes and the question. The
 * console may complain of `expected` only.
 */
const inPage = async (work, expected = /^$/) => {
  folder ??= project("client", { "index.html": PAGE });
  const url = await serve(folder);
  const { page, problems, close } = await open(url);
  const made = await page.evaluate(
    async ([source, address, base64, query]) => {
      const hapax = await import(address);
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const thrown = ({ name, message, rule, kind }) => ({ name, message, rule, kind });
      const told = (promise) => promise.then((value) => ({ value }), thrown);
      return new Function(`return ${source}`)()(hapax, bytes, query, told);
    },
    [work.toString(), `${url}node_modules/hapax/worker.js`, readFileSync(model, "base64"), QUERY],
  );
  assert.deepEqual(problems.filter((problem) => !expected.test(problem)), []);
  await close();
  return made;
};

export const client = () => {
  test("hapax/worker: a question that waits is dropped, one in work is left alone, the next is answered", async () => {
    const made = await inPage(async ({ WorkerModel }, bytes, query, told) => {
      const model = await WorkerModel.load(bytes);
      const stop = new AbortController();
      // A third of a minute of work, which is done in slices.
      const texts = Array(100_000).fill(query.repeat(30));
      const long = told(model.predictTexts(texts, 1, { signal: stop.signal }));
      const waiting = told(model.predictText(query, { signal: stop.signal }));
      const kept = told(model.predictText(query, 5, { signal: new AbortController().signal }));
      await new Promise((resolve) => setTimeout(resolve, 200));
      stop.abort(new Error("typed on"));
      const start = performance.now();
      const early = await Promise.all([long, waiting]);
      const { value } = await kept;
      const seconds = (performance.now() - start) / 1000;
      const late = await told(model.predictText(query, 5, { signal: stop.signal }));
      model.free();
      return { early, value, seconds, late, length: bytes.length };
    });
    for (const { message } of [...made.early, made.late]) assert.equal(message, "typed on");
    assert.deepEqual(made.value, answers);
    assert.ok(made.seconds < 6, `${made.seconds} s after the cancellation`);
    assert.ok(made.length > 0, "the caller's bytes stay his");
  });

  test("hapax/worker: all methods, and errors of their classes", async () => {
    const made = await inPage(async ({ WorkerModel }, bytes, query, told) => {
      const model = await WorkerModel.load(new Blob([bytes]));
      const texts = Array.from({ length: 100 }, (_, at) => (at % 3 === 1 ? "xqzzt" : query));
      const { offsets, ids, scores, probabilities } = await model.predictTexts(texts, 2);
      const signal = new AbortController().signal;
      const sure = await model.predictText(query, { above: "micro", abstain: true, atMost: 3, signal });
      const surest = await model.predictTexts([query], { atMost: 1, signal });
      const row = await model.learn("a quokka that smiles", "quokka");
      const [learned] = await model.predictText("a quokka that smiles", 1);
      const found = {
        offsets: [...offsets],
        ids: [...ids],
        scores: [...scores],
        probabilities: [...probabilities],
        sure,
        surest: [...surest.ids],
        learned: learned.label,
        forgotten: await model.forget(row),
        kind: (await model.info()).kind,
        can: await model.can("neighborhood"),
        evidence: (await model.explainText(query, 1)).length,
        same: (await model.toBytes()).length,
        unknown: await told(model.predictText("xqzzt")),
        wrong: await told(model.predictText(query, -1)),
        unable: await told(model.neighborhood(0)),
        option: await told(model.predictText(query, 5, { singal: 1 })),
        threshold: await told(model.predictText(query, { over: 0.5, signal })),
      };
      const last = told(model.predictText(query));
      model.free();
      return { ...found, last: await last, after: await told(model.info()) };
    });
    const known = (at) => at % 3 !== 1;
    const wanted = Array.from({ length: 100 }, (_, at) => (known(at) ? answers.slice(0, 2) : [])).flat();
    assert.deepEqual(made.ids, wanted.map(({ id }) => id));
    assert.deepEqual(made.scores, wanted.map(({ score }) => score));
    assert.deepEqual(made.probabilities, wanted.map(({ probability }) => probability));
    assert.deepEqual(made.sure, sureAnswers);
    assert.deepEqual(made.surest, [answers[0].id]);
    assert.equal(made.offsets.length, 101);
    assert.deepEqual(made.offsets.slice(0, 5), [0, 2, 2, 4, 6]);
    assert.equal(made.offsets.at(-1), wanted.length);
    assert.deepEqual([made.learned, made.forgotten, made.kind, made.can, made.evidence], ["quokka", true, "nearest", false, 1]);
    assert.deepEqual([made.unknown.name, made.unknown.rule], ["PredictError", "NoFeatures"]);
    assert.deepEqual([made.wrong.name, made.wrong.message], ["ParamError", "k is -1, but must be at least 1"]);
    assert.deepEqual([made.unable.rule, made.unable.kind], ["NotOfThisKind", "nearest"]);
    for (const { name, rule } of [made.option, made.threshold]) assert.deepEqual([name, rule], ["ParamError", "OneOf"]);
    for (const { message } of [made.last, made.after]) assert.equal(message, "this WorkerModel was freed; make another one");
  });

  test("hapax/worker: loading tells its progress, stops, and says what is wrong", async () => {
    const made = await inPage(async ({ WorkerModel }, bytes, query, told) => {
      const url = URL.createObjectURL(new Blob([bytes]));
      const reports = [];
      const model = await WorkerModel.load(url, { progress: (report) => reports.push(report), prepare: false });
      model.free();
      return {
        last: reports.at(-1),
        length: bytes.length,
        absent: await told(WorkerModel.load("absent.hapax")),
        cut: await told(WorkerModel.load(bytes.subarray(0, 100))),
        html: await told(WorkerModel.load("index.html")),
        stopped: await told(WorkerModel.load(url, { signal: AbortSignal.abort() })),
        made: await told((async () => new WorkerModel())()),
        nothing: await told(WorkerModel.load(undefined)),
        script: await told(WorkerModel.load(url, { worker: new Worker("data:text/javascript,throw Error(1)") })),
      };
    }, /404|Uncaught Error: 1/);
    assert.deepEqual(made.last, { loaded: made.length, total: made.length });
    assert.deepEqual([made.absent.name, made.absent.rule], ["LoadError", "Status"]);
    assert.deepEqual([made.cut.name, made.html.rule], ["FormatError", "NotAModel"]);
    assert.equal(made.stopped.name, "AbortError");
    assert.match(made.made.message, /by WorkerModel\.load\(url\)/);
    assert.match(made.nothing.message, /^a model is loaded from a URL/);
    assert.match(made.script.message, /^the worker of hapax failed: /);
  });
};
