//! Finding the best: the total order of answers and the searches that propose them.

pub mod compact;
mod neighbor_search;
mod top;

pub use neighbor_search::NeighborSearch;
pub use top::{Scored, Top, rank};
