//! The rows of a single-label problem as the solvers want them.

use crate::parameters::multiclass::MultiClassSvm;
use crate::{
    data::Dataset,
    sparse::order::{self, FeatureOrder},
    train::{TrainError, check_data},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// N rows with one class each: transformed, those without a value left out (unless there is a
/// constant feature, which they have), features renumbered by falling frequency, the constant one
/// last, and labels with rows as classes.
///
/// Memory: 8 bytes a value, 24 bytes a row, 12 a feature and 8 a label.
#[derive(Clone, Debug)]
pub struct Problem {
    ends: Vec<usize>,
    features: Vec<u32>,
    values: Vec<f32>,
    squares: Vec<f64>,
    classes: Vec<u32>,
    /// Which row of the data set each row is.
    sources: Vec<u32>,
    /// The label of each class.
    labels: Vec<u32>,
    /// The data set's number of each feature; the constant feature has none.
    feature_ids: Vec<u32>,
    bias: f64,
}

/// One row: renumbered features, rising, and their values.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Features.
    pub features: &'a [u32],
    /// Values.
    pub values: &'a [f32],
}

impl<'a> Row<'a> {
    /// Where those of a range of features are.
    #[must_use]
    #[inline]
    pub(crate) fn places_of(&self, range: &Range<u32>) -> Range<usize> {
        let from = self.features.partition_point(|&f| f < range.start);
        let rest = &self.features[from..];
        from..from + rest.partition_point(|&f| f < range.end)
    }

    /// The features and values of some places.
    #[must_use]
    #[inline]
    pub(crate) fn part(&self, places: Range<usize>) -> Self {
        Self {
            features: &self.features[places.clone()],
            values: &self.values[places],
        }
    }

    /// Those of a range of features.
    #[must_use]
    #[inline]
    pub(crate) fn features_in(&self, range: &Range<u32>) -> &'a [u32] {
        &self.features[self.places_of(range)]
    }
}

/// What to do with rows that have not exactly one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultiLabel {
    /// They end training with an error that names the first.
    Refuse,
    /// A row becomes one row for each of its labels; rows without a label take no part.
    Replicate,
}

impl Problem {
    /// From `data`: checks it and copies the rows.
    ///
    /// # Errors
    /// If there is nothing to learn from, fewer than two labels have rows, a row has not exactly
    /// one label (unless `multi_label` says otherwise), or no row has a value other than 0.
    pub(crate) fn new(
        data: &Dataset,
        parameters: &MultiClassSvm,
        multi_label: MultiLabel,
    ) -> Result<Self, TrainError> {
        parameters.check()?;
        check_data(data)?;
        if multi_label == MultiLabel::Refuse {
            refuse_multi_label(data)?;
        }
        let bytes = FeatureOrder::bytes(data.rows());
        let order =
            FeatureOrder::new(data.rows()).map_err(|_| TrainError::OutOfMemory { bytes })?;
        let mut problem = Self {
            ends: vec![0],
            features: Vec::new(),
            values: Vec::new(),
            squares: Vec::new(),
            classes: Vec::new(),
            sources: Vec::new(),
            labels: Vec::new(),
            feature_ids: order.feature,
            bias: parameters.bias,
        };
        let transform = parameters.transform();
        let (mut values, mut terms) = (Vec::new(), Vec::new());
        for (at, row) in data.rows().iter().enumerate() {
            values.clear();
            transform.apply(row, &mut values);
            let ranks = row.indices().iter().map(|&id| order.rank[id as usize]);
            terms.clear();
            terms.extend(
                ranks
                    .zip(values.iter().copied())
                    .filter(|term| term.1 != 0.0),
            );
            for &label in data.labels().row(at) {
                problem.push(at as u32, label, &mut terms)?;
            }
        }
        let constants = usize::from(problem.bias != 0.0) * problem.len();
        if problem.values() == constants {
            return Err(TrainError::NoFeatures);
        }
        problem.number_classes(data.labels().labels() as usize)?;
        Ok(problem)
    }

