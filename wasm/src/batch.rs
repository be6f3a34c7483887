//! Many texts at once, on all threads of the pool.

use crate::{
    MACHINE,
    errors::Thrown,
    model::{Model, packed_best},
};
use hapax_core::{
    executor::Executor,
    model::{PredictError, Scratch},
};
use hapax_wasm_kernels::KERNELS;
use std::sync::atomic::{AtomicUsize, Ordering};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Model {
    /// The best labels of each text, packed, behind how many numbers they are: none for a text of
    /// which the model knows nothing. `Model.predictTexts` of `package/model.js` unpacks them.
    #[wasm_bindgen(js_name = packedBestOfTexts, skip_typescript)]
    pub fn packed_best_of_texts(
        &mut self,
        texts: Vec<String>,
        k: usize,
    ) -> Result<Vec<u32>, Thrown> {
        let missing = MACHINE.threads().saturating_sub(self.scratches.len());
        let new = (0..missing).map(|_| Scratch::new(KERNELS));
        self.scratches.extend(new);
        let (model, next) = (&self.model, AtomicUsize::new(0));
        let own = |scratch: &mut Scratch| {
            let mut own = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(text) = texts.get(at) else {
                    return own;
                };
                let row = model.row(text, scratch);
                own.push((
                    at,
                    row.and_then(|row| packed_best(model, row.view(), k, scratch)),
                ));
            }
        };
        let all = MACHINE.map_items(self.scratches.iter_mut().collect(), |_, scratch| {
            own(scratch)
        });
        let mut all: Vec<_> = all.into_iter().flatten().collect();
        all.sort_unstable_by_key(|&(at, _)| at);
        let mut numbers = Vec::new();
        for (_, packed) in all {
            let packed = match packed {
                Err(PredictError::NoFeatures(_)) => Vec::new(),
                packed => packed?,
            };
            numbers.push(packed.len() as u32);
            numbers.extend(packed);
        }
        Ok(numbers)
    }
}
