import { suite } from "./train.mjs";

suite("hapax_simd.wasm");