    fn push(
        &mut self,
        source: u32,
        label: u32,
        terms: &mut [(u32, f32)],
    ) -> Result<(), TrainError> {
        let square: f64 = terms.iter().map(|t| f64::from(t.1) * f64::from(t.1)).sum();
        if square == 0.0 && self.bias == 0.0 {
            return Ok(());
        }
        if !square.is_finite() || square > 1e30 {
            return Err(TrainError::RowTooLong {
                row: u64::from(source) + 1,
            });
        }
        order::by_id(terms);
        self.features.extend(terms.iter().map(|term| term.0));
        self.values.extend(terms.iter().map(|term| term.1));
        if self.bias != 0.0 {
            self.features.push(self.feature_ids.len() as u32);
            self.values.push(self.bias as f32);
        }
        self.ends.push(self.features.len());
        self.squares.push(square + self.bias * self.bias);
        self.classes.push(label);
        self.sources.push(source);
        Ok(())
    }

    /// Gives labels that have rows the classes 0, 1, … by falling number of rows.
    fn number_classes(&mut self, labels: usize) -> Result<(), TrainError> {
        let mut counts = vec![0u32; labels];
        for &label in &self.classes {
            counts[label as usize] += 1;
        }
        let mut seen: Vec<u32> = (0..labels as u32)
            .filter(|&label| counts[label as usize] > 0)
            .collect();
        seen.sort_by_key(|&label| core::cmp::Reverse(counts[label as usize]));
        if let [label] = seen[..] {
            return Err(TrainError::OneClass { label });
        }
        let mut number = vec![0u32; labels];
        for (class, &label) in seen.iter().enumerate() {
            number[label as usize] = class as u32;
        }
        for class in &mut self.classes {
            *class = number[*class as usize];
        }
        self.labels = seen;
        Ok(())
    }

    /// Number of rows N.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.squares.len()
    }

    /// Number of features D, the constant one included.
    #[must_use]
    pub(crate) fn features(&self) -> usize {
        self.feature_ids.len() + usize::from(self.bias != 0.0)
    }

    /// Number of classes L: labels that have rows.
    #[must_use]
    #[inline]
    pub(crate) fn classes(&self) -> usize {
        self.labels.len()
    }

    /// Row `row`.
    #[must_use]
    #[inline]
    pub(crate) fn row(&self, row: usize) -> Row<'_> {
        let range = self.ends[row]..self.ends[row + 1];
        Row {
            features: &self.features[range.clone()],
            values: &self.values[range],
        }
    }

    /// The class of a row.
    #[must_use]
    #[inline]
    pub(crate) fn class(&self, row: usize) -> u32 {
        self.classes[row]
    }

    /// The squared length of a row, above 0.
    #[must_use]
    #[inline]
    pub(crate) fn square(&self, row: usize) -> f64 {
        self.squares[row]
    }

    /// Which row of the data set a row is.
    #[must_use]
    pub(crate) fn source(&self, row: usize) -> u32 {
        self.sources[row]
    }

    /// The label of each class.
    #[must_use]
    pub(crate) fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The data set's number of each feature but the constant one.
    #[must_use]
    pub(crate) fn feature_ids(&self) -> &[u32] {
        &self.feature_ids
    }

    /// Stored values of all rows.
    #[must_use]
    pub(crate) fn values(&self) -> usize {
        self.values.len()
    }

    /// The value of the constant feature, or 0.
    #[must_use]
    pub(crate) fn bias(&self) -> f64 {
        self.bias
    }
}

