// hapax/threads in a browser: the bytes and answers of one thread under a strict policy, the way
// back to one thread where a page is not isolated, and what goes wrong.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as native from "../tests/native.mjs";
import { answersRightly, open } from "./browser.mjs";
import * as firefox from "./firefox.mjs";
import { files, installed, project, run } from "./projects.mjs";
import { serve } from "./servers.mjs";

const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};
const viteProgram = fileURLToPath(new URL("node_modules/vite/bin/vite.js", import.meta.url));
const STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src data:";
const HTML = '<!doctype html><title>hapax</title><link rel="icon" href="data:,"><script type="module" src="page.js"></script>';
const PAGE = "globalThis.ready = true;\n";

const rows = native.manyTexts(400).trimEnd().split("\n").map((line) => line.split("\t"));
const texts = rows.map(([text]) => text);
const labels = rows.map(([, label]) => [label]);
/** The last knows nothing. */
const asked = [...texts.slice(0, 300), "q z"];

/** What a worker does by its package: models of three methods, and answers of one of them. */
const worked = async ({ BestTrainer, Dataset, MachTrainer, OvrTrainer, train }, { texts, labels, asked }) => {
  const found = {};
  const trainers = { best: new BestTrainer(), ovr: new OvrTrainer({ cost: 1 }), mach: new MachTrainer({ epochs: 2 }) };
  for (const [name, trainer] of Object.entries(trainers)) {
    const model = await train(trainer, Dataset.fromTexts(texts, labels));
    const { offsets, ids, scores } = model.predictTexts(asked, 3);
    found[name] = { bytes: Array.from(model.toBytes()), answers: [offsets, ids, scores].map((list) => Array.from(list)) };
  }
  return found;
};

const WORKER = `
import * as hapax from "./node_modules/hapax/threads/browser.js";
const worked = ${worked};
addEventListener("message", async ({ data }) => {
  try {
    const count = await hapax.initThreads(data.count);
    postMessage({ count, threads: hapax.threads(), found: await worked(hapax, data) });
  } catch ({ name, message, rule }) {
    postMessage({ error: { name, message, rule } });
  }
});
`;

/** What the worker of the page at this address answers, in Chromium if no browser is named. */
const ask = async (url, ...works) => askIn(open, url, ...works);

const askIn = async (browser, url, ...works) => {
  const { page, problems, close } = await browser(url);
  await page.waitForFunction(() => globalThis.ready);
  const answer = (work) =>
    page.evaluate(
      (work) =>
        new Promise((resolve, reject) => {
          const worker = new Worker("work.js", { type: "module" });
          worker.addEventListener("error", ({ message }) => reject(new Error(message)));
          worker.addEventListener("message", ({ data }) => {
            worker.terminate();
            resolve(data);
          });
          worker.postMessage(work);
        }),
      work,
    );
  const told = [];
  for (const work of works) told.push(await answer(work));
  await close();
  return { told, problems };
};

/** The same models by the command. */
const ofTheCommand = () => {
  const tsv = rows.map((row) => `${row.join("\t")}\n`).join("");
  const methods = { best: ["auto"], ovr: ["ovr", "--cost", "1"], mach: ["mach", "--epochs", "2"] };
  const trained = ([method, ...options]) => native.read(native.trained(method, native.folder(), tsv, ...options));
  return Object.fromEntries(Object.entries(methods).map(([name, words]) => [name, trained(words)]));
};

/** As long as it is, an object of arrays says little when it differs. */
const same = (found, wanted) => {
  for (const [name, { bytes, answers }] of Object.entries(wanted)) {
    const hash = (list) => createHash("sha256").update(Uint8Array.from(list)).digest("hex");
    assert.equal(hash(found[name].bytes), hash(bytes), name);
    assert.deepEqual(found[name].answers, answers, name);
  }
};

