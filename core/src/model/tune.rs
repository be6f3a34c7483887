//! Choosing the parameters of nearest neighbors on held-out training rows.

use super::{Precision, Votes, held_out::HeldOut, precision::Hits, value_exponent::raise_values};
use crate::{
    data::LabelLists,
    executor::Executor,
    search::NeighborSearch,
    sparse::{SparseError, SparseRows},
};
use alloc::{vec, vec::Vec};
use core::fmt;

/// The parameters of nearest neighbors that tuning chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Every value `v` becomes `sign(v) * |v|^value_exponent`.
    pub value_exponent: f64,
    /// How much the Jaccard index counts in the similarity: `J^beta * cos`.
    pub beta: f64,
    /// How much more similar neighbors count: votes are `similarity^alpha`.
    pub alpha: f64,
    /// How many neighbors vote: S.
    pub neighbors: usize,
}

/// The values tried of each parameter: all combinations of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Value exponents, finite.
    pub value_exponents: Vec<f64>,
    /// Betas, finite and at least 0.
    pub betas: Vec<f64>,
    /// Alphas, finite.
    pub alphas: Vec<f64>,
    /// Numbers of neighbors, at least 1.
    pub neighbors: Vec<usize>,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            value_exponents: vec![1.0, 1.25, 1.5],
            betas: vec![0.0, 0.25, 0.5, 1.0],
            alphas: vec![1.0, 2.0, 3.0, 4.0],
            neighbors: vec![10, 20, 35, 50, 75],
        }
    }
}

/// A setting and how well it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub setting: Setting,
    /// Its precision on the held-out rows.
    pub precision: Precision,
}

/// What tuning found.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneReport {
    /// The setting with the largest mean of P@1, P@3 and P@5; among equals the first tried.
    pub best: Trial,
    /// Every setting, in the order of the grid: value exponents, betas, alphas, neighbors.
    pub tried: Vec<Trial>,
    /// Number of held-out rows.
    pub held_out: usize,
}

/// Why parameters cannot be tuned; `B` is the error of building an index.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TuneError<B> {
    /// There are fewer than 2 rows.
    TooFewRows {
        /// The number of rows.
        rows: usize,
    },
    /// There are more rows than label lists, or fewer.
    RowsDiffer {
        /// Number of rows.
        rows: usize,
        /// Number of label lists.
        label_lists: usize,
    },
    /// The grid lacks a value of some parameter, or holds one out of range.
    BadGrid,
    /// A value cannot be raised to an exponent of the grid.
    BadValue(SparseError),
    /// An index cannot be built.
    Build(B),
}

impl<B: fmt::Display> fmt::Display for TuneError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewRows { rows } => {
                write!(f, "{rows} rows: at least 2 are needed, to hold one out")
            }
            Self::RowsDiffer { rows, label_lists } => {
                write!(f, "{rows} rows but {label_lists} lists of labels")
            }
            Self::BadGrid => write!(
                f,
                "the grid must hold finite value exponents and alphas, finite betas of at least 0 and numbers of neighbors of at least 1"
            ),
            Self::BadValue(error) => write!(f, "{error}"),
            Self::Build(error) => write!(f, "{error}"),
        }
    }
}

impl<B: core::error::Error> core::error::Error for TuneError<B> {}

/// Tries every setting of `grid` on a held-out tenth of the rows (at most 2,000), drawn by `seed`.
///
/// `build` makes an index of the other rows, once for each value exponent; it is searched once for each
/// beta with the most neighbors, and every alpha and smaller number of neighbors votes on what
/// was found. Cost: (value exponents) x (betas) searches a held-out row.
///
/// # Errors
/// See [`TuneError`]; the grid and the sizes are checked before any work.
pub fn tune<E: Executor, I: NeighborSearch, B>(
    rows: &SparseRows,
    labels: &LabelLists,
    grid: &Grid,
    seed: u64,
    executor: &E,
    build: impl Fn(&SparseRows) -> Result<I, B>,
) -> Result<TuneReport, TuneError<B>> {
    if rows.len() != labels.len() {
        return Err(TuneError::RowsDiffer {
            rows: rows.len(),
            label_lists: labels.len(),
        });
    }
    check(grid)?;
    let parts = HeldOut::new(rows.len(), seed).ok_or(TuneError::TooFewRows { rows: rows.len() })?;
    let (fit_labels, truth) = (labels.select(&parts.fit), labels.select(&parts.judge));
    let mut tried = Vec::new();
    for &value_exponent in &grid.value_exponents {
        let raised = raise_values(rows, value_exponent).map_err(TuneError::BadValue)?;
        let queries = raised.select(&parts.judge);
        let index = build(&raised.select(&parts.fit)).map_err(TuneError::Build)?;
        for &beta in &grid.betas {
            let found = judge(&index, &queries, &fit_labels, &truth, grid, beta, executor);
            tried.extend(
                settings(grid, value_exponent, beta)
                    .zip(found)
                    .map(|(setting, hits)| Trial {
                        setting,
                        precision: hits.over(queries.len()),
                    }),
            );
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
        held_out: parts.judge.len(),
    })
}

