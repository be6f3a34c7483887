//! Learning models from data sets.

pub mod dual;
