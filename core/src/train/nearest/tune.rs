//! Choosing the parameters on held-out training rows.

use super::judge::HeldOut;
use crate::model::nearest::{Index, conditioned::conditioned_rows};
use crate::parameters::NearestParameters;
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    parameters::{ParamError, ParamRule},
    train::{Precision, TrainError, check_data},
};
use alloc::{vec, vec::Vec};

/// The values tried of each parameter: all combinations of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Exponents of values.
    pub exponents: Vec<f64>,
    /// Exponents of the Jaccard index.
    pub betas: Vec<f64>,
    /// Exponents of votes.
    pub alphas: Vec<f64>,
    /// Numbers of neighbors.
    pub neighbors: Vec<u32>,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            exponents: vec![1.0, 1.25, 1.5],
            betas: vec![0.0, 0.25, 0.5, 1.0],
            alphas: vec![1.0, 2.0, 3.0, 4.0, 8.0, 32.0],
            neighbors: vec![10, 20, 35, 50, 75],
        }
    }
}

/// Parameters and how well they did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub parameters: NearestParameters,
    /// Its precision on the held-out rows.
    pub precision: Precision,
}

/// What tuning found.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneReport {
    /// The trial with the largest mean of P@1, P@3 and P@5; among equals the first tried.
    pub best: Trial,
    /// Every trial, in the order of the grid: exponents, betas, alphas, neighbors.
    pub tried: Vec<Trial>,
    /// Number of held-out rows.
    pub held_out: usize,
}

impl Grid {
    /// The parameters of one exponent and beta, in the order of the grid.
    fn parameters(&self, exponent: f64, beta: f64) -> impl Iterator<Item = NearestParameters> {
        self.alphas.iter().flat_map(move |&alpha| {
            let of = move |&neighbors| NearestParameters {
                neighbors,
                alpha,
                beta,
                exponent,
            };
            self.neighbors.iter().map(of)
        })
    }

    /// The grid for data of so many rows: numbers of neighbors above what is left of them when a
    /// tenth is held out become that number.
    fn within(&self, rows: usize) -> Result<Self, TrainError> {
        let mut grid = self.clone();
        let left = u32::try_from(rows - rows / 10)
            .unwrap_or(u32::MAX)
            .saturating_sub(1)
            .max(1);
        grid.neighbors
            .iter_mut()
            .for_each(|neighbors| *neighbors = left.min(*neighbors));
        grid.neighbors.dedup();
        let lengths = [
            ("exponents", grid.exponents.len()),
            ("betas", grid.betas.len()),
            ("alphas", grid.alphas.len()),
            ("neighbors", grid.neighbors.len()),
        ];
        for (name, length) in lengths {
            ParamError::check(name, length as f64, ParamRule::AtLeast(1.0))?;
        }
        for &exponent in &grid.exponents {
            for &beta in &grid.betas {
                grid.parameters(exponent, beta)
                    .try_for_each(|parameters| parameters.check())?;
            }
        }
        Ok(grid)
    }
}

