// The example worker in workerd with the dictionary of cargo demo.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { judge, start } from "./workerd.mjs";

test("the reverse dictionary answers as the native command does, and soon", async () => {
  const made = (ending) => fileURLToPath(new URL(`../../target/demo/reverse-dictionary.${ending}`, import.meta.url));
  assert.ok(existsSync(made("hapax")), "no reverse dictionary: make it by `cargo demo --no-serve`");
  const edge = await start((model) => copyFileSync(made("hapax"), model));
  const definitions = readFileSync(made("glosses.txt"), "utf8").split("\n");
  await judge("reverse dictionary", edge, definitions.filter((line, at) => line && at % 500 === 0).slice(0, 200));
});