export const threads = () => {
  const contents = { "index.html": HTML, "page.js": PAGE, "work.js": WORKER };
  let wanted;

  test("hapax/threads: 1, 2 and 4 threads train what the command does and answer as Node, under a strict policy", async () => {
    const node = await import(join(installed, "train/node.js"));
    await node.init();
    wanted = await worked(node, { texts, labels, asked });
    const command = ofTheCommand();
    for (const [name, { bytes }] of Object.entries(wanted)) assert.equal(Buffer.compare(Buffer.from(bytes), command[name]), 0, name);
    const url = await serve(project("threads", contents), { ...ISOLATED, "content-security-policy": STRICT });
    const work = { texts, labels, asked };
    for (const [browser, counts] of [[open, [1, 2, 4]], [firefox.open, [2]]]) {
      const { told, problems } = await askIn(browser, url, ...counts.map((count) => ({ ...work, count })));
      for (const [at, count] of counts.entries()) {
        assert.equal(told[at].error, undefined, JSON.stringify(told[at].error));
        assert.deepEqual([told[at].count, told[at].threads], [count, count]);
        same(told[at].found, wanted);
      }
      assert.deepEqual(problems, []);
    }
  });

  test("hapax/threads: one thread without isolation, with the same bytes", async () => {
    const url = await serve(project("threads-alone", contents));
    const { told, problems } = await ask(url, { texts, labels, asked, count: 4 });
    assert.deepEqual([told[0].count, told[0].threads], [1, 1]);
    same(told[0].found, wanted);
    assert.deepEqual(problems, []);
  });

  test("hapax/threads/train/worker: the recipe in plain modules, Vite and webpack", async () => {
    const node = await import(join(installed, "train/node.js"));
    const model = await node.train(new node.BestTrainer(), node.Dataset.fromTexts(texts, labels));
    const question = texts[0];
    const wanted = model.predictText(question).map(({ label, score }) => `${label} ${score}`).join("\n");
    const main = files["train/main.js"].replace("hapax/train/worker", "hapax/threads/train/worker");
    const tsv = rows.map((row) => row.join("\t")).join("\n");
    const plain = { "main.js": main, "index.html": files["plain/index.html"], "train.tsv": tsv };
    await answersRightly(await serve(project("threads-plain", plain), ISOLATED), wanted, question);
    const page = { ...plain, "index.html": files["page/index.html"] };
    const vite = project("threads-vite", page);
    execFileSync(process.execPath, [viteProgram, "build"], { cwd: vite, stdio: "pipe" });
    const webpack = project("threads-webpack", { ...page, "webpack.config.js": files["webpack/webpack.config.js"] });
    run(webpack, "webpack");
    cpSync(join(webpack, "index.html"), join(webpack, "dist/index.html"));
    for (const folder of [vite, webpack]) {
      cpSync(join(folder, "train.tsv"), join(folder, "dist/train.tsv"));
      await answersRightly(await serve(join(folder, "dist"), ISOLATED), wanted, question);
    }
  });

  test("hapax/threads: a thread that fails, or memory that ends, is an error and not a wait for ever", async () => {
    const work = { texts, labels, asked, count: 3 };
    const failing = async (name, edit) => {
      const folder = project(name, contents);
      const path = join(folder, "node_modules/hapax/threads/thread.js");
      const script = readFileSync(path, "utf8");
      const edited = edit(script);
      assert.notEqual(edited, script);
      writeFileSync(path, edited);
      const { told: [{ error, found }] } = await ask(await serve(folder, ISOLATED), work);
      assert.equal(found, undefined);
      return error;
    };
    // It throws as a trap does, with its work taken or not.
    const failed = await failing("threads-failed", (script) => script.replace("runThread();", "throw new WebAssembly.RuntimeError('unreachable');"));
    assert.match(failed.message, /a thread of hapax failed.*end this worker/);
    // Threads cannot have memory of their own any more: whichever wants some first traps.
    const grow = "try { for (;;) memory.grow(16); } catch {}\n    postMessage({ ready: true });";
    const full = await failing("threads-full", (script) => script.replace("postMessage({ ready: true });", grow));
    assert.ok(full.message.length > 0, JSON.stringify(full));
    assert.match(`${full.name} ${full.message}`, /a thread of hapax failed|RuntimeError|memory/i);
  });

  test("hapax/threads/train/worker: an aborted training ends the threads with its worker", async () => {
    const folder = project("threads-abort", contents);
    const url = await serve(folder, ISOLATED);
    const { page, problems, close } = await open(url);
    const session = await page.context().browser().newBrowserCDPSession();
    const workers = async () => {
      const { targetInfos } = await session.send("Target.getTargets", { filter: [{ type: "worker" }] });
      return targetInfos.filter(({ url: at }) => at.startsWith(url)).length;
    };
    const many = native.manyTexts(4000).trimEnd().split("\n").map((line) => line.split("\t"));
    const running = page.evaluate(
      async ([texts, labels]) => {
        const { trainInWorker } = await import("./node_modules/hapax/threads/training_worker.js");
        const stop = new AbortController();
        globalThis.stop = () => stop.abort(new Error("another file"));
        const progress = () => (globalThis.heard = true);
        return trainInWorker({ texts, labels }, { signal: stop.signal, progress }).then(() => "trained", ({ message }) => message);
      },
      [many.map(([text]) => text), many.map(([, label]) => [label])],
    );
    await page.waitForFunction(() => globalThis.heard);
    // The worker that trains, and a thread for each further core.
    const cores = await page.evaluate(() => navigator.hardwareConcurrency);
    assert.equal(await workers(), cores);
    await page.evaluate(() => globalThis.stop());
    assert.equal(await running, "another file");
    for (const end = Date.now() + 10_000; (await workers()) > 0 && Date.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await workers(), 0);
    assert.deepEqual(problems, []);
    await close();
  });

  test("hapax/threads: wrong counts, a page in place of a worker, a thread that does not start", async () => {
    const folder = project("threads-wrong", contents);
    const url = await serve(folder, ISOLATED);
    const { told } = await ask(url, { count: 0 }, { count: 1.5 }, { count: 256 });
    for (const { error } of told) assert.deepEqual([error.name, error.rule], ["ParamError", "Whole"]);
    const { page, close } = await open(url);
    const refused = await page.evaluate(async () => {
      const { initThreads } = await import("./node_modules/hapax/threads/browser.js");
      return initThreads(2).then(String, ({ message }) => message);
    });
    assert.match(refused, /is for workers.*hapax\/threads\/train\/worker/);
    await close();
    rmSync(join(folder, "node_modules/hapax/threads/thread.js"));
    const { told: [{ error }] } = await ask(url, { count: 2 });
    assert.deepEqual([error.name, error.rule], ["LoadError", "NoThread"]);
    assert.match(error.message, /a thread of hapax did not start/);
  });
};
