//! Finding the best: the searches that propose answers, and the total order of answers.

pub(crate) mod compact;
pub(crate) mod graph;
pub(crate) mod neighbors;
pub(crate) mod sign_codes;
mod sign_projection;

pub(crate) use crate::top::Top;
pub use crate::top::{Scored, rank};
use alloc::{boxed::Box, vec::Vec};

/// Proposes ids (of labels) whose vectors have large inner products with a row.
///
/// Who asks scores the proposals itself or uses them only as proposals: an approximate search
/// can miss ids but never invent a score.
pub(crate) trait MaxInnerProduct: Sync {
    /// One worker's searcher, with its own scratch memory.
    fn proposer(&self) -> Box<dyn Proposer + '_>;
}

/// See [`MaxInnerProduct`].
pub(crate) trait Proposer {
    /// Appends up to `k` ids for the row (features, each once, with their values), the most
    /// promising first, and says whether they are certainly the best `k`. The same row must
    /// give the same ids, whatever was asked before.
    fn propose(&mut self, row: &[(u32, f32)], k: usize, out: &mut Vec<u32>) -> bool;
}
