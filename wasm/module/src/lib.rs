//! The wasm file: the classes of `hapax-wasm` and all they use, linked.
//!
//! A crate of its own, because vectors are found while linking, and only where this last crate is
//! compiled for speed; those it links keep what they were compiled for, which is size.

pub use hapax_wasm;
