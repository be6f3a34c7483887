export * from "./names.js";

/** Where the wasm file is, or the file itself. */
export type WasmSource = URL | Response | BufferSource | WebAssembly.Module;

/**
 * Makes the classes usable; await it once before anything else. Without a source it takes the file
 * that lies beside this module: with vectors where the runtime has them, without where not.
 */
export function init(source?: WasmSource | Promise<Response>): Promise<void>;

/** The same at once. A source is needed in browsers, and must be a module or bytes there. */
export function initSync(source?: BufferSource | WebAssembly.Module | URL): void;