impl NearestParameters {
    /// Tries every combination of `grid` on a held-out tenth of the rows (at most 5,000), drawn by
    /// `seed`, and reports the best.
    ///
    /// An index of the other rows is built once for each exponent and searched once for each beta
    /// with the most neighbors; every alpha and smaller number of neighbors votes on what was
    /// found. `progress` is told after each of these rounds how many of how many are done.
    ///
    /// Cost: exponents x betas searches a held-out row.
    ///
    /// # Errors
    /// If the grid holds a value out of range, or the data have no features or labels or fewer than
    /// two rows; all before any work. If memory is lacking.
    pub fn tune(
        data: &Dataset,
        grid: &Grid,
        seed: u64,
        executor: &Executor,
        kernels: &'static dyn Kernels,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<TuneReport, TrainError> {
        check_data(data)?;
        let grid = &grid.within(data.len())?;
        let rounds = grid.exponents.len() * grid.betas.len();
        let mut tried: Vec<Trial> = Vec::new();
        let (mut done, mut held_out) = (0, 0);
        for &exponent in &grid.exponents {
            let rows = conditioned_rows(data.rows(), exponent);
            let parts = HeldOut::new(&rows, data.labels(), seed)?;
            held_out = parts.queries.len();
            let index = Index::exact(&parts.rows)?;
            for &beta in &grid.betas {
                let all: Vec<_> = grid.parameters(exponent, beta).collect();
                let similarity = all[0].similarity()?;
                let votings: Vec<_> = all.iter().map(|p| (p.alpha, p.neighbors)).collect();
                let (found, _) = parts.judge(&index, similarity, &votings, executor, kernels)?;
                let trials = all.into_iter().zip(found);
                tried.extend(trials.map(|(parameters, mut found)| Trial {
                    parameters,
                    precision: found.figures().precision,
                }));
                done += 1;
                progress(done, rounds);
            }
        }
        let mut best = tried[0];
        for trial in &tried {
            if trial.precision.mean() > best.precision.mean() {
                best = *trial;
            }
        }
        Ok(TuneReport {
            best,
            tried,
            held_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        parameters::NearestParameters,
        sparse::{SparseRows, SparseVec},
        train::TrainError,
    };
    use alloc::vec;

    /// Two classes: large values tell them apart, many small ones mislead.
    fn data(count: u32) -> Dataset {
        let (mut rows, mut labels) = (SparseRows::new(60), LabelLists::new(2));
        for row in 0..count {
            let class = row % 2;
            let noise = (0..12).map(|at| (2 + (row * 7 + at * at * 5) % 50, 1.0));
            let row = SparseVec::from_pairs(noise.chain([(class, 2.0)])).unwrap();
            rows.push(row.view()).unwrap();
            labels.push([class]);
        }
        Dataset::new(rows, labels, None).unwrap()
    }

    fn tune(data: &Dataset, grid: &Grid) -> Result<super::TuneReport, TrainError> {
        NearestParameters::tune(data, grid, 3, &Sequential, &Portable, |_, _| {})
    }

    #[test]
    fn the_best_is_best_and_every_trial_equals_itself_alone() {
        let data = data(200);
        let grid = Grid {
            exponents: vec![0.5, 1.0, 3.0],
            betas: vec![0.0, 1.0],
            alphas: vec![1.0, 4.0],
            neighbors: vec![1, 20],
        };
        let report = tune(&data, &grid).unwrap();
        assert_eq!((report.tried.len(), report.held_out), (24, 20));
        assert_eq!(report.best.precision.at_1, 1.0);
        assert!(report.tried.iter().any(|trial| trial.precision.at_1 < 1.0));
        for trial in report.tried {
            assert!(trial.precision.mean() <= report.best.precision.mean());
            let NearestParameters {
                neighbors,
                alpha,
                beta,
                exponent,
            } = trial.parameters;
            let alone = Grid {
                exponents: vec![exponent],
                betas: vec![beta],
                alphas: vec![alpha],
                neighbors: vec![neighbors],
            };
            assert_eq!(tune(&data, &alone).unwrap().best, trial);
        }
    }

    #[test]
    fn bad_grids_and_too_few_rows_are_refused() {
        let grid = |betas, neighbors| Grid {
            betas,
            neighbors,
            ..Grid::default()
        };
        for grid in [
            grid(vec![], vec![1]),
            grid(vec![-1.0], vec![1]),
            grid(vec![f64::NAN], vec![1]),
            grid(vec![1.0], vec![0]),
        ] {
            assert!(matches!(
                tune(&data(200), &grid),
                Err(TrainError::Parameter(_))
            ));
        }
        let refusal = tune(&data(1), &Grid::default()).unwrap_err();
        assert_eq!(refusal, TrainError::TooFewRows { rows: 1 });
        let small = tune(&data(4), &Grid::default()).unwrap();
        assert_eq!(
            small.best.parameters.neighbors, 3,
            "no more neighbors than rows there are"
        );
    }
}
