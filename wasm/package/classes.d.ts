export { Dataset, Model, Trainer } from "./bindings.js";
