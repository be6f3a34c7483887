//! What linear models alone do.

use crate::{answers::feature_name, errors::Thrown, model::Model};
use hapax_core::{
    model::{Contribution, Model as Core},
    sparse::SparseView,
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// `{ id, name, score }`.
    #[wasm_bindgen(js_name = newContribution)]
    fn new_contribution(id: u32, name: Option<String>, score: f32) -> JsValue;
}

#[wasm_bindgen]
impl Model {
    /// Makes queries of a linear model 2 to 25 times as fast, for about 4 bytes of memory a weight
    /// and 5 to 11 a word, and returns these bytes; other models need nothing. Scores stay the same
    /// to the bit. Models prepare themselves once their queries have taken as long as that takes.
    /// Throws `PredictError`.
    pub fn prepare(&mut self) -> Result<usize, Thrown> {
        Ok(self.model.prepare()?)
    }

    /// Why a row gets this label, of a linear model: the features (10 by default) that add most to
    /// its score or take most from it. Throws `ReadError`, `ParamError`, and `PredictError` with
    /// the rule `NotOfThisKind` for a model of another kind.
    #[wasm_bindgen(unchecked_return_type = "Contribution[]")]
    pub fn contributions(
        &mut self,
        indices: &[u32],
        values: &[f32],
        label: u32,
        features: Option<usize>,
    ) -> Result<Vec<JsValue>, Thrown> {
        let row = SparseView::new(indices, values)?;
        self.contributed(row, label, features)
    }

    /// Why a text gets this label; as `contributions`.
    #[wasm_bindgen(js_name = contributionsText, unchecked_return_type = "Contribution[]")]
    pub fn contributions_text(
        &mut self,
        text: &str,
        label: u32,
        features: Option<usize>,
    ) -> Result<Vec<JsValue>, Thrown> {
        let row = self.model.row(text, &mut self.scratch)?;
        self.contributed(row.view(), label, features)
    }
}

impl Model {
    fn contributed(
        &mut self,
        row: SparseView<'_>,
        label: u32,
        features: Option<usize>,
    ) -> Result<Vec<JsValue>, Thrown> {
        let (features, scratch) = (features.unwrap_or(10), &mut self.scratch);
        let parts = self.model.contributions(row, label, features, scratch)?;
        Ok(contributions(&self.model, &parts))
    }
}

fn contributions(model: &Core, parts: &[Contribution]) -> Vec<JsValue> {
    let part =
        |c: &Contribution| new_contribution(c.feature, feature_name(model, c.feature), c.score);
    parts.iter().map(part).collect()
}
