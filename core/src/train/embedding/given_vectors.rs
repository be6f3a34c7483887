//! Prototypes of labels over vectors of features that are known before training, as of words.
//!
//! # Problem
//! Rows `x_i` of D features, some of which have a vector `u_f` of M numbers, of length 1, from
//! elsewhere: words that mean alike have vectors that are near, which few rows cannot tell, and
//! words of queries that no row has still say something. The point of a row and the score of label
//! l are
//!
//! ```text
//! z_i = sum_f x_if (u_f - c),     s_l = v_l · z_i,
//! ```
//!
//! with x of length 1 and c so that the mean of all z is 0. The prototypes v make the loss of
//! softmax regression ([`softmax`](crate::train::softmax)) on the points small; the vectors stay.
//! Both are stored in 8 bits, and points are made of vectors as stored.
//!
//! Cost: 15 epochs that visit the weights of all labels for each row and dimension twice; memory:
//! 8 N M bytes for points, 5 L M for weights.
//!
//! The sum of such a part and sparse machines gains most where labels have few rows
//! (`benches/record/heads.md`).

use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::embedding::{Embedding, EmbeddingScratch, build::Vectors},
    parameters::{EmbeddingTraining, RowTransform},
    sparse::{SparseRows, SparseVec},
    train::{TrainError, error::array, softmax},
};
use alloc::vec::Vec;

/// Rows turned into points in one job.
const ROWS_A_JOB: usize = 256;

/// Prototypes over given vectors, as a part beside a linear model: a trait, so that a program that
/// is never given any holds no code for them.
pub(crate) trait Prototypes: Sync {
    /// Prototypes of the labels of `data`; `seed` for everything random.
    ///
    /// # Errors
    /// Unusable data; lack of memory.
    fn train(
        &self,
        data: &Dataset,
        seed: u64,
        executor: &Executor,
        kernels: &dyn Kernels,
    ) -> Result<Embedding, TrainError>;

    /// What that costs, in visits of a stored value by a label, about a nanosecond each.
    fn visits(&self, data: &Dataset) -> f64;

    /// About the bytes of a file that they take, with the vectors.
    fn bytes(&self, data: &Dataset) -> u64;

    /// How many dimensions M they have.
    fn dimensions(&self) -> u32;
}

impl Prototypes for SparseRows {
    fn train(
        &self,
        data: &Dataset,
        seed: u64,
        executor: &Executor,
        kernels: &dyn Kernels,
    ) -> Result<Embedding, TrainError> {
        let m = self.features() as usize;
        let features: Vec<u32> = known(self, data).collect();
        if features.is_empty() {
            return Err(TrainError::NoFeatures);
        }
        let labels = data.labels().labels() as usize;
        let training = EmbeddingTraining::GivenVectors { seed };
        let mut vectors = Vectors {
            dimensions: m,
            embedding: centered(self, &features, training.transform(), data)?,
            features: Some(features),
            prototypes: array(labels.saturating_mul(m), 0f32)?,
        };
        let empty = Embedding::from_vectors(&vectors, &training, data)?;
        let points = points(&empty, data, executor)?;
        let weights = softmax::of_points(&points, seed, executor, kernels)?;
        for (at, by_label) in weights.chunks(labels.max(1)).enumerate() {
            for (label, &weight) in by_label.iter().enumerate() {
                vectors.prototypes[label * m + at] = weight;
            }
        }
        Ok(Embedding::from_vectors(&vectors, &training, data)?)
    }

    /// Three for each row, dimension and label ([`softmax`]'s of dense rows).
    fn visits(&self, data: &Dataset) -> f64 {
        let cells = data.len() as f64 * f64::from(self.features());
        3.0 * cells * f64::from(data.labels().labels())
    }

    /// Of each feature with a vector that and its scale and number, of each label a vector and its
    /// scale.
    fn bytes(&self, data: &Dataset) -> u64 {
        let m = u64::from(self.features());
        let (vectors, labels) = (known(self, data).count() as u64, data.labels().labels());
        vectors * (m + 8) + u64::from(labels) * (m + 4)
    }

    fn dimensions(&self) -> u32 {
        self.features()
    }
}

