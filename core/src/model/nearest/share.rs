//! Nearest neighbors as a part of another model: what share of the votes each label gets.

use super::{Index, Nearest, NearestParameters, NearestScratch, conditioned_rows, vote};
use crate::array::Array;
use crate::{
    data::Dataset,
    model::nearest::changes::Changes,
    search::{
        Scored,
        compact::{CompactLabels, CompactOptions},
    },
    sparse::SparseView,
    train::{ParamError, ParamRule, TrainError, check_data},
};

impl Nearest {
    /// Nearest neighbors over a compact index of the rows of `data`.
    ///
    /// # Errors
    /// As [`Nearest::train`].
    pub fn train_compact(
        parameters: NearestParameters,
        data: &Dataset,
        options: &CompactOptions,
    ) -> Result<Self, TrainError> {
        parameters.check()?;
        check_data(data)?;
        let rows = f64::from(data.len() as u32);
        let limit = ParamRule::AtMost(rows, "the number of training rows");
        ParamError::check("neighbors", f64::from(parameters.neighbors), limit)?;
        let rows = conditioned_rows(data.rows(), parameters.exponent);
        Ok(Self {
            parameters,
            similarity: parameters.similarity()?,
            index: Index::compact(&rows, options)?,
            labels: CompactLabels::new(data.labels())?,
            ids: Array::default(),
            changes: Changes::new(data.len() as u32),
        })
    }

    /// The labels that the neighbors of `query` carry, by rising id, each with its share of all their
    /// votes: the sum of the votes for it over the sum of the votes of all neighbors, from 0 to 1.
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn shares<'s>(
        &self,
        query: SparseView<'_>,
        scratch: &'s mut NearestScratch,
    ) -> Result<&'s [Scored], TrainError> {
        self.find(query, scratch)?;
        let NearestScratch {
            neighbors, votes, ..
        } = scratch;
        let mut total = 0.0;
        for neighbor in neighbors.iter() {
            let vote = vote(neighbor.score, self.parameters.alpha);
            total += vote;
            self.for_each_label(neighbor.id, |label| votes.cast(vote, label));
        }
        Ok(votes.shares(total))
    }
}
