//! Parameters that fit a data set, from its counts alone.
//!
//! One label a row: softmax heads by stochastic gradient descent, whose steps do not shrink for
//! frequent features, were 1 to 3 points more precise than AdaGrad; several labels a row: sigmoids
//! by AdaGrad. Where labels have few rows, buckets shared with others say little: twice the buckets
//! in half as many heads are better, and centroids help. Short rows gain from flat values. The
//! borders come from runs on held-out tenths of the training rows of eurlex57k, oewn-hypernym,
//! cpv-it, banking77 and clinc150.

use crate::data::Dataset;
use crate::parameters::mach::{MachParameters, Optimizer};

/// Labels from which heads have 64 buckets.
const MANY_LABELS: usize = 1000;

/// Epochs whose weights are averaged where the rate does not fall.
const AVERAGED: u32 = 3;

/// The share of values left out of a step where labels are few and each row has one: it was a
/// little more precise there, and less where rows have several labels or labels few rows.
const DROPOUT: f64 = 0.15;

/// Rows a label, on average, below which centroids are compared.
const FEW_ROWS: f64 = 5.0;

/// Values a row, on average, from which their differences are kept as they are.
const LONG_ROW: f64 = 50.0;

impl MachParameters {
    /// The defaults, with buckets, repetitions, optimizer, rate, epochs, exponent and re-ranking
    /// chosen for `data`.
    ///
    /// Cost: one pass over the labels of the rows.
    #[must_use]
    pub fn automatic(data: &Dataset) -> Self {
        let own = Self::default();
        let frequencies = data.labels().frequencies();
        let seen = frequencies.iter().filter(|&&count| count > 0).count();
        let rows = data.len().max(1) as f64;
        let rows_a_label = data.labels().total() as f64 / seen.max(1) as f64;
        let values_a_row = data.rows().nonzeros() as f64 / rows;
        let few = seen < MANY_LABELS;
        let (buckets, repetitions) = match few {
            true => (32, own.repetitions),
            false if rows_a_label < FEW_ROWS => (128, 16),
            false => (64, own.repetitions),
        };
        let (optimizer, learning_rate) = match (own.softmax(data), few) {
            (true, true) => (Optimizer::Sgd, 15.0),
            (true, false) if rows_a_label < FEW_ROWS => (Optimizer::Sgd, 6.0),
            (true, false) => (Optimizer::Sgd, 3.0),
            (false, _) => (Optimizer::FeatureAdaGrad, 5.0),
        };
        Self {
            buckets: buckets.min(seen.max(2) as u32),
            repetitions,
            decay: optimizer == Optimizer::Sgd,
            optimizer,
            learning_rate,
            averaged_epochs: if optimizer == Optimizer::Sgd {
                1
            } else {
                AVERAGED
            },
            dropout: if few && own.softmax(data) {
                DROPOUT
            } else {
                0.0
            },
            epochs: if few { 10 } else { 5 },
            exponent: if values_a_row >= LONG_ROW { 1.0 } else { 0.7 },
            rerank: if rows_a_label < FEW_ROWS { 100 } else { 0 },
            ..own
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MachParameters;
    use crate::{
        data::{Dataset, LabelLists},
        parameters::mach::Optimizer,
        sparse::{SparseRows, SparseView},
    };

    #[test]
    fn several_labels_a_row_and_few_rows_a_label_are_noticed() {
        let data = |of: u32, several: bool| {
            let (mut rows, mut lists) = (SparseRows::new(1), LabelLists::new(0));
            for row in 0..100u32 {
                rows.push(SparseView::new(&[0], &[1.0]).unwrap()).unwrap();
                lists.push([row % of].into_iter().chain(several.then_some(of)));
            }
            Dataset::new(rows, lists, None).unwrap()
        };
        let one = MachParameters::automatic(&data(10, false));
        assert_eq!(
            (one.optimizer, one.rerank, one.buckets),
            (Optimizer::Sgd, 0, 10)
        );
        let several = MachParameters::automatic(&data(50, true));
        assert_eq!(
            (several.optimizer, several.rerank),
            (Optimizer::FeatureAdaGrad, 100)
        );
        assert_eq!((one.check(), several.check()), (Ok(()), Ok(())));
    }
}
