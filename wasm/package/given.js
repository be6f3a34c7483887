// What callers give, looked at before it becomes numbers and strings of WebAssembly: there a value
// of another kind would be another number without a word.

import { ParamError } from "./errors.js";

const MOST = 0xffffffff;

/** A value in a message. */
export const shown = (value) => {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  // Not all objects have a name of their own making.
  return typeof value === "object" ? Object.prototype.toString.call(value).replace("[object Null]", "null") : String(value);
};

/** A whole number that wasm can take. */
export const whole = (parameter, value, limit = 1) => {
  if (typeof value !== "number" || value > MOST || (value >= limit && !Number.isInteger(value)) || Number.isNaN(value)) {
    const message = `${parameter} is ${shown(value)}, but must be a whole number up to ${MOST}`;
    throw new ParamError(message, "Whole", { parameter, value });
  }
  if (value < limit) {
    const message = `${parameter} is ${value}, but must be at least ${limit}`;
    throw new ParamError(message, "AtLeast", { parameter, value, limit });
  }
  return value;
};

export const wholeOrDefault = (parameter, value) => (value === undefined ? value : whole(parameter, value));

export const stringOf = (name, value) => {
  if (typeof value === "string") return value;
  throw new TypeError(`the ${name} is ${shown(value)}; give a string`);
};

/** Numbers of which each is right. */
const numbersOf = (name, list, type, isRight, wanted) => {
  if (list instanceof type) return list;
  if (!Array.isArray(list) && !ArrayBuffer.isView(list)) {
    throw new TypeError(`the ${name} are ${shown(list)}; give a ${type.name} or a list of numbers`);
  }
  const numbers = Array.from(list);
  const at = numbers.findIndex((number) => !isRight(number));
  if (at < 0) return numbers;
  throw new TypeError(`number ${at + 1} of the ${name} is ${shown(numbers[at])}; give ${wanted}`);
};

const isWhole = (number) => Number.isInteger(number) && number >= 0 && number <= MOST;

/** Numbers of features, labels or places. */
export const wholesOf = (name, list) => numbersOf(name, list, Uint32Array, isWhole, `whole numbers from 0 to ${MOST}`);

/** What is no finite number is refused with its place behind this, where its row is known. */
export const valuesOf = (name, list) => numbersOf(name, list, Float32Array, (number) => typeof number === "number", "numbers");

export const textsOf = (texts) => {
  if (typeof texts === "string") throw new TypeError("the texts are a string; give a list of texts");
  if (typeof texts?.[Symbol.iterator] !== "function") throw new TypeError(`the texts are ${shown(texts)}; give a list of texts`);
  const list = Array.from(texts);
  const at = list.findIndex((text) => typeof text !== "string");
  if (at >= 0) throw new TypeError(`text ${at + 1} is ${shown(list[at])}; give a string`);
  return list;
};

/** The labels of each text. */
export const labelListsOf = (labels) => {
  if (typeof labels === "string" || typeof labels?.[Symbol.iterator] !== "function") {
    throw new TypeError(`the labels are ${shown(labels)}; give a list of labels for each text`);
  }
  return Array.from(labels, (names, at) => {
    const example = `give a list such as ${JSON.stringify([typeof names === "string" ? names : "label"])}`;
    if (typeof names === "string") throw new TypeError(`labels of text ${at + 1} are a string; ${example}`);
    if (typeof names?.[Symbol.iterator] !== "function") {
      throw new TypeError(`labels of text ${at + 1} are ${shown(names)}; ${example}`);
    }
    return Array.from(names, (name, which) => {
      if (typeof name === "string") return name;
      throw new TypeError(`label ${which + 1} of text ${at + 1} is ${shown(name)}; give a string`);
    });
  });
};
