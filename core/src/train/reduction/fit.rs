//! The directions in which rows extend most.
//!
//! Problem: for a matrix A of N rows and D features (the rows, transformed) and a rank k, find V (D
//! x k) with orthonormal columns so that `|A - A V V'|` is about least: the right singular vectors
//! of the k largest singular values. `A V` are the rows in k dimensions.
//!
//! Solved by a randomized range finder with power iterations (Halko, Martinsson, Tropp 2011,
//! algorithms 4.4 and 5.1, applied to A'): with l = k + oversampling, rounded up to 16,
//!
//! ```text
//! Y = A'A Ω,  Ω random signs (D x l);   Q = orth(Y)
//! q times:  Y = A'A Q,  Q = orth(Y)
//! Q' A'A Q = U diag(λ) U',  V = Q U,  σ = sqrt(λ),  of which the k largest are kept.
//! ```
//!
//! Signs take the place of normal numbers: they are exact in every arithmetic, and serve as well.
//! Nothing of N rows is held but the rows. Singular values below about 1e-3 of the largest are lost
//! in the noise of f32.
//!
//! Cost, for s stored values: `4 s l (q + 2) + D l² (3 q + 6)` multiplications, shared by threads
//! by blocks of 16 columns; memory: [`Reduction::memory_estimate`]. All sums run in f64 in a fixed
//! order: the same bits for any number of threads and on every machine.

use super::{
    Projection,
    columns::{Columns, WIDTH},
};
use crate::eigen::eigen;
use crate::{
    data::Dataset,
    executor::Executor,
    float,
    parameters::{ParamError, ParamRule, RowTransform},
    random::Stream,
    train::{TrainError, check_data, error::array},
};
use alloc::vec::Vec;
use serde::Serialize;

/// What the reduction to few dimensions can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reduction {
    /// k, the dimensions to keep: at least 1, at most the number of features and of rows, and
    /// 4,096.
    pub dimensions: u32,
    /// How many more directions are followed than kept.
    pub oversampling: u32,
    /// q, how often the directions are improved.
    pub power_iterations: u32,
    /// The seed of the first directions.
    pub seed: u64,
}

impl Default for Reduction {
    fn default() -> Self {
        Self {
            dimensions: 128,
            oversampling: 10,
            power_iterations: 2,
            seed: 42,
        }
    }
}

const MOST_DIMENSIONS: f64 = 4096.0;
const MOST_OTHERS: f64 = 1024.0;
/// The job of the stream that draws the first directions.
const SIGNS_JOB: u64 = 0x53_5644 << 32;

impl Reduction {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first outside its range.
    pub fn check(&self) -> Result<(), ParamError> {
        let most = ParamRule::AtMost(MOST_DIMENSIONS, "which is not few any more");
        ParamError::check(
            "reduce",
            f64::from(self.dimensions),
            ParamRule::AtLeast(1.0),
        )?;
        ParamError::check("reduce", f64::from(self.dimensions), most)?;
        for (name, value) in [
            ("oversampling", self.oversampling),
            ("reduce_iterations", self.power_iterations),
        ] {
            let most = ParamRule::AtMost(MOST_OTHERS, "beyond which nothing improves");
            ParamError::check(name, f64::from(value), most)?;
        }
        Ok(())
    }

    /// Columns of the matrices.
    fn width(&self) -> usize {
        (self.dimensions as usize + self.oversampling as usize).next_multiple_of(WIDTH)
    }

