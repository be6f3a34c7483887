export * from "./names.js";

/**
 * Makes the classes usable, with a pool of threads that train and answer `predictTexts`; by default
 * one for each core. Resolves to how many there are. It is one, without a pool, where `count` is
 * 1, the page is not isolated (`crossOriginIsolated`: it wants the headers
 * `Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp`), or
 * the browser refuses memory that grows to 1 GiB. Answers and models have the same bits for any
 * number.
 *
 * To be called in a module worker, with which the threads end; `Model.load` calls it if nobody has.
 * A pool keeps its size: another one needs another worker. Rejects with `ParamError` for a count
 * below 1 or above 255, and with `LoadError` where a file does not come (rule `NoWasmFile`) or a
 * thread does not start (`NoThread`).
 */
export function initThreads(count?: number): Promise<number>;

export { initThreads as init };

/** How many threads work; 1 before `initThreads`, too. */
export function threads(): number;
