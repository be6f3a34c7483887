// The bytes of a model, from wherever they come.

import { LoadError, ParamError } from "./errors.js";
import { shown } from "./given.js";
import { host } from "./host.js";

/** Where a model file says how long it is, and how it begins. */
const LENGTH_AT = 16;
const HEADER = 64;
const MAGIC = "HAPAX\x1a\r\n";

/** Bytes as `Uint8Array`; undefined for what is no bytes. */
export const asBytes = (source) => {
  if (source instanceof Uint8Array) return source;
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  const buffers = ["[object ArrayBuffer]", "[object SharedArrayBuffer]"];
  if (buffers.includes(Object.prototype.toString.call(source))) return new Uint8Array(source);
  return undefined;
};

export const checkOptions = (options, known) => {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`the options are ${shown(options)}; give an object such as { ${known[0]} }`);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const message = `there is no option '${name}'; there are ${known.join(" ")}`;
    throw new ParamError(message, "OneOf", { parameter: name });
  }
};

const joined = (chunks, length) => {
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
};

/**
 * The length that the header tells; 0 if the bytes are no model, undefined if they are too few to
 * say.
 */
const announced = (bytes) => {
  if (bytes.length < HEADER) return undefined;
  if (String.fromCharCode(...bytes.subarray(0, MAGIC.length)) !== MAGIC) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Number(view.getBigUint64(LENGTH_AT, true));
};

/** All bytes of a stream, and no more of what turns out to be no model. */
const drained = async (stream, name, signal, progress) => {
  const reader = stream.getReader();
  const stop = () => reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener("abort", stop);
  let chunks = [];
  let [loaded, total] = [0, undefined];
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        signal?.throwIfAborted();
        throw new LoadError(`${name} broke off after ${loaded} bytes: load it again`, "BrokeOff", { loaded, cause });
      });
      signal?.throwIfAborted();
      if (done) break;
      const bytes = asBytes(value);
      if (!bytes) throw new TypeError(`${name} has ${typeof value}s in it; a stream of bytes is expected`);
      chunks.push(bytes);
      loaded += bytes.length;
      if (total === undefined) {
        chunks = [joined(chunks, loaded)];
        total = announced(chunks[0]);
      }
      progress?.({ loaded, total: total || undefined });
      if (total !== undefined && loaded > total) break;
    }
  } finally {
    // Whatever ended this, nothing more shall come; of what has ended that asks nothing.
    stop();
    signal?.removeEventListener("abort", stop);
  }
  return joined(chunks, loaded);
};

const opened = async (source, signal) => {
  try {
    return await host.open(source, signal);
  } catch (cause) {
    signal?.throwIfAborted();
    const url = String(source);
    throw new LoadError(`${url} cannot be reached: ${cause.message}`, "Unreachable", { url, cause });
  }
};

/**
 * The bytes of a model. What is not one is read no further than it takes to know, and
 * `Model.fromBytes` says what is wrong.
 */
export const read = async (source, { signal, progress } = {}) => {
  signal?.throwIfAborted();
  let from = await source;
  const bytes = asBytes(from);
  if (bytes) {
    progress?.({ loaded: bytes.length, total: bytes.length });
    return bytes;
  }
  if (typeof from === "string" || from instanceof URL) from = await opened(from, signal);
  if (typeof from?.getReader === "function") return drained(from, "the stream", signal, progress);
  if (typeof from?.stream === "function") return drained(from.stream(), "the file", signal, progress);
  if (!(typeof from?.arrayBuffer === "function" && "ok" in from)) {
    throw new TypeError(`a model is loaded from a URL, a Response, a Blob, a ReadableStream or bytes, not from ${from}`);
  }
  const url = from.url || String(source);
  if (!from.ok) {
    const message = `${url} did not come: ${from.status} ${from.statusText}`.trim();
    throw new LoadError(message, "Status", { url, status: from.status });
  }
  if (from.bodyUsed) throw new LoadError(`${url} was read before: load it again, or clone the Response`, "BodyUsed", { url });
  if (!from.body) return new Uint8Array(await from.arrayBuffer());
  return drained(from.body, url, signal, progress);
};
