//! Types of what `package/model.js` adds to the classes, at the top of `bindings.d.ts`.

use wasm_bindgen::prelude::*;

// One section, because the reference must come before everything else.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"/// <reference lib="esnext.disposable" />
import type { Ability, Answer, Answers, BestOptions, Contribution, Evidence, Hearing, LoadOptions, MachOptions, ModelInfo, ModelSource, Neighbor, OvrOptions, OvrParameters, PredictOptions, PrepareOptions, TextOptions, TrainerOptions, TrainingReport, TrainingSummary } from "./values.js";

export interface Model {
    /**
     * The best labels for a row of features, best first, 5 by default: rising indices, each with a
     * value other than 0. Throws `ReadError`, `ParamError`, and `PredictError` with the rule
     * `NoProbabilities` where a model without them is asked for answers above one.
     */
    predict(indices: Uint32Array | number[], values: Float32Array | number[], k?: number | PredictOptions): Answer[];
    /**
     * The best labels for a text, best first, 5 by default. Throws `ParamError`, and `PredictError`
     * with the rule `NoFeatures` for a text of which the model knows no word, or `NoProbabilities`.
     */
    predictText(text: string, k?: number | PredictOptions): Answer[];
    /**
     * The best labels of each text, 5 by default, in typed arrays; none for a text of which the model knows
     * no word. Throws `ParamError`, `PredictError`.
     */
    predictTexts(texts: Iterable<string>, k?: number | PredictOptions): Answers;
    /** Whether a model of this kind has a method. */
    can(ability: Ability): boolean;
}

export namespace Model {
    /**
     * Loads a model, and hapax itself if that has not been done. A string is a URL, in Node also a
     * path. Throws `LoadError`, `FormatError`, or the reason of the signal.
     */
    function load(source: ModelSource | Promise<Response>, options?: LoadOptions): Promise<Model>;
    /** A model from the bytes of its file, which are copied once. Throws `FormatError`. */
    function fromBytes(bytes: ArrayBuffer | ArrayBufferView | number[], options?: PrepareOptions): Model;
}"#;
