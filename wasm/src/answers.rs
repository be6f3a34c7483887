//! Answers and evidence as plain JavaScript objects, copied out.

use hapax_core::{
    model::{Model, nearest::Evidence},
    search::Scored,
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./answers.js")]
extern "C" {
    /// `{ id, label, score }`.
    #[wasm_bindgen(js_name = newAnswer)]
    fn new_answer(id: u32, label: Option<String>, score: f32) -> JsValue;
    /// `{ row, similarity, vote, labels: [], features: [] }`.
    #[wasm_bindgen(js_name = newEvidence)]
    fn new_evidence(row: u32, similarity: f32, vote: f32) -> JsValue;
    /// Adds `{ id, label }` to the labels.
    #[wasm_bindgen(js_name = addLabel)]
    fn add_label(evidence: &JsValue, id: u32, label: Option<String>);
    /// Adds `{ id, name, share }` to the features.
    #[wasm_bindgen(js_name = addFeature)]
    fn add_feature(evidence: &JsValue, id: u32, name: Option<String>, share: f32);
}

pub(crate) fn answers(model: &Model, best: &[Scored]) -> Vec<JsValue> {
    let answer = |s: &Scored| new_answer(s.id, model.label_name(s.id), s.score);
    best.iter().map(answer).collect()
}

pub(crate) fn evidence(model: &Model, neighbors: &[Evidence]) -> Vec<JsValue> {
    neighbors.iter().map(|neighbor| one(model, neighbor)).collect()
}

fn one(model: &Model, neighbor: &Evidence) -> JsValue {
    let object = new_evidence(neighbor.row, neighbor.similarity, neighbor.vote);
    for &label in &neighbor.labels {
        add_label(&object, label, model.label_name(label));
    }
    for shared in &neighbor.features {
        let name = model.vectorizer().and_then(|v| v.feature_name(shared.feature));
        add_feature(&object, shared.feature, name, shared.share);
    }
    object
}
