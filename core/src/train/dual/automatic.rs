//! Parameters by the counts of a data set alone, for data too large to try several.
//!
//! The rule was made on held-out tenths of the training rows of eurlex57k, oewn-hypernym, cpv-it,
//! bibtex, reuters21578-modapte, clinc150, banking77, onet-titles, stackex-cs, stackex-chess and
//! corel5k (`benches/src/bin/one_vs_rest.rs`, option `held-out`); no test row had a part in it. What
//! it cannot know is how noisy labels are: where there is time, [`super::choice`] finds out.
//!
//! Long rows hold enough to tell labels apart without much regularization, and the counts of their words
//! matter. Short rows need a low cost and dear positives, and gain from flattening their tf-idf values, which
//! differ mostly by the rarity of words.

use super::parameters::OneVsRest;
use crate::data::Dataset;

/// Values a row, on average, from which their differences are kept as they are.
const LONG_ROW: f64 = 50.0;

/// Values a row, on average, with which labels can be told apart without much regularization.
const RICH_ROW: f64 = 100.0;

/// Labels with rows from which the bytes of the model call for more pruning. Heavier centroids make up for it:
/// on held-out rows of oewn-hypernym 18% fewer bytes then cost nothing.
const MANY_LABELS: usize = 10_000;

impl OneVsRest {
    /// The defaults, with cost, positive weight, value exponent, weight of centroids and pruning by the counts of `data`.
    #[must_use]
    pub fn by_counts(data: &Dataset) -> Self {
        let values_a_row = data.rows().nonzeros() as f64 / data.len().max(1) as f64;
        let (cost, positive_weight, exponent, centroid) = match values_a_row {
            rich if rich >= RICH_ROW => (1.0, 1.0, 1.0, 0.2),
            long if long >= LONG_ROW => (0.3, 3.0, 1.0, 0.2),
            _ => (0.1, 10.0, 0.7, 0.5),
        };
        let frequencies = data.labels().frequencies();
        let seen = frequencies.iter().filter(|&&count| count > 0).count();
        let (centroid, prune) = match seen >= MANY_LABELS && values_a_row < LONG_ROW {
            true => (0.8, 0.2),
            false => (centroid, Self::default().prune),
        };
        Self {
            cost,
            positive_weight,
            exponent,
            centroid,
            prune,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OneVsRest;
    use crate::{
        data::{Dataset, LabelLists},
        sparse::{SparseRows, SparseVec},
    };
    use alloc::vec::Vec;

    fn data(values: u32) -> Dataset {
        let mut rows = SparseRows::new(values);
        let row: Vec<(u32, f32)> = (0..values).map(|feature| (feature, 1.0)).collect();
        rows.push(SparseVec::from_pairs(row).unwrap().view())
            .unwrap();
        let mut lists = LabelLists::new(0);
        lists.push([0]);
        Dataset::new(rows, lists, None).unwrap()
    }

    #[test]
    fn short_rows_make_positives_dear() {
        let [short, long, rich] = [5, 60, 200].map(|values| OneVsRest::by_counts(&data(values)));
        assert!(short.positive_weight > long.positive_weight);
        assert!(long.positive_weight > rich.positive_weight && long.cost < rich.cost);
        for parameters in [short, long, rich] {
            assert_eq!(parameters.check(), Ok(()));
        }
    }
}
