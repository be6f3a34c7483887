//! Any bytes loaded as a model, checksums not looked at; a model that loads answers without a
//! panic.
#![no_main]

use hapax_core::{
    bytes::Bytes,
    model::{Model, Scratch},
    sparse::SparseView,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut model) = Model::from_bytes(Bytes::copy_from_slice(bytes)) else {
        return;
    };
    let mut scratch = Scratch::default();
    let values = [1.0, 0.5, 2.0, 0.25, 1.0, 1.0, 3.0, 1.0];
    let query = SparseView::new(&[0, 1, 2, 3, 5, 8, 13, 21], &values).expect("rising and finite");
    let _ = model.predict(query, 5, &mut scratch);
    let _ = model.predict_text("the quick brown fox", 5, &mut scratch);
    let _ = model.explain(query, 3, 3, &mut scratch);
    let _ = model.learn(query, &[0]);
    let _ = model.forget(0);
    let _ = model.to_bytes();
});
