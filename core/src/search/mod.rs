//! Finding the best: the searches that propose answers, and the total order of answers.

pub(crate) mod compact;
pub(crate) mod graph;
mod inner_product;
pub mod neighbors;
pub(crate) mod sign_codes;
mod sign_projection;

pub(crate) use crate::top::Top;
pub use crate::top::{Scored, rank};
pub(crate) use inner_product::{MaxInnerProduct, Proposer};
