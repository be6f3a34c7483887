// The tarball in each host of docs/web.md, by its recipe: one question, answered as in Node.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { answersRightly, open } from "./browser.mjs";
import { client } from "./client.mjs";
import * as firefox from "./firefox.mjs";
import { answers, files, installed, project, QUERY, run, sureAnswers } from "./projects.mjs";
import { freePort, serve, serveBy } from "./servers.mjs";
import { threads } from "./threads.mjs";
import { training } from "./training.mjs";

const page = files["page/index.html"];

/** The two programs of the page: the model on its own thread, or in a worker. */
const PROGRAMS = {
  page: { "main.js": files["page/main.js"] },
  worker: { "main.js": files["worker/main.js"] },
};

/** The worker's program where the bundler does not find the package's own. */
const [worker, load] = files["worker/own.js"].trimEnd().split("\n");
const OWN = {
  "main.js": files["worker/main.js"].replace(/  const model = await .*/, `  ${worker}\n  ${load}`),
  "thread.js": files["worker/thread.js"],
};
assert.ok(OWN["main.js"].includes("{ worker }"));

/** What a bundle needs beside it. */
const site = (folder) => {
  for (const name of ["index.html", "model.hapax"]) cpSync(join(folder, name), join(folder, "dist", name));
  return serve(join(folder, "dist"));
};

test("hapax/threads: its bindings serve the files of hapax/train, which take its place", async () => {
  // What a file imports has the same text in both: names alone do not tell casts apart.
  const imports = (part) => {
    const text = readFileSync(join(installed, part, "bindings.js"), "utf8");
    return new Map(Array.from(text.matchAll(/^ {8}(\w+): (.*?),$(?=\n {8}\w|\n {4}\};)/gms), ([, name, body]) => [name, body]));
  };
  const [own, ofThreads] = ["train", "threads"].map(imports);
  for (const name of ["hapax.wasm", "hapax_simd.wasm"]) {
    const module = await WebAssembly.compile(readFileSync(join(installed, "train", name)));
    const named = WebAssembly.Module.imports(module).filter((wanted) => wanted.module === "b");
    assert.ok(named.length > 10);
    for (const { name: wanted } of named) assert.deepEqual(ofThreads.get(wanted) ?? "none", own.get(wanted), `${name}: ${wanted}`);
  }
});

test("the tarball: what npm shows of it, and no address of a file that it lacks", () => {
  const named = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  for (const field of ["description", "license", "keywords", "engines", "author"]) assert.ok(named[field], field);
  for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "THIRD-PARTY.txt"]) assert.ok(existsSync(join(installed, name)), name);
  const targets = Object.values(named.exports).flatMap((target) => (typeof target === "string" ? target : Object.values(target)));
  for (const target of [...targets, ...named.sideEffects]) assert.ok(existsSync(join(installed, target)), target);
  const all = ["bindings.js", "browser.js", "worker.js", "worker_thread.js"];
  const training = ["training_worker.js", "training_thread.js"];
  const own = { "": [], nearest: [], train: training, threads: [...training, "thread.js"] };
  for (const [part, more] of Object.entries(own)) {
    const servers = part === "threads" ? [] : ["node.js", "workerd.js"];
    for (const module of [...all, ...servers, ...more]) {
      const text = readFileSync(join(installed, part, module), "utf8");
      const files = text.matchAll(/(?:new URL\(|from |import )["']([^"']+)["']/g);
      for (const [, name] of files) {
        if (!name.startsWith("node:")) assert.ok(existsSync(join(installed, part, name)), `${part}/${module} names ${name}`);
      }
    }
  }
});

