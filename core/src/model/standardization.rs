//! Features of unlike scale, each brought to mean 0 and variance 1, or weighed by how rare it is.
//!
//! Of a dense row x of D features a method sees z, for j = 1..D:
//!
//! ```text
//! z_j = (x_j - m_j) / s_j,
//! ```
//!
//! where m_j and s_j are mean and standard deviation of feature j over the N training rows, values
//! that are not stored counting as 0. A feature that never varies is left out. z is dense: a query
//! costs O(D) before it is answered, and a model keeps 8 D bytes.
//!
//! Of a sparse row it sees the stored values weighed, of which n_j of the N rows have feature j:
//!
//! ```text
//! z_j = x_j (1 + ln((1 + N) / (1 + n_j)))^p,
//! ```
//!
//! the inverse document frequency that texts are weighed by, to the power of p. A query costs
//! nothing to speak of, and a model keeps 4 D bytes.

use crate::{
    array::Array,
    data::Dataset,
    float,
    sparse::{SparseRows, SparseVec, SparseView, inverse_document_frequency},
};
use alloc::{collections::TryReserveError, vec, vec::Vec};

/// How far from the mean a value can be, in standard deviations: squares of such values add up.
const FARTHEST: f64 = 1e12;

/// A standard deviation below so many times the mean is what rounding left.
const LEAST_SHARE: f64 = 1e-6;

/// Means and the inverse of standard deviations, or weights; see the module's text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standardization {
    /// The D means, if there are any, then the D factors: 1 / s_j, or 0 for a feature that is left
    /// out, or weights.
    numbers: Array<f32>,
    features: u32,
}

impl Standardization {
    /// Means and deviations of the features of `rows`; `None` if no feature varies.
    pub(crate) fn of(rows: &SparseRows) -> Option<Self> {
        let (features, count) = (rows.features() as usize, rows.len().max(1) as f64);
        // Of each feature the mean, how many values are stored, and squares of distances to it.
        let mut sums = vec![[0f64; 3]; features];
        for row in rows.iter() {
            for (feature, value) in row.iter() {
                let [sum, stored, _] = &mut sums[feature as usize];
                *sum += f64::from(value);
                *stored += 1.0;
            }
        }
        for [mean, stored, squares] in &mut sums {
            *mean /= count;
            *squares = (count - *stored) * *mean * *mean;
        }
        for row in rows.iter() {
            for (feature, value) in row.iter() {
                let [mean, _, squares] = &mut sums[feature as usize];
                let from_mean = f64::from(value) - *mean;
                *squares += from_mean * from_mean;
            }
        }
        let mut numbers = vec![0f32; 2 * features];
        let (means, factors) = numbers.split_at_mut(features);
        let mut varies = false;
        for ([mean, _, squares], (first, second)) in sums.iter().zip(means.iter_mut().zip(factors))
        {
            let deviation = float::sqrt(squares / count);
            let factor = (1.0 / deviation) as f32;
            *first = *mean as f32;
            if deviation > LEAST_SHARE * mean.abs() && factor.is_finite() {
                *second = factor;
                varies = true;
            }
        }
        varies.then(|| Self {
            numbers: numbers.into(),
            features: rows.features(),
        })
    }

    /// The weights of the features of `rows`: inverse document frequencies to the power of `power`.
    ///
    /// # Errors
    /// If there is no memory for a count of each feature.
    pub(crate) fn weights(rows: &SparseRows, power: f64) -> Result<Self, TryReserveError> {
        let frequencies = rows.document_frequencies()?;
        let inverse = |frequency| inverse_document_frequency(frequency, rows.len() as f64);
        let weight = |frequency| float::power(inverse(frequency), power) as f32;
        let numbers: Vec<f32> = frequencies.into_iter().map(weight).collect();
        Ok(Self {
            numbers: numbers.into(),
            features: rows.features(),
        })
    }

    /// Of the numbers in a file for so many features, or the position of the first that is none.
    pub(crate) fn from_numbers(numbers: Array<f32>, features: u32) -> Result<Self, usize> {
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => Err(at),
            None => Ok(Self { numbers, features }),
        }
    }

    /// Whether it makes rows dense.
    pub(crate) fn is_dense(&self) -> bool {
        self.numbers.len() > self.features as usize
    }

    /// The numbers, for a file.
    pub(crate) fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Bytes in a file.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.numbers()) as u64
    }

    /// `row` as a method sees it, in `place`.
    pub(crate) fn apply<'p>(
        &self,
        row: SparseView<'_>,
        place: &'p mut SparseVec,
    ) -> SparseView<'p> {
        place.clear();
        // Indices rise, and the value is a number.
        let mut put = |feature, value: f64| {
            let _ = place.push(feature, value.clamp(-FARTHEST, FARTHEST) as f32);
        };
        if !self.is_dense() {
            for (feature, value) in row.iter() {
                if let Some(&weight) = self.numbers.get(feature as usize) {
                    put(feature, f64::from(value) * f64::from(weight));
                }
            }
            return place.view();
        }
        let (means, factors) = self.numbers.split_at(self.features as usize);
        let mut stored = row.iter().peekable();
        for (feature, (&mean, &factor)) in (0..).zip(means.iter().zip(factors)) {
            let value = stored.next_if(|&(index, _)| index == feature);
            let value = value.map_or(0.0, |(_, value)| f64::from(value));
            put(feature, (value - f64::from(mean)) * f64::from(factor));
        }
        place.view()
    }

    /// All rows as a method sees them, with their labels.
    pub(crate) fn dataset(&self, data: &Dataset) -> Dataset {
        let mut rows = SparseRows::new(self.features);
        let mut place = SparseVec::default();
        for row in data.rows().iter() {
            rows.push_checked(self.apply(row, &mut place));
        }
        data.with_rows(rows)
    }
}

