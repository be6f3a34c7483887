//! Trained models: small, read-only, able to lend their arrays from the bytes of a file.

pub mod linear;
pub mod linear_build;
pub mod linear_compact;
pub mod linear_query;
pub mod linear_record;
pub mod linear_scorer;
pub mod linear_sums;
