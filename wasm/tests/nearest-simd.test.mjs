import { suite } from "./nearest.mjs";

suite("hapax_simd.wasm");