for (const [program, main] of Object.entries(PROGRAMS)) {
  test(`plain modules, ${program}, under a strict policy`, async () => {
    const html = files["plain/index.html"];
    const folder = project(`plain-${program}`, { ...main, "index.html": html });
    const map = html.match(/<script type="importmap">(.*?)<\/script>/s)[1];
    const hash = createHash("sha256").update(map).digest("base64");
    const policy =
      `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'; connect-src 'self'; ` +
      "worker-src 'self'; style-src 'self'; img-src data:";
    const url = await serve(folder, { "content-security-policy": policy });
    await answersRightly(url);
    await firefox.answersRightly(url);
  });

  for (const version of ["6", "7", "8"]) {
    test(`Vite ${version}, ${program}: dev, build, preview`, async () => {
      const contents = { ...main, "index.html": page };
      if (version !== "8") contents["vite.config.js"] = files["vite/vite.config.js"];
      const folder = project(`vite${version}-${program}`, contents);
      mkdirSync(join(folder, "public"));
      renameSync(join(folder, "model.hapax"), join(folder, "public/model.hapax"));
      const tool = version === "8" ? "vite" : `vite${version}`;
      const vite = fileURLToPath(new URL(`node_modules/${tool}/bin/vite.js`, import.meta.url));
      const start = async (...words) => {
        const port = await freePort();
        return serveBy(folder, process.execPath, [vite, ...words, "--host", "127.0.0.1", "--port", `${port}`, "--strictPort"], port);
      };
      await answersRightly(await start("dev"));
      const said = execFileSync(process.execPath, [vite, "build"], { cwd: folder, encoding: "utf8", stdio: "pipe" });
      assert.doesNotMatch(said, /warn|doesn't exist/i);
      await answersRightly(await start("preview"));
    });
  }

  test(`webpack 5, ${program}`, async () => {
    const contents = { ...main, "index.html": page, "webpack.config.js": files["webpack/webpack.config.js"] };
    const folder = project(`webpack-${program}`, contents);
    run(folder, "webpack");
    await answersRightly(await site(folder));
  });
}

test("plain modules: the page that keeps quiet where it does not know", async () => {
  const folder = project("plain-sure", { "main.js": files["sure/main.js"], "index.html": files["plain/index.html"] });
  const wanted = sureAnswers.map(({ label, probability }) => `${label} ${probability.toFixed(2)}`).join("\n");
  await answersRightly(await serve(folder), wanted);
});

test("rollup, page and worker", async () => {
  for (const [name, main] of [["page", PROGRAMS.page], ["worker", OWN]]) {
    const entries = JSON.stringify(Object.keys(main));
    const config = files["rollup/rollup.config.js"].replace('["main.js"]', entries);
    const folder = project(`rollup-${name}`, { ...main, "index.html": page, "rollup.config.js": config });
    run(folder, "rollup", "-c");
    await answersRightly(await site(folder));
  }
});

test("esbuild, page and worker", async () => {
  for (const [name, main] of [["page", PROGRAMS.page], ["worker", OWN]]) {
    const script = files["esbuild/build.sh"].replace("main.js", Object.keys(main).join(" "));
    const folder = project(`esbuild-${name}`, { ...main, "index.html": page, "build.sh": script });
    const tools = fileURLToPath(new URL("node_modules/.bin", import.meta.url));
    const env = { ...process.env, PATH: `${tools}:${process.env.PATH}` };
    execFileSync("sh", ["-e", "build.sh"], { cwd: folder, env, stdio: "pipe" });
    await answersRightly(await site(folder));
  }
});

test("a wasm file that was left behind is told, and what to do", async () => {
  const folder = project("left-behind", { ...PROGRAMS.page, "index.html": page });
  run(folder, "esbuild", "main.js", "--bundle", "--format=esm", "--outdir=dist");
  const { page: opened, problems, close } = await open(await site(folder));
  await opened.waitForEvent("pageerror", { timeout: 2000 }).catch(() => {});
  assert.match(problems.join("\n"), /hapax_simd\.wasm is not the wasm file of hapax \(status 404\).*pass the file's URL to init/);
  await close();
});

test("Node, ESM and CommonJS", () => {
  const folder = project("node", { "main.mjs": files["node/main.mjs"], "main.cjs": files["node/main.cjs"] });
  for (const main of ["main.mjs", "main.cjs"]) {
    const words = ["--no-warnings", main, QUERY];
    assert.deepEqual(JSON.parse(execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8" })), answers);
  }
});

test("Deno", () => {
  const folder = project("deno", { "main.mjs": files["node/main.mjs"] });
  const words = ["run", "--allow-read", "--node-modules-dir=manual", "--no-remote", "main.mjs", QUERY];
  assert.deepEqual(JSON.parse(run(folder, "deno", ...words)), answers);
});

test("Bun", () => {
  const folder = project("bun", { "main.mjs": files["node/main.mjs"] });
  assert.deepEqual(JSON.parse(run(folder, "bun", "main.mjs", QUERY)), answers);
});

test("Cloudflare Workers: wrangler's dry run and workerd", async () => {
  const contents = { "worker.js": files["workers/worker.js"], "wrangler.toml": files["workers/wrangler.toml"] };
  const folder = project("workers", contents);
  run(folder, "wrangler", "deploy", "--dry-run", "--outdir", "dist");
  const bundled = readdirSync(join(folder, "dist")).map((name) => name.replace(/^[0-9a-f]+-/, ""));
  for (const name of ["hapax_simd.wasm", "model.hapax", "worker.js"]) assert.ok(bundled.includes(name), `${bundled}`);
  const port = await freePort();
  const wrangler = fileURLToPath(new URL("node_modules/.bin/wrangler", import.meta.url));
  const url = await serveBy(folder, wrangler, ["dev", "--ip", "127.0.0.1", "--port", `${port}`], port);
  assert.deepEqual(await (await fetch(`${url}?q=${encodeURIComponent(QUERY)}`)).json(), answers);
  assert.equal((await fetch(`${url}?q=xqzzt`)).status, 422);
});

const THREADS = `
import { initThreads, LoadError, threads, type Model, OvrTrainer } from "hapax/threads";
import { trainInWorker } from "hapax/threads/train/worker";
export const count: Promise<number> = initThreads(2);
export const made: Promise<{ model: Uint8Array }> = trainInWorker({ texts: ["a"], labels: [["b"]] });
export const [one, rule]: [number, LoadError["rule"]] = [threads(), "NoThread"];
export const used = (model: Model, trainer: OvrTrainer) => [model.predictTexts(["a"], 3), trainer];
`;

test("TypeScript, strict and without skipLibCheck", () => {
  for (const [module, moduleResolution] of [["esnext", "bundler"], ["nodenext", "nodenext"]]) {
    const strict = { strict: true, noEmit: true, skipLibCheck: false, target: "es2022", types: [] };
    const compilerOptions = { ...strict, lib: ["es2023", "dom", "dom.iterable"], module, moduleResolution };
    const config = JSON.stringify({ compilerOptions, files: ["main.ts", "threads.ts"] });
    const contents = { "main.ts": files["typescript/main.ts"], "threads.ts": THREADS, "tsconfig.json": config };
    const folder = project(`typescript-${module}`, contents);
    run(folder, "tsc");
  }
});

client();
training();
threads();
