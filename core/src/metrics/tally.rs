//! What is summed up over rows for one k.

use super::{discount::Discounts, sum::Sum};

/// What the answers of one row have gained up to some rank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gains {
    /// Number of hits.
    pub(super) hits: usize,
    /// Discounted hits.
    discounted: f64,
    /// Inverse propensities of the hits.
    weighted: f64,
    /// Discounted inverse propensities of the hits.
    weighted_discounted: f64,
}

impl Gains {
    /// A hit with this discount of its rank and this inverse propensity of its label.
    pub(super) fn add(&mut self, discount: f64, weight: f64) {
        self.hits += 1;
        self.discounted += discount;
        self.weighted += weight;
        self.weighted_discounted += weight * discount;
    }
}

/// The sums over rows for one k. All are integers or [`Sum`]s, so merging is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Hits, and the most there could have been.
    pub(super) hits: u64,
    pub(super) attainable: u64,
    /// Sums of the rows' hits divided by `min(k, |y|)` and by `|y|`, and of their nDCG.
    pub(super) capped: Sum,
    pub(super) recall: Sum,
    pub(super) ndcg: Sum,
    /// Inverse propensities gained and attainable.
    pub(super) weighted: Sum,
    pub(super) weighted_best: Sum,
    /// The same discounted and divided by the row's ideal DCG.
    pub(super) weighted_ndcg: Sum,
    pub(super) weighted_ndcg_best: Sum,
}

impl Tally {
    /// A row with `labels` labels gained `gains` where `best` was attainable, both in the
    /// first k ranks.
    pub(super) fn add(
        &mut self,
        labels: usize,
        gains: &Gains,
        best: &Gains,
        discounts: &Discounts,
    ) {
        if labels == 0 {
            return;
        }
        self.hits += gains.hits as u64;
        self.attainable += best.hits as u64;
        self.capped.add(gains.hits as f64 / best.hits as f64);
        self.recall.add(gains.hits as f64 / labels as f64);
        let ideal = discounts.ideal(best.hits);
        self.ndcg.add(gains.discounted / ideal);
        self.weighted.add(gains.weighted);
        self.weighted_best.add(best.weighted);
        self.weighted_ndcg.add(gains.weighted_discounted / ideal);
        self.weighted_ndcg_best
            .add(best.weighted_discounted / ideal);
    }

    /// Adds the sums of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        self.hits += other.hits;
        self.attainable += other.attainable;
        self.capped.merge(other.capped);
        self.recall.merge(other.recall);
        self.ndcg.merge(other.ndcg);
        self.weighted.merge(other.weighted);
        self.weighted_best.merge(other.weighted_best);
        self.weighted_ndcg.merge(other.weighted_ndcg);
        self.weighted_ndcg_best.merge(other.weighted_ndcg_best);
    }
}
