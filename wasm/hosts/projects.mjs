// Projects as the recipes of docs/web.md describe them, with the package installed from its
// tarball.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Everything made here; below this folder, so that projects find the tools in its node_modules. */
const work = here("work");
export const QUERY = "a wheel that turns in the water";

/** The files of the recipes: those blocks of the page that a comment before them names. */
const recipes = () => {
  const page = readFileSync(here("../../docs/web.md"), "utf8");
  const blocks = page.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)\n```\n/gs);
  const files = Object.fromEntries(Array.from(blocks, ([, path, text]) => [path, `${text}\n`]));
  assert.equal(Object.keys(files).length, page.split("<!-- file:").length - 1, "a named block cannot be read");
  return files;
};

export const files = recipes();

const npm = (folder, ...words) => execFileSync("npm", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** The tarball that npm would publish. */
const packed = () => {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const [{ filename }] = JSON.parse(npm(here("../dist"), "pack", "--json", "--pack-destination", work));
  return join(work, basename(filename));
};

const tarball = packed();
const train = (hapax) => {
  const rows = readFileSync(here("../tests/fixture.tsv"), "utf8").trimEnd().split("\n");
  // Often enough for probabilities.
  const lines = Array.from({ length: 11 }, () => rows.map((line) => line.split("\t"))).flat();
  const data = hapax.Dataset.fromTexts(
    lines.map(([text]) => text),
    lines.map(([, labels]) => labels.split(" ")),
  );
  return new hapax.Trainer({ minDocuments: 1, neighbors: 200 }).train(data);
};

/** A new folder with these files and the tarball installed. */
export const project = (name, contents) => {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  npm(folder, "install", "--offline", "--no-audit", "--no-fund", tarball);
  if (!contents["model.hapax"]) cpSync(model, join(folder, "model.hapax"));
  return folder;
};

const first = (() => {
  const folder = join(work, "first");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "first", private: true, type: "module" }));
  npm(folder, "install", "--offline", "--no-audit", "--no-fund", tarball);
  return folder;
})();

/** What the tarball holds, below its package.json. */
export const installed = join(first, "node_modules/hapax");
const hapax = await import(join(installed, "train/node.js"));
await hapax.init();
const trained = train(hapax);

/** The model of all projects, and the answers that each must give. */
export const model = join(work, "model.hapax");
writeFileSync(model, trained.toBytes());
export const answers = trained.predictText(QUERY);
export const sureAnswers = trained.predictText(QUERY, { above: "micro", abstain: true, atMost: 3 });
assert.ok(answers.length === 5 && existsSync(model));
assert.ok(sureAnswers.length > 0 && sureAnswers.length < 5 && answers.every(({ probability }) => probability >= 0));
trained.free();

/** Runs a tool of this folder in a project; what it printed. */
export const run = (folder, tool, ...words) => {
  try {
    return execFileSync(join(here("node_modules/.bin"), tool), words, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
    });
  } catch (error) {
    throw new Error(`${tool} ${words.join(" ")} failed:\n${error.stdout}\n${error.stderr}`);
  }
};