/// The features of `data` that have a vector: row f is that of feature f, and empty for none.
fn known<'v>(vectors: &'v SparseRows, data: &Dataset) -> impl Iterator<Item = u32> + use<'v> {
    let each = (0..data.rows().features()).zip(vectors.iter());
    each.filter(|(_, vector)| vector.norm() > 0.0)
        .map(|(feature, _)| feature)
}

/// The vectors of these features, of length 1, less their mean over all values of the rows of
/// `data`, one after the other.
fn centered(
    vectors: &SparseRows,
    features: &[u32],
    transform: RowTransform,
    data: &Dataset,
) -> Result<Vec<f32>, TrainError> {
    let m = vectors.features() as usize;
    let mut sums = array(data.rows().features() as usize, 0f64)?;
    let mut values = Vec::new();
    for row in data.rows().iter() {
        values.clear();
        transform.apply(row, &mut values);
        for (&feature, &value) in row.indices().iter().zip(&values) {
            sums[feature as usize] += f64::from(value);
        }
    }
    let (mut mean, mut all) = (array(m, 0f64)?, 0f64);
    let mut centered = array(features.len().saturating_mul(m), 0f32)?;
    for (&feature, to) in features.iter().zip(centered.chunks_mut(m)) {
        let vector = vectors.row(feature as usize);
        let norm = vector.norm();
        let sum = sums[feature as usize];
        all += sum;
        for (at, value) in vector.iter() {
            let value = f64::from(value) / norm;
            mean[at as usize] += sum * value;
            to[at as usize] = value as f32;
        }
    }
    let all = if all > 0.0 { all } else { 1.0 };
    for to in centered.chunks_mut(m) {
        for (to, mean) in to.iter_mut().zip(&mean) {
            *to = (f64::from(*to) - mean / all) as f32;
        }
    }
    Ok(centered)
}

/// The rows of `data` as points: dense rows of M features.
fn points(
    embedding: &Embedding,
    data: &Dataset,
    executor: &Executor,
) -> Result<Dataset, TrainError> {
    let model = embedding.model();
    let m = model.parts().dimensions as usize;
    let jobs = data.len().div_ceil(ROWS_A_JOB);
    let parts = executor.map(jobs, EmbeddingScratch::default, |scratch, job| {
        let mut points = SparseRows::new(m as u32);
        for at in job * ROWS_A_JOB..((job + 1) * ROWS_A_JOB).min(data.len()) {
            let point = model.point(data.rows().row(at), scratch);
            let cells = (0..).zip(point.iter().copied());
            let point = SparseVec::from_pairs(cells.filter(|&(_, v)| v != 0.0));
            let too_long = |_| TrainError::RowTooLong { row: at as u64 + 1 };
            points.push_checked(point.map_err(too_long)?.view());
        }
        Ok::<_, TrainError>(points)
    });
    let mut points = SparseRows::new(m as u32);
    let room = data.len().saturating_mul(m);
    let lacking = |_| TrainError::OutOfMemory {
        bytes: 8 * room as u64,
    };
    points.reserve(data.len(), room).map_err(lacking)?;
    for part in parts {
        part?.iter().for_each(|row| points.push_checked(row));
    }
    Ok(data.with_rows(points))
}

