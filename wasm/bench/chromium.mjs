// The measurements in a page of Chromium, which reads the package, the model and the queries from
// this process.

import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const TYPES = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };

/** Serves the package and these files on a free port. */
const serve = (files) =>
  new Promise((resolve) => {
    const server = createServer(({ url }, response) => {
      const ending = url.slice(url.lastIndexOf(".") + 1);
      response.setHeader("content-type", TYPES[ending] ?? "application/octet-stream");
      if (url === "/page.html") return response.end("<!doctype html><title>hapax</title>");
      const stream = createReadStream(files[url] ?? `${dist}${url}`);
      stream.on("error", () => response.writeHead(404).end()).pipe(response);
    }).listen(0, "127.0.0.1", () => resolve(server));
  });

/** Runs in the page. */
const measure = async ({ file, rounds }) => {
  const { Model, init } = await import("/browser.js");
  await init(new URL(`/${file}`, location.href));
  const bytes = new Uint8Array(await (await fetch("/model")).arrayBuffer());
  const lines = (await (await fetch("/rows")).text()).trimEnd().split("\n").slice(1);
  const queries = lines.map((line) => {
    const pairs = line.split(" ").slice(1).map((pair) => pair.split(":").map(Number));
    const kept = pairs.filter(([, value]) => Math.fround(value) !== 0);
    return [Uint32Array.from(kept, ([index]) => index), Float32Array.from(kept, ([, value]) => value)];
  });
  const milliseconds = (action) => {
    const start = performance.now();
    action();
    return performance.now() - start;
  };
  let [load, query, loaded] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, undefined];
  let prepared = 0;
  for (let round = 0; round < rounds; round += 1) {
    loaded?.free();
    load = Math.min(load, milliseconds(() => (loaded = Model.fromBytes(bytes))));
    prepared = milliseconds(() => loaded.prepare());
    const all = milliseconds(() => {
      for (const [indices, values] of queries) loaded.predict(indices, values, 5);
    });
    query = Math.min(query, (1000 * all) / queries.length);
  }
  return { query, load: bytes.length / 1000 / load, prepared };
};

/**
 * `{ query, load, prepared }`: microseconds of a query, megabytes a second, milliseconds, the best
 * of these rounds.
 */
export const inChromium = async (file, { model, rows }, rounds) => {
  // Playwright is among what the page's tests take from npm.
  const { startBrowser } = await import("../../www/tests/demo.mjs");
  const server = await serve({ "/model": model, "/rows": rows });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
    return await page.evaluate(measure, { file, rounds });
  } finally {
    await browser.close();
    server.close();
  }
};
