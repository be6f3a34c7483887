import { suite } from "./nearest.mjs";

suite("hapax.wasm");
