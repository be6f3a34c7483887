// What must hold of the built package in Node, for each of its wasm files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as bindings from "../dist/bindings.js";
import * as hapax from "../dist/node.js";
import * as native from "./native.mjs";

const { Dataset, FormatError, Model, ParamError, PredictError, ReadError, TrainError, Trainer } =
  hapax;

const plain = (answers) => answers.map(({ id, label, score }) => [id, label, score]);
const expected = (answers) => answers.map(({ id, name, score }) => [id, name, score]);

const trainedBy = native.trained;

const trained = (...rest) => trainedBy("nearest", ...rest);

const dataset = (text) => {
  const rows = text.trimEnd().split("\n").map((line) => line.split("\t"));
  return Dataset.fromTexts(
    rows.map(([text]) => text),
    rows.map(([, labels]) => labels.split(" ")),
  );
};

/** What a call throws. */
const refusal = (call) => {
  try {
    call();
  } catch (error) {
    return error;
  }
};

const firstLines = (text, count) => text.split("\n").slice(0, count).join("\n") + "\n";

/** All tests, with the package running this wasm file. */
export const suite = (name, file) => {
  const memory = () => bindings.initSync().memory.buffer.byteLength;
  const tooEarly = refusal(() => new Trainer());
  hapax.initSync(new URL(`../dist/${file}`, import.meta.url));
  const texts = readFileSync(native.fixture, "utf8");

  test(`${name}: a call before the module was loaded said so`, () => {
    assert.equal(tooEarly?.message, "hapax is not loaded: await init() first");
  });

  test(`${name}: texts get the native scores to the bit`, () => {
    const directory = native.folder();
    const path = trained(directory, texts, "--min-documents", "1");
    const model = Model.fromBytes(native.read(path));
    const queries = texts.trimEnd().split("\n").map((line) => line.split("\t")[0]);
    const input = native.write(directory, "queries.txt", queries.join("\n"));
    const wanted = native.answers(path, input, 5);
    queries.forEach((query, at) => {
      assert.deepEqual(plain(model.predictText(query, 5)), expected(wanted[at]), query);
    });
    model.free();
  });

  test(`${name}: what is no string is refused, and answers stay as they were`, () => {
    const data = dataset(texts);
    const model = new Trainer().train(data);
    const text = texts.split("\t", 1)[0];
    const before = plain(model.predictText(text, 3));
    for (const wrong of [5, null, undefined, {}, ["a"], 1e9]) {
      const refusal = { name: "TypeError", message: /^a string is expected, not / };
      assert.throws(() => model.predictText(wrong, 3), refusal);
      assert.throws(() => model.labelId(wrong), refusal);
    }
    assert.deepEqual(plain(model.predictText(text, 3)), before);
    model.free();
    data.free();
  });

  test(`${name}: a string is no list of labels or texts`, () => {
    const refused = (texts, labels, message) =>
      assert.throws(() => Dataset.fromTexts(texts, labels), { name: "TypeError", message });
    refused(["a", "b"], ["lost", "exchange"], 'labels of text 1 are a string; give a list such as ["lost"]');
    refused(["a", "b"], [["lost"], "exchange"], 'labels of text 2 are a string; give a list such as ["exchange"]');
    refused(["a"], "l", 'labels of text 1 are a string; give a list such as ["l"]');
    refused("ab", [["lost"], ["exchange"]], "the texts are a string; give a list of texts");
    Dataset.fromTexts(["a", "b"], [["lost"], []]).free();
  });

  test(`${name}: training gives the native bytes`, () => {
    const directory = native.folder();
    const wanted = native.read(trained(directory, texts));
    const data = dataset(texts);
    assert.equal(data.length, texts.trimEnd().split("\n").length);
    const model = new Trainer().train(data);
    assert.equal(Buffer.compare(model.toBytes(), wanted), 0);
    model.free();
    data.free();
  });

  test(`${name}: rows are trained on as texts are`, () => {
    const data = Dataset.fromRows(
      3,
      Uint32Array.of(0, 2, 3),
      Uint32Array.of(0, 2, 1),
      Float32Array.of(1, 2, 3),
      Uint32Array.of(0, 1, 2),
      Uint32Array.of(4, 1),
    );
    const model = new Trainer({ neighbors: 1, alpha: 1, beta: 0 }).train(data);
    assert.deepEqual(plain(model.predict(Uint32Array.of(1), Float32Array.of(5), 3)), [
      [1, undefined, 1],
    ]);
    assert.equal(model.info().rows, 2);
    assert.equal(model.info().beta, 0);
  });

  test(`${name}: learns, explains, forgets and keeps it all in its bytes`, () => {
    const model = new Trainer({ minDocuments: 1 }).train(
      dataset(texts),
    );
    const text = "a tree with cones and white cheese";
    const before = model.predictText(text, 3);
    const row = model.learn(text, "cheese-tree");
    const [best] = model.predictText(text, 1);
    assert.equal(best.label, "cheese-tree");
    const [nearest] = model.explainText(text, 1, 2);
    assert.equal(nearest.row, row);
    assert.deepEqual(nearest.labels, [{ id: best.id, label: "cheese-tree" }]);
    assert.equal(nearest.features.length, 2);
    assert.equal(typeof nearest.features[0].name, "string");
    const again = Model.fromBytes(model.toBytes());
    assert.deepEqual(again.predictText(text, 5), model.predictText(text, 5));
    assert.deepEqual(again.toBytes(), model.toBytes());
    assert.equal(model.forget(row), true);
    assert.equal(model.forget(row), false);
    assert.deepEqual(model.predictText(text, 3), before);
    assert.equal(again.labelName(best.id), "cheese-tree");
    assert.equal(again.labelId("cheese-tree"), best.id);
  });

  test(`${name}: what is wrong is an error of its class with its numbers`, () => {
    const bytes = native.read(trained(native.folder(), texts));
    const model = Model.fromBytes(bytes);
    const thrown = (action, type, fields) =>
      assert.throws(action, (error) => {
        assert(error instanceof type && error instanceof Error, `${error}`);
        assert.equal(error.name, type.name);
        assert.deepEqual({ ...error, ...fields }, { ...error });
        return true;
      });
    for (let length = 0; length < bytes.length; length += Math.max(1, length >> 4)) {
      thrown(() => Model.fromBytes(bytes.slice(0, length)), FormatError, { name: "FormatError" });
    }
    const cut = bytes.slice(0, bytes.length - 1);
    thrown(() => Model.fromBytes(cut), FormatError, {
      rule: "WrongLength",
      length: bytes.length - 1,
      expected: bytes.length,
    });
    const damaged = bytes.slice();
    // The last byte that is not zero: padding is.
    damaged[bytes.findLastIndex((byte) => byte !== 0)] ^= 2;
    assert.throws(
      () => Model.fromBytes(damaged),
      ({ rule, section, offset }) => rule === "SectionDamaged" && section.length > 3 && offset % 64 === 0,
    );
    thrown(() => model.predictText("tree", 0), PredictError, { rule: "ZeroAnswers" });
    thrown(() => model.predictText("?!", 1), PredictError, { rule: "NoFeatures", tokens: 0 });
    thrown(() => model.predictText("xqzzt", 1), PredictError, { rule: "NoFeatures", tokens: 1 });
    thrown(() => model.predict(Uint32Array.of(2, 1), Float32Array.of(1, 1), 1), ReadError, {
      rule: "NotRising",
      position: 1,
    });
    thrown(() => new Trainer({ neighbors: Number.NaN }), ParamError, { parameter: "neighbors" });
    thrown(() => model.predict(Uint32Array.of(1), Float32Array.of(Number.NaN), 1), ReadError, {
      rule: "NotFinite",
      position: 0,
      value: Number.NaN,
    });
    thrown(() => model.predict(Uint32Array.of(1, 2), Float32Array.of(1), 1), ReadError, {
      rule: "LengthsDiffer",
      indices: 2,
      values: 1,
    });
    thrown(() => new Trainer({ characters: [3, 1] }), ParamError, { rule: "BadNGrams", min: 3, max: 1 });
    thrown(() => new Trainer({ words: [], characters: [] }), ParamError, { rule: "NoTokenKind" });
    thrown(() => new Trainer({ minDocuments: 99 }).train(dataset(texts)), TrainError, { rule: "NothingKept" });
    thrown(() => new Trainer({ neighbours: 3 }), ParamError, { rule: "OneOf", parameter: "neighbours" });
    thrown(() => new Trainer({ beta: -1 }), ParamError, { parameter: "beta", value: -1, limit: 0 });
    thrown(() => Dataset.fromTexts(["a"], [[]].slice(1)), TrainError, {
      rule: "RowsDiffer",
      rows: 1,
      labelLists: 0,
    });
    thrown(() => Dataset.fromTexts(["a"], [[""]]), ReadError, { rule: "EmptyLabel", line: 1 });
  });

  test(`${name}: banking77 gets the native scores to the bit`, (context) => {
    const text = native.shared("banking77/train.raw.tsv.xz");
    const queries = native.shared("banking77/test.raw.tsv.xz");
    if (text === undefined || queries === undefined) return context.skip("shared data absent");
    const directory = native.folder();
    const path = trained(directory, text, "--columns", "labels,text");
    const lines = queries.trimEnd().split("\n").map((line) => line.split("\t")[1]).slice(0, 500);
    const input = native.write(directory, "queries.txt", lines.join("\n"));
    const wanted = native.answers(path, input, 5);
    const model = Model.fromBytes(native.read(path));
    lines.forEach((line, at) => {
      assert.deepEqual(plain(model.predictText(line, 5)), expected(wanted[at]), line);
    });
    model.free();
  });

  test(`${name}: eurlex57k gets the native scores to the bit, in little memory`, (context) => {
    const text = native.shared("eurlex57k/train.txt.xz");
    const queries = native.shared("eurlex57k/test.txt.xz");
    if (text === undefined || queries === undefined) return context.skip("shared data absent");
    const directory = native.folder();
    const path = trained(directory, text);
    const [, features, labels] = queries.slice(0, queries.indexOf("\n")).split(" ");
    const lines = firstLines(queries, 301).replace(/^.*/, `300 ${features} ${labels}`);
    const wanted = native.answers(path, native.write(directory, "queries.txt", lines), 5);
    const bytes = native.read(path);
    const model = Model.fromBytes(bytes);
    native.rows(lines).forEach(({ indices, values }, at) => {
      const found = plain(model.predict(indices, values, 5));
      assert.deepEqual(found, expected(wanted[at]), `row ${at}`);
    });
    const [used, most] = [memory(), 1.2 * bytes.length + 2 * 2 ** 20];
    console.log(`${name}: a model of ${bytes.length} bytes takes ${used} bytes of wasm memory`);
    assert(used <= most, `${used} bytes of wasm memory, more than ${most}`);
    model.free();
  });

  test(`${name}: a linear model gets the native scores to the bit, prepared or not`, () => {
    // Words of as many labels as these have dense parts, which vectors add.
    const many = Array.from({ length: 700 }, (_, at) => `w${at % 41} v${at % 5} u${at % 3}\tlabel${at % 90}`);
    const exact = ["--bits", "16", "--prune", "0"];
    for (const [lines, ...form] of [
      [texts],
      [texts, ...exact],
      [many.join("\n"), "--prune", "0"],
      [many.join("\n"), ...exact],
    ]) {
      const directory = native.folder();
      const path = trainedBy("ovr", directory, lines, "--min-documents", "1", ...form);
      const model = Model.fromBytes(native.read(path));
      const queries = lines.trimEnd().split("\n").map((line) => line.split("\t")[0]);
      const input = native.write(directory, "queries.txt", queries.join("\n"));
      const wanted = native.answers(path, input, 5);
      const compare = () =>
        queries.forEach((query, at) => {
          assert.deepEqual(plain(model.predictText(query, 5)), expected(wanted[at]), query);
        });
      compare();
      assert(model.prepare() > 0);
      compare();
      assert.deepEqual(model.toBytes(), native.read(path));
      assert.equal(model.info().algorithm, "ovr");
      assert(model.info().weights > 0);
      model.free();
    }
  });

  test(`${name}: the labels near a label are the native ones, with places for a picture`, () => {
    const directory = native.folder();
    const path = trainedBy("wsabie-pp", directory, texts, "--min-documents", "1");
    const model = Model.fromBytes(native.read(path));
    for (let id = 0; id < model.info().labels; id++) {
      const label = model.labelName(id);
      const said = JSON.parse(native.hapax("inspect", path, "--neighbors", label, "--json"));
      const wanted = said.neighbors.map((near) => [
        near.id,
        near.label,
        Math.fround(near.distance),
        Math.fround(near.cosine),
      ]);
      const [own, ...near] = model.neighborhood(id);
      assert.deepEqual([own.id, own.label, own.distance, own.cosine], [id, label, 0, 1]);
      assert.deepEqual(
        near.map((one) => [one.id, one.label, one.distance, one.cosine]),
        wanted,
      );
      // Two dimensions cannot put labels further apart than all of them do.
      for (const { x, y, distance } of near) {
        const shown = Math.hypot(x - own.x, y - own.y);
        assert(shown <= distance * (1 + 1e-6), `${shown} shown of ${distance}`);
      }
    }
    assert.equal(model.neighborhood(0, 2).length, 3);
    assert.deepEqual(model.neighborhood(model.info().labels), []);
    model.free();
    const nearest = Model.fromBytes(native.read(trained(native.folder(), texts)));
    assert.deepEqual(nearest.neighborhood(0), []);
    nearest.free();
  });

  test(`${name}: models of prototypes get the native scores to the bit`, () => {
    const directory = native.folder();
    const queries = texts.trimEnd().split("\n").map((line) => line.split("\t")[0]);
    const input = native.write(directory, "queries.txt", queries.join("\n"));
    for (const [algorithm, ...form] of [
      ["wsabie-pp"],
      ["wsabie-pp", "--reduce", "3", "--bits", "8"],
      ["wsabie", "--bits", "32"],
      ["ova-sgd", "--bits", "4"],
      ["auc", "--reduce", "3"],
      ["nearest-mean"],
    ]) {
      const path = trainedBy(algorithm, directory, texts, "--min-documents", "1", ...form);
      const model = Model.fromBytes(native.read(path));
      const wanted = native.answers(path, input, 5);
      queries.forEach((query, at) => {
        assert.deepEqual(plain(model.predictText(query, 5)), expected(wanted[at]), query);
      });
      assert.deepEqual(model.toBytes(), native.read(path));
      assert.equal(model.info().algorithm, algorithm);
      model.free();
    }
  });

  test(`${name}: a MACH model gets the native scores to the bit`, () => {
    const directory = native.folder();
    const small = ["--buckets", "2", "--repetitions", "9", "--rerank", "4"];
    for (const form of [["--bits", "4"], ["--bits", "8"], ["--bits", "32"], ["--estimator", "mean"]]) {
      const path = trainedBy("mach", directory, texts, "--min-documents", "1", ...small, ...form);
      const model = Model.fromBytes(native.read(path));
      const queries = texts.trimEnd().split("\n").map((line) => line.split("\t")[0]);
      const input = native.write(directory, "queries.txt", queries.join("\n"));
      const wanted = native.answers(path, input, 5);
      queries.forEach((query, at) => {
        assert.deepEqual(plain(model.predictText(query, 5)), expected(wanted[at]), query);
      });
      assert.deepEqual(model.toBytes(), native.read(path));
      assert.equal(model.info().algorithm, "mach");
      model.free();
    }
  });

  test(`${name}: the best of many labels are found by the scan of their codes as natively`, () => {
    const directory = native.folder();
    const lines = Array.from({ length: 700 }, (_, at) => `w${at % 41} v${at % 37} u${at % 29}\tlabel${at}`);
    const input = native.write(directory, "queries.txt", lines.map((line) => line.split("\t")[0]).join("\n"));
    // Tables of 16 to 128 bytes are looked up by vectors, longer ones are not.
    for (const buckets of [9, 16, 30, 64, 100, 200]) {
      const options = ["--buckets", `${buckets}`, "--repetitions", "7", "--epochs", "1", "--rerank", "0"];
      const path = trainedBy("mach", directory, lines.join("\n"), ...options);
      const model = Model.fromBytes(native.read(path));
      const wanted = native.answers(path, input, 5);
      lines.forEach((line, at) => {
        const found = plain(model.predictText(line.split("\t")[0], 5));
        assert.deepEqual(found, expected(wanted[at]), `${buckets} buckets: ${line}`);
      });
      model.free();
    }
  });

  test(`${name}: what features add to a label's score is the native command's`, () => {
    const directory = native.folder();
    const path = trainedBy("ovr", directory, texts, "--min-documents", "1");
    const model = Model.fromBytes(native.read(path));
    const query = texts.split("\t")[0];
    const input = native.write(directory, "queries.txt", `${query}\n`);
    const words = ["predict", path, input, "-k", "2", "--output", "json", "--explain"];
    const { evidence } = JSON.parse(native.hapax(...words));
    model.predictText(query, 2).forEach(({ id }, at) => {
      const parts = model.contributionsText(query, id, 8);
      const wanted = evidence[at].features.map((f) => [f.feature, Math.fround(f.score)]);
      assert.deepEqual(parts.map((part) => [part.name, part.score]), wanted);
    });
    const [best] = model.predictText(query, 1);
    const [first] = model.contributionsText(query, best.id);
    assert(query.toLowerCase().includes(first.name) && first.score > 0, JSON.stringify(first));
    assert.deepEqual(model.contributions(Uint32Array.of(), Float32Array.of(), best.id), []);
    assert.deepEqual(model.explainText(query), []);
    model.free();
  });

  test(`${name}: a linear model of eurlex57k gets the native scores to the bit`, (context) => {
    const text = native.shared("eurlex57k/train.txt.xz");
    const queries = native.shared("eurlex57k/test.txt.xz");
    if (text === undefined || queries === undefined) return context.skip("shared data absent");
    const directory = native.folder();
    const path = trainedBy("ovr", directory, text);
    const [, features, labels] = queries.slice(0, queries.indexOf("\n")).split(" ");
    const lines = firstLines(queries, 301).replace(/^.*/, `300 ${features} ${labels}`);
    const wanted = native.answers(path, native.write(directory, "queries.txt", lines), 5);
    const bytes = native.read(path);
    const before = memory();
    const model = Model.fromBytes(bytes);
    const compare = () =>
      native.rows(lines).forEach(({ indices, values }, at) => {
        const found = plain(model.predict(indices, values, 5));
        assert.deepEqual(found, expected(wanted[at]), `row ${at}`);
      });
    compare();
    const used = memory();
    const taken = model.prepare();
    compare();
    console.log(
      `${name}: a linear model of ${bytes.length} bytes takes ${used - before} more bytes of wasm memory; ` +
        `prepared ${taken} for ${model.info().weights} weights, memory then ${memory()}`,
    );
    assert(used - before <= 1.2 * bytes.length + 2 ** 20, `${used - before} bytes`);
    model.free();
  });
};
