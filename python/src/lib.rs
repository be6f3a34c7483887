//! The native half of the Python package: models, training, and rows that are read in place.
//! `python/hapax` holds the other half: what turns the matrices of SciPy and NumPy into arrays.

mod answers;
mod checkpoints;
mod errors;
mod interrupt;
mod job;
mod judging;
mod learning;
mod mach;
mod matrix;
mod memoir;
mod methods;
mod model;
mod multiclass;
mod nearest;
mod one_vs_rest;
mod options;
mod prototypes;
mod training;

use pyo3::prelude::*;

/// The module `hapax._native`.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_function(wrap_pyfunction!(judging::evaluate_rows, module)?)?;
    module.add_function(wrap_pyfunction!(judging::evaluate_texts, module)?)?;
    module.add_function(wrap_pyfunction!(judging::inverse_propensities, module)?)?;
    module.add_function(wrap_pyfunction!(judging::metrics, module)?)?;
    module.add_function(wrap_pyfunction!(learning::learn_rows, module)?)?;
    module.add_function(wrap_pyfunction!(learning::learn_texts, module)?)?;
    module.add_function(wrap_pyfunction!(training::train_texts, module)?)?;
    module.add_function(wrap_pyfunction!(training::number_labels, module)?)?;
    module.add_function(wrap_pyfunction!(training::train_rows_from, module)?)?;
    module.add_function(wrap_pyfunction!(training::train_texts_from, module)?)?;
    module.add_function(wrap_pyfunction!(training::train_rows, module)?)
}
