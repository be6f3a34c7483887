//! Finding the best: the total order of answers and the searches that propose them.

pub(crate) mod compact;
pub(crate) mod graph;
mod inner_product;
pub mod neighbors;
pub(crate) mod sign_codes;
mod sign_projection;
mod top;

pub(crate) use inner_product::{MaxInnerProduct, Proposer};
pub use top::{Scored, Top, rank};
