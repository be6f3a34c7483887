import { suite } from "./train.mjs";

suite("hapax.wasm");
