//! Finding the best: the searches that propose answers, and the total order of answers.

pub(crate) mod compact;
pub(crate) mod graph;
mod inner_product;
pub mod neighbors;
pub(crate) mod sign_codes;
mod sign_projection;

pub use crate::top::{Scored, Top, rank};
pub(crate) use inner_product::{MaxInnerProduct, Proposer};
