//! A trained model.

use crate::{
    answers::{asked, evidence, info, packed},
    errors::Thrown,
};
use hapax_core::{
    bytes::Bytes,
    model::{Model as Core, PredictError, Scratch},
    sparse::SparseView,
};
use hapax_wasm_kernels::KERNELS;
use wasm_bindgen::prelude::*;

/// The kinds of models that are in the wasm file.
#[cfg(feature = "kinds")]
type Kinds = hapax_core::model::AllKinds;
#[cfg(not(feature = "kinds"))]
type Kinds = hapax_core::model::NearestOnly;

/// A trained model. Call `free()` when it is no longer needed: its memory is not JavaScript's.
#[wasm_bindgen]
pub struct Model {
    pub(crate) model: Core,
    pub(crate) scratch: Scratch,
    /// Of each thread of a pool.
    #[cfg(feature = "threads")]
    pub(crate) scratches: Vec<Scratch>,
}

#[cfg(feature = "training")]
impl Model {
    /// A model that was just trained. Of rows its file says, as the command's does, that features
    /// are counted from 0.
    pub(crate) fn trained(mut model: Core, seed: u64) -> Self {
        let of_rows = model.vectorizer().is_none();
        let provenance = model.provenance_mut();
        provenance.seed = seed;
        provenance.index_base = of_rows.then_some(hapax_core::data::IndexBase::Zero);
        model.into()
    }
}

impl From<Core> for Model {
    fn from(model: Core) -> Self {
        let scratch = Scratch::new(KERNELS);
        Self {
            model,
            scratch,
            #[cfg(feature = "threads")]
            scratches: Vec::new(),
        }
    }
}

#[wasm_bindgen]
impl Model {
    /// Reads a model from the bytes of its file, which are copied once.
    #[wasm_bindgen(js_name = fromBytes, skip_typescript)]
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Thrown> {
        Ok(Core::from_bytes_of::<Kinds>(Bytes::from(bytes))?.into())
    }

    /// The best labels of a row, packed: `Model.predict` of `package/model.js` unpacks them.
    #[wasm_bindgen(js_name = packedBest, skip_typescript)]
    pub fn packed_best(
        &mut self,
        indices: &[u32],
        values: &[f32],
        k: usize,
    ) -> Result<Vec<u32>, Thrown> {
        let row = SparseView::new(indices, values)?;
        Ok(packed_best(&self.model, row, k, &mut self.scratch)?)
    }

    /// The best labels of a text, packed.
    #[wasm_bindgen(js_name = packedBestOfText, skip_typescript)]
    pub fn packed_best_of_text(&mut self, text: &str, k: usize) -> Result<Vec<u32>, Thrown> {
        let row = self.model.row(text, &mut self.scratch)?;
        let row = row.view();
        Ok(packed_best(&self.model, row, k, &mut self.scratch)?)
    }

    /// Why a row gets its labels: the most similar training rows, each with the features it shares
    /// with the row (10 of 10 by default). Models of other kinds hold no rows and throw a
    /// `PredictError`. Throws `ReadError`, `PredictError`.
    #[wasm_bindgen(unchecked_return_type = "Evidence[]")]
    pub fn explain(
        &mut self,
        indices: &[u32],
        values: &[f32],
        neighbors: Option<usize>,
        features: Option<usize>,
    ) -> Result<Vec<JsValue>, Thrown> {
        let row = SparseView::new(indices, values)?;
        self.explained(row, neighbors, features)
    }

    /// Why a text gets its labels; as `explain`.
    #[wasm_bindgen(js_name = explainText, unchecked_return_type = "Evidence[]")]
    pub fn explain_text(
        &mut self,
        text: &str,
        neighbors: Option<usize>,
        features: Option<usize>,
    ) -> Result<Vec<JsValue>, Thrown> {
        let row = self.model.row(text, &mut self.scratch)?;
        self.explained(row.view(), neighbors, features)
    }

    /// Learns a text under a label, which may be new, and returns the id of the row. The next query
    /// finds it. Throws `PredictError`, `TrainError`.
    pub fn learn(&mut self, text: &str, label: &str) -> Result<u32, Thrown> {
        Ok(self.model.learn_text(text, &[label], &mut self.scratch)?)
    }

    /// Learns a row of features under these label ids and returns the id of the row. A new label
    /// must have the next free id. Throws `ReadError`, `TrainError`.
    #[wasm_bindgen(js_name = learnRow)]
    pub fn learn_row(
        &mut self,
        indices: &[u32],
        values: &[f32],
        labels: &[u32],
    ) -> Result<u32, Thrown> {
        let row = SparseView::new(indices, values)?;
        Ok(self.model.learn(row, labels)?)
    }

    /// Forgets the row with this id; whether there was one.
    pub fn forget(&mut self, row: u32) -> bool {
        self.model.forget(row)
    }

    /// The model as one file of bytes, with all it has learned since. Throws `FormatError`.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self) -> Result<Vec<u8>, Thrown> {
        Ok(self.model.to_bytes_of::<Kinds>()?)
    }

    /// The name of a label; `undefined` where it has none.
    #[wasm_bindgen(js_name = labelName)]
    pub fn label_name(&self, id: u32) -> Option<String> {
        self.model.label_name(id)
    }

    /// The id of the label with this name; `undefined` where there is none.
    #[wasm_bindgen(js_name = labelId)]
    pub fn label_id(&self, name: &str) -> Option<u32> {
        self.model.label_id(name)
    }

    /// What made the model and how large it is.
    #[wasm_bindgen(unchecked_return_type = "ModelInfo")]
    pub fn info(&self) -> JsValue {
        info(&self.model)
    }
}

/// The best labels of a row, packed.
pub(crate) fn packed_best(
    model: &Core,
    row: SparseView<'_>,
    k: usize,
    scratch: &mut Scratch,
) -> Result<Vec<u32>, PredictError> {
    let best = model.predict_of::<Kinds>(row, asked(model, k), scratch)?;
    Ok(packed(best, k, model.calibration()))
}

impl Model {
    fn explained(
        &mut self,
        row: SparseView<'_>,
        neighbors: Option<usize>,
        features: Option<usize>,
    ) -> Result<Vec<JsValue>, Thrown> {
        let (neighbors, features) = (neighbors.unwrap_or(10), features.unwrap_or(10));
        let found = self
            .model
            .explain(row, neighbors, features, &mut self.scratch)?;
        Ok(evidence(&self.model, &found))
    }
}
