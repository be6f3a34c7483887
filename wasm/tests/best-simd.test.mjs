import { suite } from "./best.mjs";

suite("hapax_simd.wasm");
