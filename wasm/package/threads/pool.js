// What the wasm file says of its pool.

export const poolFailed = () => {
  throw new Error(
    "a thread of hapax failed, most likely for lack of memory, of which all threads together have 1 GiB: " +
      "end this worker, and begin again in another, with fewer threads or by hapax/train",
  );
};
