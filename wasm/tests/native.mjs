// The native command, which every answer is held against.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

export const fixture = fileURLToPath(new URL("fixture.tsv", import.meta.url));

const folders = [];
process.on("exit", () => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

/** A new folder for one test's files, which goes when the tests of this file end. */
export const folder = () => {
  const path = mkdtempSync(join(tmpdir(), "hapax-"));
  folders.push(path);
  return path;
};

/** As tests have it, less optimized; one that is told in HAPAX_COMMAND instead. */
const command = process.env.HAPAX_COMMAND ?? join(target, "debug/hapax");

export const hapax = (...words) => execFileSync(command, words, { encoding: "utf8", maxBuffer: 1 << 28 });

/**
 * The command's answers to the lines of a file: for each line a list of `{ id, name, score }`. It
 * prints the fewest digits that tell a 32-bit float from its neighbors.
 */
export const answers = (model, input, k) =>
  hapax("predict", model, input, "-k", `${k}`, "--output", "json")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).labels)
    .map((labels) => labels.map((label) => ({ ...label, score: Math.fround(label.score) })));

/**
 * The text of a file of the shared data sets. Where it is absent the test fails, unless `cargo
 * verify --without-data` names a list of tests to leave out: then none, and a line in the list.
 */
export const shared = (name) => {
  const path = join(root, "../shared/data", name);
  if (!existsSync(path)) {
    const list = process.env.HAPAX_WITHOUT_DATA;
    if (list === undefined) {
      throw new Error(`${path} is absent: cargo verify --without-data leaves such tests out`);
    }
    appendFileSync(list, `wasm/tests: ${name}\n`);
    return undefined;
  }
  return execFileSync("xz", ["-dc", path], { encoding: "utf8", maxBuffer: 1 << 30 });
};

/** Labelled texts enough for probabilities: some words belong to a label, most to none. */
export const manyTexts = (count) => {
  let state = 7;
  const below = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const line = () => {
    const label = below(6);
    const own = () => `${"abcdef"[below(4) === 0 ? below(6) : label]}${below(5)}`;
    const common = () => `w${below(30)}`;
    return `${[own(), own(), common(), common(), common(), common()].join(" ")}\tlabel${label}`;
  };
  return `${Array.from({ length: count }, line).join("\n")}\n`;
};

/** Writes a file and says where. */
export const write = (directory, name, contents) => {
  const path = join(directory, name);
  writeFileSync(path, contents);
  return path;
};

export const read = (path) => new Uint8Array(readFileSync(path));

/** The rows of XMC data as typed arrays. */
export const rows = (text) =>
  text
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => {
      const pairs = line.split(" ").slice(1).map((pair) => pair.split(":"));
      const kept = pairs.filter(([, value]) => Math.fround(value) !== 0);
      return {
        indices: Uint32Array.from(kept, ([index]) => Number(index)),
        values: Float32Array.from(kept, ([, value]) => Number(value)),
      };
    });

const digest = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");

let kept;
/** Where models are kept that this very command trained: each wasm file is held against the same. */
const shelf = () => {
  if (kept === undefined) {
    const all = join(target, "models-of-the-command");
    const own = digest(readFileSync(command));
    mkdirSync(join(all, own), { recursive: true });
    for (const name of readdirSync(all)) {
      if (name !== own) rmSync(join(all, name), { recursive: true, force: true });
    }
    kept = join(all, own);
  }
  return kept;
};

/** A model of the command, trained on this text; its path. */
export const trained = (algorithm, directory, text, ...options) => {
  const model = join(directory, "model.hapax");
  const earlier = join(shelf(), digest(JSON.stringify([algorithm, options]), text));
  if (!existsSync(earlier)) {
    hapax("train", algorithm, write(directory, "train.tsv", text), "-o", model, ...options);
    // Renamed when it is whole, for tests of other files may look for it.
    const whole = `${earlier}.${process.pid}`;
    copyFileSync(model, whole);
    renameSync(whole, earlier);
  }
  copyFileSync(earlier, model);
  return model;
};
