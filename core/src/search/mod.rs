//! Finding the best: the total order of answers and the searches that propose them.

mod inner_product;
mod top;

pub use inner_product::{MaxInnerProduct, Proposer};
pub use top::{Scored, Top, rank};
