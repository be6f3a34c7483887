//! What models with prototypes of labels alone do.

use crate::model::Model;
use hapax_core::model::Method;
use std::iter::once;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// `{ id, label, distance, cosine, x, y }`.
    #[wasm_bindgen(js_name = newNeighbor)]
    fn new_neighbor(
        id: u32,
        label: Option<String>,
        distance: f32,
        cosine: f32,
        x: f64,
        y: f64,
    ) -> JsValue;
}

#[wasm_bindgen]
impl Model {
    /// A label and the `k` (10 by default) nearest to it, nearest first, each with a place in a
    /// picture of them where near labels are near. Throws `ParamError`, and `PredictError` with the
    /// rule `NotOfThisKind` for a model without prototypes.
    #[wasm_bindgen(unchecked_return_type = "Neighbor[]")]
    pub fn neighborhood(&self, label: u32, k: Option<usize>) -> Vec<JsValue> {
        let Method::Embedding(embedding) = self.model.method() else {
            return Vec::new();
        };
        if label >= self.model.labels() {
            return Vec::new();
        }
        let embedding = embedding.model();
        let near = embedding.neighbors(label, k.unwrap_or(10));
        let near = near
            .iter()
            .map(|near| (near.id, near.distance, near.cosine));
        let shown: Vec<_> = once((label, 0.0, 1.0)).chain(near).collect();
        let ids: Vec<u32> = shown.iter().map(|&(id, ..)| id).collect();
        let places = embedding.plane(&ids);
        let made = shown.iter().zip(places);
        made.map(|(&(id, distance, cosine), [x, y])| {
            new_neighbor(id, self.model.label_name(id), distance, cosine, x, y)
        })
        .collect()
    }
}
