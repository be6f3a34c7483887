//! What every index of nearest neighbors can do.

use super::Scored;
use crate::sparse::SparseView;

/// A search for the most similar rows: what voting, tuning and budgets need to know of an index.
pub trait NeighborSearch: Sync {
    /// The memory of a search, reused between searches.
    type Scratch;

    /// New memory for searches.
    fn scratch(&self) -> Self::Scratch;

    /// The `neighbors` rows of largest similarity `J^beta * cos` above 0, in the order of
    /// [`rank`](super::rank).
    fn nearest<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        beta: f64,
        scratch: &'s mut Self::Scratch,
    ) -> &'s [Scored];
}
