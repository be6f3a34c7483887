//! hapax in JavaScript: the classes of the npm package, and nothing else.
//!
//! Everything here only carries values over the border: typed arrays and strings are copied in,
//! plain objects and typed arrays are copied out, errors become the subclasses of `Error` in
//! `package/errors.js`. What it does stands in `hapax-core`. `package/model.js` completes the
//! classes with what takes fewer bytes in JavaScript: checks of arguments, defaults, loading.

mod answers;
#[cfg(feature = "threads")]
mod batch;
#[cfg(feature = "training")]
mod best;
#[cfg(feature = "training")]
mod dataset;
// No model that is trained here can do what this module holds.
#[cfg(all(feature = "kinds", not(feature = "training")))]
mod embedding;
mod errors;
#[cfg(feature = "kinds")]
mod linear;
#[cfg(feature = "training")]
mod mach;
mod model;
#[cfg(feature = "training")]
mod options;
#[cfg(feature = "training")]
mod ovr;
#[cfg(feature = "threads")]
mod pool;
#[cfg(feature = "training")]
mod text_options;
#[cfg(feature = "training")]
mod trainer;
mod types;
#[cfg(feature = "training")]
mod watching;

/// Where parallel work runs: on this thread, or on all of a pool.
#[cfg(all(feature = "training", not(feature = "threads")))]
const MACHINE: &hapax_core::executor::Executor = &hapax_core::executor::Sequential;
#[cfg(feature = "threads")]
const MACHINE: &hapax_core::executor::Executor = &pool::Pool;