/// `row` as the method of a model sees it.
pub(super) fn seen<'r>(
    standardization: &Option<Standardization>,
    row: SparseView<'r>,
    place: &'r mut SparseVec,
) -> SparseView<'r> {
    match standardization {
        Some(standardization) => standardization.apply(row, place),
        None => row,
    }
}

#[cfg(test)]
mod tests {
    use super::Standardization;
    use crate::sparse::{SparseRows, SparseVec, SparseView};
    use alloc::vec;

    fn rows(dense: &[[f32; 3]]) -> SparseRows {
        let mut rows = SparseRows::new(3);
        for row in dense {
            let row = SparseVec::from_pairs((0..).zip(*row)).unwrap();
            rows.push(row.view()).unwrap();
        }
        rows
    }

    #[test]
    fn each_feature_gets_mean_0_and_variance_1_as_computed_the_slow_way() {
        let dense = [
            [1.0, 0.0, 5.0],
            [3.0, 2000.0, 5.0],
            [0.0, -500.0, 5.0],
            [4.0, 0.0, 5.0],
        ];
        let rows = rows(&dense);
        let made = Standardization::of(&rows).unwrap();
        let mut place = SparseVec::default();
        for (number, row) in dense.iter().enumerate() {
            let found = made.apply(rows.row(number), &mut place);
            // The third feature never varies.
            let expected = [0, 1].map(|feature: usize| {
                let column = dense.map(|row| f64::from(row[feature]));
                let mean = column.iter().sum::<f64>() / 4.0;
                let squares = column.map(|value| (value - mean) * (value - mean));
                let deviation = (squares.iter().sum::<f64>() / 4.0).sqrt();
                (f64::from(row[feature]) - mean) / deviation
            });
            assert_eq!(found.indices(), [0, 1]);
            for (&value, expected) in found.values().iter().zip(expected) {
                assert!(
                    (f64::from(value) - expected).abs() < 1e-6,
                    "{value} {expected}"
                );
            }
        }
    }

    #[test]
    fn sparse_rows_are_weighed_as_computed_the_slow_way() {
        let stored = [
            vec![(0, 2.0)],
            vec![(0, 1.0), (2, -3.0)],
            vec![],
            vec![(0, 0.5)],
        ];
        let mut rows = SparseRows::new(4);
        for row in &stored {
            let row = SparseVec::from_pairs(row.clone()).unwrap();
            rows.push(row.view()).unwrap();
        }
        for power in [0.5, 1.0] {
            let made = Standardization::weights(&rows, power).unwrap();
            let weight = |count: f64| (1.0 + (5.0 / (1.0 + count)).ln()).powf(power) as f32;
            let weights = [weight(3.0), weight(0.0), weight(1.0), weight(0.0)];
            let off = made.numbers().iter().zip(weights);
            assert!(
                off.clone()
                    .all(|(found, weight)| (found - weight).abs() < 1e-6)
            );
            let mut place = SparseVec::default();
            // The last is no feature of the model.
            let row = SparseVec::from_pairs([(0, 2.0), (2, -3.0), (9, 1.0)]).unwrap();
            let found = made.apply(row.view(), &mut place);
            let expected = [2.0 * weights[0], -3.0 * weights[2]];
            assert_eq!(found.indices(), [0, 2]);
            let off = found.values().iter().zip(expected);
            assert!(
                off.clone()
                    .all(|(value, expected)| (value - expected).abs() < 1e-5)
            );
            assert!(!made.is_dense());
        }
    }

    #[test]
    fn rows_that_do_not_vary_have_none_and_no_row_ends_beyond_all_numbers() {
        assert_eq!(Standardization::of(&rows(&[[0.1, 0.0, 7.0]; 5])), None);
        assert_eq!(Standardization::of(&SparseRows::new(3)), None);
        let tiny = rows(&[[1e-30, 0.0, 0.0], [2e-30, 0.0, 0.0]]);
        let made = Standardization::of(&tiny).unwrap();
        let mut place = SparseVec::default();
        for value in [f32::MAX, -f32::MAX, 1e-45] {
            let (indices, values) = ([0, 2, 9], [value, 1.0, 1.0]);
            let row = SparseView::new(&indices, &values).unwrap();
            let found = made.apply(row, &mut place);
            assert!(SparseView::new(found.indices(), found.values()).is_ok());
            // What is no feature of the model, or never varied, says nothing.
            assert!(found.indices() == [0] && found.values()[0].abs() <= 1e12);
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let of = |numbers: [f32; 4]| Standardization::from_numbers(numbers.to_vec().into(), 2);
        assert!(of([1.0, -2.0, 0.0, 3.0]).is_ok());
        assert_eq!(of([1.0, f32::NAN, 0.0, 3.0]), Err(1));
        assert_eq!(of([1.0, 2.0, f32::INFINITY, 3.0]), Err(2));
    }
}