fn check<B>(grid: &Grid) -> Result<(), TuneError<B>> {
    let good = |values: &[f64], least: f64| {
        !values.is_empty() && values.iter().all(|v| v.is_finite() && *v >= least)
    };
    let neighbors = &grid.neighbors;
    if good(&grid.value_exponents, f64::MIN)
        && good(&grid.alphas, f64::MIN)
        && good(&grid.betas, 0.0)
        && !neighbors.is_empty()
        && neighbors.iter().all(|&count| count > 0)
    {
        Ok(())
    } else {
        Err(TuneError::BadGrid)
    }
}

/// The settings of one value exponent and beta, in the order of the grid.
fn settings(grid: &Grid, value_exponent: f64, beta: f64) -> impl Iterator<Item = Setting> {
    grid.alphas.iter().flat_map(move |&alpha| {
        grid.neighbors.iter().map(move |&neighbors| Setting {
            value_exponent,
            beta,
            alpha,
            neighbors,
        })
    })
}

/// The hits of every alpha and number of neighbors, in the order of the grid.
fn judge<E: Executor, I: NeighborSearch>(
    index: &I,
    queries: &SparseRows,
    labels: &LabelLists,
    truth: &LabelLists,
    grid: &Grid,
    beta: f64,
    executor: &E,
) -> Vec<Hits> {
    let most = grid.neighbors.iter().copied().max().unwrap_or(0);
    let by_row = executor.map(
        queries.len(),
        || (index.scratch(), Votes::default()),
        |(scratch, votes), row| {
            let found = index.nearest(queries.row(row), most, beta, scratch);
            let mut hits = Vec::with_capacity(grid.alphas.len() * grid.neighbors.len());
            for &alpha in &grid.alphas {
                for &neighbors in &grid.neighbors {
                    votes.clear(labels.labels() as usize);
                    for neighbor in found.iter().take(neighbors) {
                        let carried = labels.row(neighbor.id as usize).iter().copied();
                        votes.add(neighbor.score, alpha, carried);
                    }
                    hits.push(Hits::count(votes.best(Precision::DEPTH), truth.row(row)));
                }
            }
            hits
        },
    );
    let mut sums = vec![Hits::default(); grid.alphas.len() * grid.neighbors.len()];
    for hits in by_row {
        sums.iter_mut()
            .zip(hits)
            .for_each(|(sum, hits)| sum.add(hits));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::{Grid, TuneError, tune};
    use crate::{
        data::LabelLists,
        executor::Sequential,
        model::plain_search::PlainSearch,
        sparse::{SparseRows, SparseVec},
    };
    use alloc::vec;
    use core::convert::Infallible;

    /// Two classes: large values tell them apart, many small ones mislead.
    fn data() -> (SparseRows, LabelLists) {
        let (mut rows, mut labels) = (SparseRows::new(60), LabelLists::new(2));
        for row in 0..200u32 {
            let class = row % 2;
            let noise = (0..12).map(|at| (2 + (row * 7 + at * at * 5) % 50, 1.0));
            let row = SparseVec::from_pairs(noise.chain([(class, 2.0)])).unwrap();
            rows.push(row.view()).unwrap();
            labels.push([class]);
        }
        (rows, labels)
    }

    fn plain(rows: &SparseRows) -> Result<PlainSearch, Infallible> {
        Ok(PlainSearch(rows.clone()))
    }

    #[test]
    fn the_best_is_best_and_every_setting_equals_itself_alone() {
        let (rows, labels) = data();
        let grid = Grid {
            value_exponents: vec![0.5, 1.0, 3.0],
            betas: vec![0.0, 1.0],
            alphas: vec![1.0, 4.0],
            neighbors: vec![1, 20],
        };
        let report = tune(&rows, &labels, &grid, 3, &Sequential, plain).unwrap();
        assert_eq!((report.tried.len(), report.held_out), (24, 20));
        assert_eq!(report.best.precision.at_1, 1.0);
        assert!(report.tried.iter().any(|trial| trial.precision.at_1 < 1.0));
        for trial in report.tried {
            assert!(trial.precision.mean() <= report.best.precision.mean());
            let alone = Grid {
                value_exponents: vec![trial.setting.value_exponent],
                betas: vec![trial.setting.beta],
                alphas: vec![trial.setting.alpha],
                neighbors: vec![trial.setting.neighbors],
            };
            let alone = tune(&rows, &labels, &alone, 3, &Sequential, plain).unwrap();
            assert_eq!(alone.best, trial);
        }
    }

    #[test]
    fn refuses_bad_grids_and_too_few_rows() {
        let (rows, labels) = data();
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
            let refusal = tune(&rows, &labels, &grid, 3, &Sequential, plain).unwrap_err();
            assert_eq!(refusal, TuneError::BadGrid);
        }
        let (one, label) = (rows.select(&[0]), labels.select(&[0]));
        let grid = Grid::default();
        let refusal = tune(&one, &label, &grid, 3, &Sequential, plain).unwrap_err();
        assert_eq!(refusal, TuneError::TooFewRows { rows: 1 });
        assert!(tune(&one, &labels, &grid, 3, &Sequential, plain).is_err());
    }
}
