//! Finding the best: the total order of answers and the searches that propose them.

pub mod neighbors;
mod top;

pub use top::{Scored, Top, rank};
