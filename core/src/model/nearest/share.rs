//! Nearest neighbors as a part of another model: what share of the votes each label gets.

use super::{Nearest, NearestScratch};
use crate::{model::ModelError, search::Scored, sparse::SparseView};

impl Nearest {
    /// The labels that the neighbors of `query` carry, by rising id, each with its share of all
    /// their votes: the sum of the votes for it over the sum of the votes of all neighbors, from 0
    /// to 1.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn shares<'s>(
        &self,
        query: SparseView<'_>,
        scratch: &'s mut NearestScratch,
    ) -> Result<&'s [Scored], ModelError> {
        self.find(query, scratch)?;
        let total = self.cast(self.parameters.alpha, scratch);
        Ok(scratch.votes.shares(total))
    }
}
