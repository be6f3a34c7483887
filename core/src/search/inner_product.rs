//! The seam behind which searches for large inner products stand.

use alloc::{boxed::Box, vec::Vec};

/// Proposes ids (of labels) whose vectors have large inner products with a row.
///
/// Who asks scores the proposals itself or uses them only as proposals: an approximate search
/// can miss ids but never invent a score.
pub trait MaxInnerProduct: Sync {
    /// One worker's searcher, with its own scratch memory.
    fn proposer(&self) -> Box<dyn Proposer + '_>;
}

/// See [`MaxInnerProduct`].
pub trait Proposer {
    /// Appends up to `k` ids for the row (features, each once, with their values), the most
    /// promising first, and says whether they are certainly the best `k`. The same row must
    /// give the same ids, whatever was asked before.
    fn propose(&mut self, row: &[(u32, f32)], k: usize, out: &mut Vec<u32>) -> bool;
}
