import { suite } from "./best.mjs";

suite("hapax.wasm");
