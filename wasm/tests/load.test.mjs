// Model.load: from everywhere, told how far it is, stopped, and broken off.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { FormatError, LoadError, Model } from "../dist/node.js";
import * as native from "./native.mjs";

const text = readFileSync(native.fixture, "utf8").split("\t")[0];
const path = native.trained("nearest", native.folder(), readFileSync(native.fixture, "utf8"), "--min-documents", "1");
const bytes = native.read(path);
const html = `<!doctype html><title>Not found</title>${"<p>There is no such page.</p>".repeat(100_000)}`;

let server;
let base;
/** Bytes that the server could send of the endless answers. */
let sent = 0;

/** Sends a part of a body every few milliseconds until there is none or nobody listens. */
const slowly = (response, part, times) => {
  let left = times;
  const next = () => {
    if (response.destroyed) return;
    if (left-- === 0) return void response.end();
    sent += part.length;
    response.write(part);
    setTimeout(next, 5);
  };
  next();
};

const ANSWERS = {
  "/model.hapax": (response) => response.writeHead(200, { "content-length": bytes.length }).end(bytes),
  "/gzip": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(bytes)),
  "/page": (response) => response.writeHead(200, { "content-type": "text/html" }).end(html),
  "/endless": (response) => slowly(response.writeHead(200), bytes.subarray(0, 100), Number.POSITIVE_INFINITY),
  "/noise": (response) => slowly(response.writeHead(200), Buffer.alloc(1 << 16, 7), Number.POSITIVE_INFINITY),
  "/cut": (response) => {
    response.writeHead(200, { "content-length": bytes.length }).write(bytes.subarray(0, 200));
    setTimeout(() => response.destroy(), 50);
  },
  "/short": (response) => response.writeHead(200).end(bytes.subarray(0, bytes.length - 1)),
};

before(async () => {
  server = createServer((request, response) => {
    const answer = ANSWERS[request.url] ?? ((absent) => absent.writeHead(404).end());
    answer(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

test("a URL, a response, its promise, a stream, a blob, bytes, a path: the same model", async () => {
  // The first of these also loads hapax, which nothing here has done.
  const url = `${base}/model.hapax`;
  const stream = () => new Blob([bytes]).stream();
  for (const source of [
    url,
    new URL(url),
    fetch(url),
    await fetch(url),
    new Response(bytes),
    stream(),
    new Blob([bytes]),
    bytes,
    bytes.slice().buffer,
    path,
    pathToFileURL(path),
    pathToFileURL(path).href,
    `${base}/gzip`,
  ]) {
    const model = await Model.load(source);
    assert.deepEqual(model.toBytes(), bytes);
    assert.equal(model.predictText(text).length, 5);
    model.free();
  }
});

test("progress tells the whole length, compressed or not, and reaches it", async () => {
  for (const source of [`${base}/model.hapax`, `${base}/gzip`, bytes]) {
    const reports = [];
    (await Model.load(source, { progress: (report) => reports.push(report) })).free();
    assert.ok(reports.length > 0);
    assert.deepEqual(reports.at(-1), { loaded: bytes.length, total: bytes.length });
    assert.ok(reports.every(({ loaded }, at) => loaded > (reports[at - 1]?.loaded ?? 0)));
  }
  // A header that comes byte by byte is read when it is whole.
  const dripping = new ReadableStream({
    start(controller) {
      for (let at = 0; at < 80; at++) controller.enqueue(bytes.subarray(at, at + 1));
      controller.enqueue(bytes.subarray(80));
      controller.close();
    },
  });
  const totals = [];
  (await Model.load(dripping, { progress: ({ total }) => totals.push(total) })).free();
  assert.deepEqual(totals, [...Array(63).fill(undefined), ...Array(18).fill(bytes.length)]);
});

test("a signal stops it, with its reason, before, between and after", async () => {
  const stopped = AbortSignal.abort(new Error("not now"));
  await assert.rejects(Model.load(path, { signal: stopped }), { message: "not now" });
  for (const source of [`${base}/endless`, fetch(`${base}/endless`)]) {
    const stop = new AbortController();
    const loading = Model.load(source, { signal: stop.signal, progress: () => stop.abort(new Error("enough")) });
    await assert.rejects(loading, { message: "enough" });
  }
  let cancelled;
  const silent = new ReadableStream({
    cancel(reason) {
      cancelled = reason.message;
    },
  });
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("too slow")), 20);
  await assert.rejects(Model.load(silent, { signal: stop.signal }), { message: "too slow" });
  assert.equal(cancelled, "too slow");
  await assert.rejects(Model.load(`${base}/endless`, { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
});

test("what does not come is a LoadError that says why", async () => {
  const refused = (source, rule, fields = {}) =>
    assert.rejects(Model.load(source), (error) => {
      assert.ok(error instanceof LoadError && error.rule === rule, `${error} ${error.rule}`);
      assert.deepEqual({ ...error, ...fields }, { ...error });
      return true;
    });
  await refused(`${base}/absent`, "Status", { status: 404, url: `${base}/absent` });
  await refused(`${base}/cut`, "BrokeOff", { loaded: 200 });
  await refused("no/such/model.hapax", "Unreachable", { url: "no/such/model.hapax" });
  const port = await new Promise((resolve) => {
    const closed = createServer().listen(0, "127.0.0.1", () => {
      const free = closed.address().port;
      closed.close(() => resolve(free));
    });
  });
  await refused(`http://127.0.0.1:${port}/`, "Unreachable");
  const used = new Response(bytes);
  await used.arrayBuffer();
  await refused(used, "BodyUsed");
});

test("what is no model is refused by its first bytes, not after the last", async () => {
  const notAModel = (error) => error instanceof FormatError && error.rule === "NotAModel";
  await assert.rejects(Model.load(`${base}/page`), notAModel);
  sent = 0;
  await assert.rejects(Model.load(`${base}/noise`), notAModel);
  assert.ok(sent < 1e7, `${sent} bytes were sent`);
  await assert.rejects(Model.load(`${base}/endless`), (error) => error instanceof FormatError);
  await assert.rejects(Model.load(`${base}/short`), { name: "FormatError", rule: "WrongLength" });
  await assert.rejects(Model.load(new Blob([])), { name: "FormatError", rule: "TooShort" });
});

test("what is no source, and options that there are not, are told", async () => {
  const wanted = /^a model is loaded from a URL, a Response, a Blob, a ReadableStream or bytes, not from /;
  for (const source of [undefined, null, 5, {}, []]) await assert.rejects(Model.load(source), { name: "TypeError", message: wanted });
  await assert.rejects(Model.load(path, { onProgress() {} }), { name: "ParamError", rule: "OneOf", parameter: "onProgress" });
  await assert.rejects(Model.load(path, 5), { name: "TypeError", message: "the options are 5; give an object such as { signal }" });
  const words = new ReadableStream({
    start(controller) {
      controller.enqueue("text");
    },
  });
  await assert.rejects(Model.load(words), { name: "TypeError", message: /strings in it; a stream of bytes is expected/ });
});