fn refuse_multi_label(data: &Dataset) -> Result<(), TrainError> {
    for (at, labels) in data.labels().iter().enumerate() {
        if labels.len() != 1 {
            return Err(TrainError::NotOneLabel {
                row: at as u64 + 1,
                labels: labels.len() as u64,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(missing_docs, reason = "tests")]
pub mod tests {
    use super::{MultiLabel, Problem};
    use crate::{
        data::{Dataset, LabelLists},
        parameters::multiclass::{MultiClassLoss, MultiClassSvm},
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::TrainError,
    };

    /// `count` random rows over `features` features in `classes` classes, each of which is met.
    pub(crate) fn random_data(count: usize, features: u32, classes: u32, seed: u64) -> Dataset {
        let mut stream = Stream::new(seed, 0);
        let (mut rows, mut lists) = (SparseRows::new(features), LabelLists::new(classes));
        for row in 0..count {
            let class = row as u32 % classes;
            let own = (class % features, 0.5);
            let noise = (0..features.min(5)).map(|_| {
                let value = stream.unit() as f32 - 0.3;
                (stream.below(u64::from(features)) as u32, value)
            });
            let mut terms: alloc::vec::Vec<(u32, f32)> = noise.collect();
            terms.push(own);
            rows.push(SparseVec::from_pairs(terms).unwrap().view())
                .unwrap();
            lists.push([class]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    /// A problem of such rows.
    pub(crate) fn random(count: usize, features: u32, classes: u32, seed: u64) -> Problem {
        let data = random_data(count, features, classes, seed);
        let parameters = MultiClassSvm {
            normalize: false,
            ..MultiClassSvm::new(MultiClassLoss::WestonWatkins)
        };
        Problem::new(&data, &parameters, MultiLabel::Refuse).unwrap()
    }

    fn of(rows: &[(&[u32], &[u32])], multi_label: MultiLabel) -> Result<Problem, TrainError> {
        with_bias(rows, multi_label, 0.0)
    }

    fn with_bias(
        rows: &[(&[u32], &[u32])],
        multi_label: MultiLabel,
        bias: f64,
    ) -> Result<Problem, TrainError> {
        let (mut sparse, mut lists) = (SparseRows::new(4), LabelLists::new(0));
        for (features, labels) in rows {
            let terms = features.iter().map(|&f| (f, 2.0));
            sparse
                .push(SparseVec::from_pairs(terms).unwrap().view())
                .unwrap();
            lists.push(labels.iter().copied());
        }
        let data = Dataset::new(sparse, lists, None).unwrap();
        let parameters = MultiClassSvm {
            bias,
            ..MultiClassSvm::new(MultiClassLoss::CrammerSinger)
        };
        Problem::new(&data, &parameters, multi_label)
    }

    #[test]
    fn unusable_rows_are_refused_by_their_number() {
        let two: &[(&[u32], &[u32])] = &[(&[0], &[0]), (&[1], &[1, 2])];
        let refused = of(two, MultiLabel::Refuse).unwrap_err();
        assert_eq!(refused, TrainError::NotOneLabel { row: 2, labels: 2 });
        let none: &[(&[u32], &[u32])] = &[(&[0], &[0]), (&[0], &[1]), (&[1], &[])];
        let refused = of(none, MultiLabel::Refuse).unwrap_err();
        assert_eq!(refused, TrainError::NotOneLabel { row: 3, labels: 0 });
        let one: &[(&[u32], &[u32])] = &[(&[0], &[3]), (&[1], &[3])];
        let refused = of(one, MultiLabel::Refuse).unwrap_err();
        assert_eq!(refused, TrainError::OneClass { label: 3 });
        assert_eq!(of(&[], MultiLabel::Refuse).unwrap_err(), TrainError::NoRows);
    }

    #[test]
    fn rows_are_replicated_and_empty_ones_left_out() {
        let rows: &[(&[u32], &[u32])] = &[
            (&[0, 3], &[5]),
            (&[3], &[2, 7]),
            (&[], &[5]),
            (&[1], &[]),
            (&[3], &[2]),
        ];
        let problem = of(rows, MultiLabel::Replicate).unwrap();
        assert_eq!((problem.len(), problem.classes()), (4, 3));
        assert_eq!(problem.labels(), [2, 5, 7]);
        let sources = [0, 1, 2, 3].map(|row| problem.source(row));
        assert_eq!(sources, [0, 1, 1, 4]);
        assert_eq!([0, 1, 2, 3].map(|row| problem.class(row)), [1, 0, 2, 0]);
        assert!((problem.square(0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn rows_without_a_value_have_the_constant_one() {
        let rows: &[(&[u32], &[u32])] = &[(&[0], &[1]), (&[], &[2]), (&[3], &[2])];
        let problem = with_bias(rows, MultiLabel::Refuse, 0.5).unwrap();
        assert_eq!((problem.len(), problem.classes()), (3, 2));
        assert_eq!(problem.row(1).values, [0.5]);
        assert!((problem.square(1) - 0.25).abs() < 1e-12);
        let nothing: &[(&[u32], &[u32])] = &[(&[], &[1]), (&[], &[2])];
        for bias in [0.0, 0.5] {
            let refused = with_bias(nothing, MultiLabel::Refuse, bias).unwrap_err();
            assert_eq!(refused, TrainError::NoFeatures);
        }
    }
}
