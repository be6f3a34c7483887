export { Model } from "./bindings.js";