#[cfg(test)]
mod tests {
    use super::Prototypes;
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        model::embedding::EmbeddingScratch,
        sparse::{SparseRows, SparseVec},
        train::TrainError,
    };
    use alloc::{vec, vec::Vec};

    /// Label l of 4 has rows with feature l and the common feature 8; features 4 to 7 mean what
    /// those four features less do, and no row has them.
    fn data() -> Dataset {
        let (mut rows, mut lists) = (SparseRows::new(10), LabelLists::new(4));
        for row in 0..40u32 {
            let pairs = [(row % 4, 1.0), (8, 0.5 + (row % 7) as f32)];
            rows.push(SparseVec::from_pairs(pairs).unwrap().view())
                .unwrap();
            lists.push([row % 4]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    /// Near vectors for the features f and f + 4, another for 8, none for 9.
    fn vectors() -> SparseRows {
        let mut vectors = SparseRows::new(5);
        for feature in 0..9u32 {
            let last = if feature == 8 { 3.0 } else { 0.1 };
            let pairs = [(feature % 4, 2.0), (2, 0.2), (4, last)];
            let vector = SparseVec::from_pairs(pairs).unwrap();
            vectors.push(vector.view()).unwrap();
        }
        vectors
    }

    #[test]
    fn features_that_no_row_has_answer_by_their_vectors() {
        let made = vectors().train(&data(), 1, &Sequential, &Portable).unwrap();
        let mut scratch = EmbeddingScratch::default();
        for label in 0..4 {
            let row = SparseVec::from_pairs([(label + 4, 1.0), (8, 1.0), (9, 2.0)]).unwrap();
            let best = made.model().predict(row.view(), 1, &mut scratch);
            assert_eq!(best[0].id, label);
        }
    }

    /// The twin in f64: points of vectors less their mean, which is 0 over all rows, times the
    /// prototypes.
    #[test]
    fn points_are_those_of_centered_vectors() {
        let (data, given) = (data(), vectors());
        let made = given.train(&data, 1, &Sequential, &Portable).unwrap();
        let mut mean = [0f64; 5];
        let mut all = 0f64;
        let rows = || {
            data.rows().iter().map(|row| {
                let norm = row.norm();
                let of = |(id, value)| (id, f64::from(value) / norm);
                row.iter().map(of).collect::<Vec<(u32, f64)>>()
            })
        };
        let vector = |id: u32| {
            let row = given.row(id as usize);
            let mut dense = [0f64; 5];
            for (at, value) in row.iter() {
                dense[at as usize] = f64::from(value) / row.norm();
            }
            dense
        };
        for (id, value) in rows().flatten() {
            all += value;
            for (sum, number) in mean.iter_mut().zip(vector(id)) {
                *sum += value * number;
            }
        }
        mean.iter_mut().for_each(|sum| *sum /= all);
        let mut scratch = EmbeddingScratch::default();
        let mut sums = [0f64; 5];
        let mut prototypes = vec![Vec::new(); 4];
        for (label, prototype) in (0..).zip(&mut prototypes) {
            made.model().prototype(label, prototype);
        }
        for (row, stored) in rows().zip(data.rows().iter()) {
            let mut point = [0f64; 5];
            for (id, value) in row {
                for ((to, number), mean) in point.iter_mut().zip(vector(id)).zip(&mean) {
                    *to += value * (number - mean);
                }
            }
            let found = made.model().point(stored, &mut scratch).to_vec();
            for ((sum, wanted), found) in sums.iter_mut().zip(point).zip(&found) {
                assert!(
                    (wanted - f64::from(*found)).abs() < 0.02,
                    "{wanted} {found}"
                );
                *sum += wanted;
            }
            for of in made.model().predict(stored, 4, &mut scratch) {
                let own = prototypes[of.id as usize].iter().zip(&found);
                let wanted: f64 = own.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
                assert!((wanted - f64::from(of.score)).abs() < 1e-4);
            }
        }
        assert!(sums.iter().all(|sum| sum.abs() < 1e-9), "{sums:?}");
    }

    #[test]
    fn without_vectors_of_its_features_there_is_nothing_to_train() {
        let mut none = SparseRows::new(5);
        let zeros = SparseVec::from_pairs([(3, 0.0)]).unwrap();
        for _ in 0..12 {
            none.push(zeros.view()).unwrap();
        }
        let made = none.train(&data(), 1, &Sequential, &Portable);
        assert_eq!(made.unwrap_err(), TrainError::NoFeatures);
        // Rows behind the features are those of none.
        none.push(vectors().row(0)).unwrap();
        assert!(none.train(&data(), 1, &Sequential, &Portable).is_err());
    }

    #[test]
    fn the_estimate_is_what_is_written() {
        let (data, given) = (data(), vectors());
        let made = given.train(&data, 1, &Sequential, &Portable).unwrap();
        let table = made.model().parts().embedding.as_ref().unwrap();
        let vectors = 9 * 5 + 4 * table.scales.len() + 4 * table.features.as_ref().unwrap().len();
        let labels = 4 * (5 + 4);
        assert_eq!(given.bytes(&data), (vectors + labels) as u64);
    }
}
