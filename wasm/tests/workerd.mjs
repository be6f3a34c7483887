// The example worker in workerd, the native command beside it: starting it, asking it, how fast.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { after } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";
import * as native from "./native.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const require = createRequire(import.meta.url);
const program = require.resolve(`@cloudflare/workerd-${process.platform}-64/bin/workerd`);

/** A free port of this machine. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** CPU milliseconds that a process has used, where /proc says so. */
const cpu = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const running = [];
after(() => running.forEach((worker) => worker.kill()));

/**
 * Starts the worker with this model and part of the package; its address, or what it wrote if it
 * ended.
 */
export const start = async (prepare, part = "nearest") => {
  const folder = mkdtempSync(join(tmpdir(), "hapax-edge-"));
  cpSync(here("../examples/edge"), folder, { recursive: true });
  cpSync(here(`../dist/${part}`), join(folder, "hapax"), { recursive: true });
  const model = join(folder, "model.hapax");
  prepare(model);
  const port = await freePort();
  const words = ["serve", "config.capnp", "--socket-addr", `http=127.0.0.1:${port}`];
  const worker = spawn(program, words, { cwd: folder });
  running.push(worker);
  let written = "";
  worker.stderr.on("data", (data) => (written += data));
  return { worker, model, address: `http://127.0.0.1:${port}`, written: () => written };
};

export const ask = (address, query) => fetch(`${address}/?q=${encodeURIComponent(query)}`);

/** Asks until the worker listens. */
const firstAnswer = async ({ address, worker, written }, query) => {
  for (;;) {
    try {
      return await ask(address, query);
    } catch {
      if (worker.exitCode !== null) throw new Error(written());
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
};

/**
 * Asks a worker all queries, holds the answers against the native command's, and tells how soon
 * they came.
 */
export const judge = async (name, edge, queries) => {
  const started = performance.now();
  const first = await firstAnswer(edge, queries[0]);
  const firstMilliseconds = performance.now() - started;
  assert.equal(first.status, 200);
  const input = native.write(native.folder(), "queries.txt", queries.join("\n"));
  const wanted = native.answers(edge.model, input, 5);
  const used = cpu(edge.worker.pid);
  const warm = performance.now();
  for (const [at, query] of queries.entries()) {
    const { answers } = await (await ask(edge.address, query)).json();
    assert.deepEqual(
      answers.map(({ id, label, score }) => [id, label, score]),
      wanted[at].map(({ id, name, score }) => [id, name, score]),
    );
  }
  const each = (total) => (total / queries.length).toFixed(2);
  console.log(
    `edge, ${name}: first answer ${firstMilliseconds.toFixed(0)} ms after the start; ` +
      `warm ${each(performance.now() - warm)} ms, of which ${each(cpu(edge.worker.pid) - used)} ms CPU, an answer; ` +
      `model ${readFileSync(edge.model).length} bytes`,
  );
};
