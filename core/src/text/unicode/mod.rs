//! What of Unicode the tokens need: compatibility forms, lower case and words.
//!
//! The tables are packed for size, because they travel in every wasm file and every device's flash:
//! `tables/*.bin`, 30 kB in all, 17 kB gzipped, written by
//! `cargo run -p hapax-core --example unicode_tables` from the crates `unicode-normalization` and
//! `unicode-segmentation`. They are part of the model format: a character that a later Unicode
//! defines anew would become another token, so they change only together with the format's version.

mod lower_case;
mod normalize;
mod packed;
#[cfg(test)]
mod tests;
mod words;

pub(super) use lower_case::for_each_lower_case;
pub(super) use normalize::{NormalizeScratch, for_each_normalized};
pub(super) use words::{for_each_segment, for_each_word};
