//! Answers and evidence as plain JavaScript objects, copied out.

use crate::errors::{set_number, set_text};
use hapax_core::{
    model::{Calibration, Evidence, Method, Model},
    search::Scored,
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// `{ row, similarity, vote, labels: [], features: [] }`.
    #[wasm_bindgen(js_name = newEvidence)]
    fn new_evidence(row: u32, similarity: f32, vote: f32) -> JsValue;
    /// Adds `{ id, label }` to the labels.
    #[wasm_bindgen(js_name = addLabel)]
    fn add_label(evidence: &JsValue, id: u32, label: Option<String>);
    /// Sets `thresholds` to `{ micro, macro, abstain }`.
    #[wasm_bindgen(js_name = setThresholds)]
    fn set_thresholds(object: &JsValue, micro: f32, macro_: f32, abstain: f32);
    /// `{}`.
    #[wasm_bindgen(js_name = newObject)]
    fn new_object() -> JsValue;
    /// Adds `{ id, name, share }` to the features.
    #[wasm_bindgen(js_name = addFeature)]
    fn add_feature(evidence: &JsValue, id: u32, name: Option<String>, share: f32);
}

/// How many answers to ask for: the first one's probability depends on the second's score.
pub(crate) fn asked(model: &Model, k: usize) -> usize {
    match model.calibration() {
        Some(_) if k > 0 => k.max(2),
        _ => k,
    }
}

/// Ids, then the bits of their scores, then those of their probabilities if the model has them:
/// numbers alone, which take less time and code than objects. What training never saw is no answer.
pub(crate) fn packed(best: &[Scored], k: usize, calibration: Option<&Calibration>) -> Vec<u32> {
    let given = best[..k.min(best.len())].iter();
    let given = given.take_while(|s| s.score > f32::MIN);
    let mut numbers: Vec<u32> = given.clone().map(|s| s.id).collect();
    let count = numbers.len();
    numbers.extend(given.map(|s| s.score.to_bits()));
    if let Some(calibration) = calibration {
        let probabilities = calibration.probabilities(best).take(count);
        numbers.extend(probabilities.map(f32::to_bits));
    }
    numbers
}

pub(crate) fn evidence(model: &Model, neighbors: &[Evidence]) -> Vec<JsValue> {
    neighbors
        .iter()
        .map(|neighbor| one(model, neighbor))
        .collect()
}

fn one(model: &Model, neighbor: &Evidence) -> JsValue {
    let object = new_evidence(neighbor.row, neighbor.similarity, neighbor.vote);
    for &label in &neighbor.labels {
        add_label(&object, label, model.label_name(label));
    }
    for shared in &neighbor.features {
        let name = feature_name(model, shared.feature);
        add_feature(&object, shared.feature, name, shared.share);
    }
    object
}

pub(crate) fn feature_name(model: &Model, feature: u32) -> Option<String> {
    model.vectorizer()?.feature_name(feature)
}

/// `ModelInfo` of `package/values.d.ts`.
pub(crate) fn info(model: &Model) -> JsValue {
    let (object, made) = (new_object(), model.provenance());
    let kind = match model.method() {
        Method::Nearest(_) => "nearest",
        Method::Linear(_) => "linear",
        Method::Mach(_) => "mach",
        Method::Embedding(_) => "embedding",
        _ => "other",
    };
    set_text(&object, "kind", kind);
    set_text(&object, "algorithm", &made.algorithm);
    set_text(&object, "library", &made.library);
    set_text(
        &object,
        "fingerprint",
        &format!("{:016x}", made.fingerprint),
    );
    let number = |field, value| set_number(&object, field, value);
    number("seed", made.seed as f64);
    number("features", model.features().into());
    number("labels", model.labels().into());
    number("trainingRows", made.rows as f64);
    number("trainingValues", made.nonzeros as f64);
    if let Some(known) = model.calibration() {
        set_thresholds(&object, known.micro_f1, known.macro_f1, known.abstain);
    }
    if let Method::Linear(linear) = model.method() {
        number("weights", linear.model().nonzeros() as f64);
        number("bits", linear.model().parts().bits.into());
    }
    if let Method::Nearest(nearest) = model.method() {
        let parameters = nearest.parameters();
        number("rows", nearest.len() as f64);
        number("neighbors", parameters.neighbors.into());
        number("alpha", parameters.alpha);
        number("beta", parameters.beta);
        number("exponent", parameters.exponent);
        set_text(&object, "index", nearest.index_name());
    }
    object
}
