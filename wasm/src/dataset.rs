//! What a model is trained on.

use crate::errors::Thrown;
use hapax_core::{
    data::{Dataset as Rows, Documents, LabelLists, Source},
    sparse::SparseRows,
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// The items of a list.
    #[wasm_bindgen(js_name = itself)]
    fn items(list: &JsValue) -> Vec<JsValue>;
}

/// Labelled texts or labelled rows of features. Call `free()` when it is no longer needed.
#[wasm_bindgen]
pub struct Dataset {
    pub(crate) source: Source,
}

#[wasm_bindgen]
impl Dataset {
    /// Texts, and the names of the labels of each. Throws `ReadError`.
    #[wasm_bindgen(js_name = fromTexts)]
    pub fn from_texts(
        texts: Vec<String>,
        #[wasm_bindgen(unchecked_param_type = "string[][]")] labels: Vec<JsValue>,
    ) -> Result<Self, Thrown> {
        Thrown::unless_equal(texts.len(), labels.len())?;
        let name = |name: JsValue| name.as_string().unwrap_or_default();
        let names = labels
            .into_iter()
            .map(|list| items(&list).into_iter().map(name).collect::<Vec<_>>());
        let documents = Documents::new(texts.into_iter().zip(names))?;
        Ok(Self {
            source: Source::Texts(documents),
        })
    }

    /// Rows of features, one after the other: row `i` has the indices and values from `offsets[i]`
    /// to `offsets[i + 1]` and the label ids from `labelOffsets[i]` to `labelOffsets[i + 1]`.
    /// Indices rise within a row and are below `features`; values are not 0. Throws `ReadError`.
    #[wasm_bindgen(js_name = fromRows)]
    pub fn from_rows(
        features: u32,
        offsets: &[u32],
        indices: Vec<u32>,
        values: Vec<f32>,
        label_offsets: &[u32],
        labels: &[u32],
    ) -> Result<Self, Thrown> {
        let offsets: Vec<usize> = offsets.iter().map(|&o| o as usize).collect();
        let rows = SparseRows::from_parts(offsets, indices, values, features)?;
        let lists = LabelLists::from_parts(label_offsets, labels)?;
        Ok(Self {
            source: Source::Rows(Rows::new(rows, lists, None)?),
        })
    }

    /// Number of texts or rows.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        match &self.source {
            Source::Rows(rows) => rows.len(),
            Source::Texts(texts) => texts.texts.len(),
        }
    }
}
