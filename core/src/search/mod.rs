//! Finding the best: the total order of answers and the searches that propose them.

pub mod compact;
pub mod graph;
mod inner_product;
pub mod neighbors;
pub mod sign_codes;
mod sign_projection;
mod top;

pub use inner_product::{MaxInnerProduct, Proposer};
pub use top::{Scored, Top, rank};
