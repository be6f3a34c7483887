//! Models and the choice of their parameters.

pub mod budget;
mod held_out;
mod precision;
pub mod tune;
mod value_exponent;
mod votes;

pub use precision::Precision;
pub use value_exponent::raise_values;
pub use votes::Votes;

#[cfg(test)]
mod plain_search;
