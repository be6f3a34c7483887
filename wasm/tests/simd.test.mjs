import { suite } from "./suite.mjs";

suite("simd", "hapax_simd.wasm");
