import { suite } from "./suite.mjs";

suite("baseline", "hapax.wasm");