    /// The most memory, in bytes, that [`Reduction::fit`] will hold on `data` with so many threads,
    /// without `data` itself: three matrices of D l numbers, sums of a block for each thread, the
    /// transformed values, and five matrices of l² numbers.
    #[must_use]
    pub(crate) fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
        let (features, width) = (u64::from(data.rows().features()), self.width() as u64);
        let sums = (threads.max(1) * WIDTH * 8) as u64;
        let values = 4 * data.rows().nonzeros() as u64 + 8 * (data.len() as u64 + 1);
        features * (12 * width + sums) + values + 40 * width * width
    }

    /// Finds the directions in which the rows of `data`, transformed by `transform`, extend most.
    ///
    /// ```
    /// use hapax_core::{
    ///     data::{Dataset, LabelLists}, executor::Sequential, parameters::RowTransform,
    ///     sparse::{SparseRows, SparseView}, train::Reduction,
    /// };
    /// // Features 0 and 1 always come together, 2 is rare: one direction holds nearly all.
    /// let (mut rows, mut labels) = (SparseRows::new(3), LabelLists::new(1));
    /// for value in [1.0f32, 2.0, 3.0] {
    ///     rows.push(SparseView::new(&[0, 1], &[value, value])?)?;
    ///     labels.push([0]);
    /// }
    /// rows.push(SparseView::new(&[2], &[0.1])?)?;
    /// labels.push([0]);
    /// let data = Dataset::new(rows, labels, None)?;
    /// let plain = RowTransform { exponent: 1.0, normalize: false };
    /// let reduction = Reduction { dimensions: 1, ..Reduction::default() };
    /// let projection = reduction.fit(&data, plain, &Sequential)?;
    /// let reduced = projection.reduce(&data, &Sequential)?;
    /// assert!((reduced.rows().row(2).norm() - 18f64.sqrt()).abs() < 1e-6);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a parameter is out of range, there are more dimensions than features or rows, no row has
    /// a feature, or memory is lacking.
    pub fn fit(
        &self,
        data: &Dataset,
        transform: RowTransform,
        executor: &Executor,
    ) -> Result<Projection, TrainError> {
        self.check()?;
        check_data(data)?;
        let features = data.rows().features();
        for (most, of) in [
            (f64::from(features), "the number of features"),
            (data.len() as f64, "the number of rows"),
        ] {
            let rule = ParamRule::AtMost(most, of);
            ParamError::check("reduce", f64::from(self.dimensions), rule)?;
        }
        let rows = Rows::new(data, transform)?;
        let mut directions = rows.applied(&self.start(features as usize)?, executor)?;
        for _ in 0..self.power_iterations {
            directions = rows.applied(&directions.orthonormal(executor)?, executor)?;
        }
        let basis = directions.orthonormal(executor)?;
        drop(directions);
        let extent = rows.applied(&basis, executor)?;
        let (mut inner, width) = (basis.products(&extent, executor), basis.width());
        drop(extent);
        symmetrize(&mut inner, width);
        let (values, vectors) = eigen(inner, width);
        let k = self.dimensions as usize;
        let singular = values[..k]
            .iter()
            .map(|&v| rows.length * float::sqrt(v.max(0.0)));
        let mut turn = alloc::vec![0.0; width * width];
        for (column, vector) in vectors.chunks_exact(width).take(k).enumerate() {
            for (row, &value) in vector.iter().enumerate() {
                turn[row * width + column] = value;
            }
        }
        let turned = basis.times(&turn, executor)?;
        let mut weights = array(features as usize * k, 0f32)?;
        for (feature, vector) in weights.chunks_exact_mut(k).enumerate() {
            for (at, weight) in vector.iter_mut().enumerate() {
                *weight = turned.blocks[at / WIDTH][feature * WIDTH + at % WIDTH];
            }
        }
        Ok(Projection::new(transform, weights, singular.collect()))
    }

    /// Random signs.
    fn start(&self, features: usize) -> Result<Columns, TrainError> {
        let mut blocks = Vec::new();
        for block in 0..self.width() / WIDTH {
            let mut signs = array(features * WIDTH, 1f32)?;
            let mut dice = Stream::new(self.seed, SIGNS_JOB + block as u64);
            for four in signs.chunks_mut(4 * WIDTH) {
                let bits = dice.bits();
                for (at, sign) in four.iter_mut().enumerate() {
                    *sign = if bits >> at & 1 == 0 { 1.0 } else { -1.0 };
                }
            }
            blocks.push(signs);
        }
        Ok(Columns { blocks })
    }
}

/// Rounding alone made the matrix other than symmetric.
fn symmetrize(matrix: &mut [f64], n: usize) {
    for a in 0..n {
        for b in 0..a {
            let mean = 0.5 * (matrix[a * n + b] + matrix[b * n + a]);
            (matrix[a * n + b], matrix[b * n + a]) = (mean, mean);
        }
    }
}

/// The rows, transformed; the matrix A is these divided by the length of all, so that no sum can
/// overflow.
struct Rows<'a> {
    data: &'a Dataset,
    starts: Vec<usize>,
    values: Vec<f32>,
    length: f64,
}

impl<'a> Rows<'a> {
    fn new(data: &'a Dataset, transform: RowTransform) -> Result<Self, TrainError> {
        let mut starts = array(data.len() + 1, 0)?;
        let mut values: Vec<f32> = array(data.rows().nonzeros(), 0.0)?;
        values.clear();
        for (start, row) in starts[1..].iter_mut().zip(data.rows().iter()) {
            transform.apply(row, &mut values);
            *start = values.len();
        }
        let square: f64 = values.iter().map(|&v| f64::from(v) * f64::from(v)).sum();
        if square <= 0.0 {
            return Err(TrainError::NoFeatures);
        }
        Ok(Self {
            data,
            starts,
            values,
            length: float::sqrt(square),
        })
    }

    /// A'A times the columns: a job for each block.
    fn applied(&self, columns: &Columns, executor: &Executor) -> Result<Columns, TrainError> {
        let size = columns.blocks.first().map_or(0, Vec::len);
        let blocks = executor.map(
            columns.blocks.len(),
            || array(size, 0f64).ok(),
            |sums, block| match sums {
                Some(sums) => self.apply(&columns.blocks[block], sums),
                None => Err(TrainError::OutOfMemory {
                    bytes: 8 * size as u64,
                }),
            },
        );
        let blocks = blocks.into_iter().collect::<Result<_, TrainError>>()?;
        Ok(Columns { blocks })
    }

    fn apply(&self, block: &[f32], sums: &mut [f64]) -> Result<Vec<f32>, TrainError> {
        sums.fill(0.0);
        let lines = block.as_chunks::<WIDTH>().0;
        let totals = sums.as_chunks_mut::<WIDTH>().0;
        let shrink = 1.0 / (self.length * self.length);
        for (row, ends) in self.data.rows().iter().zip(self.starts.windows(2)) {
            let values = &self.values[ends[0]..ends[1]];
            let mut point = [0f64; WIDTH];
            for (&feature, &value) in row.indices().iter().zip(values) {
                let value = f64::from(value);
                for (at, &weight) in point.iter_mut().zip(&lines[feature as usize]) {
                    *at += value * f64::from(weight);
                }
            }
            point.iter_mut().for_each(|at| *at *= shrink);
            for (&feature, &value) in row.indices().iter().zip(values) {
                let value = f64::from(value);
                let total = &mut totals[feature as usize];
                total
                    .iter_mut()
                    .zip(&point)
                    .for_each(|(sum, at)| *sum += value * at);
            }
        }
        let mut out = array(sums.len(), 0f32)?;
        out.iter_mut()
            .zip(sums)
            .for_each(|(out, sum)| *out = *sum as f32);
        Ok(out)
    }
}
