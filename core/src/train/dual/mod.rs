//! Support vector machines solved in the dual, one coordinate at a time.
//!
//! [`one_vs_rest`] trains one binary machine for each label. Rows are stored for it as [`packed_rows`]; [`label_block`] is the inner
//! loop, which solves sixteen labels at once, [`mining`] the search for rows which a label wrongly claims where not
//! all rows are its negatives. [`choice`] finds good parameters by trying some.

#[cfg(test)]
mod bits_tests;
mod centroids;
pub mod certificate;
pub mod choice;
pub mod label_block;
pub mod label_jobs;
pub mod label_solver;
pub mod memory;
pub mod mining;
pub mod one_vs_rest;
pub mod packed_rows;
mod precision;
pub mod sweep;
pub mod trainer;
pub mod training_rows;
pub mod weights;
