//! Support vector machines solved in the dual, one coordinate at a time.
//!
//! [`one_vs_rest`] trains one binary machine for each label, on its own rows and on few,
//! well-chosen rows of others. Rows are stored for it as [`packed_rows`]; [`sweep`] is the inner
//! loop, [`label_solver`] the solver of one label, [`mining`] the search for rows which a label
//! wrongly claims.

pub mod automatic;
pub mod certificate;
pub mod choice;
pub mod label_block;
pub mod label_jobs;
pub mod label_solver;
pub mod memory;
pub mod mining;
pub mod one_vs_rest;
pub mod packed_rows;
pub mod parameters;
mod precision;
pub mod sweep;
pub mod trainer;
pub mod training_rows;
pub mod weights;
