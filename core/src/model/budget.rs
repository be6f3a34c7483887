//! The best compact index within a number of bytes.

use super::{Precision, Votes, held_out::HeldOut, precision::Hits};
use crate::{
    data::LabelLists,
    executor::Executor,
    search::{
        NeighborSearch,
        compact::{CompactError, CompactIndex, CompactLabels, CompactOptions},
    },
    sparse::SparseRows,
};
use alloc::vec::Vec;
use core::fmt;

/// How neighbors vote while settings are judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voting {
    /// How many neighbors vote: S.
    pub neighbors: usize,
    /// Votes are `similarity^alpha`.
    pub alpha: f64,
    /// Similarities are `J^beta * cos`.
    pub beta: f64,
}

/// One setting that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetTrial {
    /// What the index keeps.
    pub options: CompactOptions,
    /// Bytes of the index of all rows and of the label lists.
    pub bytes: u64,
    /// Precision on the held-out rows.
    pub precision: Precision,
    /// Words of posting lists read for a held-out row, on average: the cost of a search.
    pub words_read: f64,
}

/// What was tried to meet a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetReport {
    /// The most bytes allowed.
    pub max_bytes: u64,
    /// Number of held-out rows.
    pub held_out: usize,
    /// Precision of the exact search on the same held-out rows.
    pub exact: Precision,
    /// Every setting tried.
    pub tried: Vec<BudgetTrial>,
    /// Which of them was chosen.
    pub chosen: usize,
}

/// Why a budget cannot be met.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BudgetError {
    /// Even the smallest setting needs more.
    TooSmall {
        /// The most bytes allowed.
        max_bytes: u64,
        /// The fewest bytes any setting needs.
        smallest: u64,
    },
    /// There are fewer than 2 rows, or not as many as label lists.
    BadRows {
        /// Number of rows.
        rows: usize,
        /// Number of label lists.
        label_lists: usize,
    },
    /// An index cannot be built.
    Compact(CompactError),
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall {
                max_bytes,
                smallest,
            } => write!(
                f,
                "{max_bytes} bytes are too few: the smallest index of these rows takes {smallest}"
            ),
            Self::BadRows { rows, label_lists } => write!(
                f,
                "{rows} rows and {label_lists} lists of labels: there must be as many, and at least 2"
            ),
            Self::Compact(error) => write!(f, "{error}"),
        }
    }
}

impl core::error::Error for BudgetError {}

impl From<CompactError> for BudgetError {
    fn from(error: CompactError) -> Self {
        Self::Compact(error)
    }
}

/// Document-frequency shares tried, largest first.
const SHARES: [f64; 3] = [1.0, 0.2, 0.1];

/// Weights kept of a row, most first.
const ROW_WEIGHTS: [u8; 15] = [255, 160, 112, 80, 64, 48, 40, 36, 32, 24, 16, 12, 8, 6, 4];

/// Settings whose mean precision is this close are equally good: the quicker one is chosen.
const CLOSE: f64 = 0.001;

/// Chooses, builds and reports the compact index of `rows` that does best on a held-out tenth of
/// them (at most 2,000, drawn by `seed`) among those that fit, with the label lists, into
/// `max_bytes`.
///
/// For each share of document frequencies the two largest numbers of weights kept of a row that fit are
/// tried. The best has the largest mean of P@1, P@3 and P@5; of all within 0.1 points of it, the one whose
/// searches read the fewest words is chosen. `exact` searches the rows that are not held out
/// exactly, for comparison.
///
/// # Errors
/// See [`BudgetError`].
pub fn fit_to_budget<E: Executor, I: NeighborSearch>(
    rows: &SparseRows,
    labels: &LabelLists,
    voting: &Voting,
    max_bytes: u64,
    seed: u64,
    executor: &E,
    exact: impl FnOnce(&SparseRows) -> I,
) -> Result<(CompactIndex, CompactLabels, BudgetReport), BudgetError> {
    let bad_rows = BudgetError::BadRows {
        rows: rows.len(),
        label_lists: labels.len(),
    };
    let Some(parts) = HeldOut::new(rows.len(), seed).filter(|_| rows.len() == labels.len()) else {
        return Err(bad_rows);
    };
    let candidates = candidates(rows, CompactLabels::estimate(labels), max_bytes, executor)?;
    let judge = Judge {
        voting,
        queries: rows.select(&parts.judge),
        labels: labels.select(&parts.fit),
        truth: labels.select(&parts.judge),
    };
    let fit = rows.select(&parts.fit);
    let mut tried = Vec::with_capacity(candidates.len());
    for (options, bytes) in candidates {
        let index = CompactIndex::build(&fit, &options)?;
        let (precision, words) =
            judge.precision(&index, executor, |scratch| scratch.words_read() as u64);
        tried.push(BudgetTrial {
            options,
            bytes,
            precision,
            words_read: words as f64 / parts.judge.len() as f64,
        });
    }
    let (exact, _) = judge.precision(&exact(&fit), executor, |_| 0);
    let chosen = choose(&tried);
    let index = CompactIndex::build(rows, &tried[chosen].options)?;
    let report = BudgetReport {
        max_bytes,
        held_out: parts.judge.len(),
        exact,
        tried,
        chosen,
    };
    Ok((index, CompactLabels::new(labels)?, report))
}

/// The settings worth trying with their bytes, at least one.
fn candidates<E: Executor>(
    rows: &SparseRows,
    label_bytes: u64,
    max_bytes: u64,
    executor: &E,
) -> Result<Vec<(CompactOptions, u64)>, BudgetError> {
    let longest = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    // Keeping more weights than any row has changes nothing: of those only the fewest is tried.
    let useless = ROW_WEIGHTS
        .iter()
        .filter(|&&weights| usize::from(weights) >= longest)
        .count();
    let ladder = &ROW_WEIGHTS[useless.saturating_sub(1)..];
    let fitting = executor.map(
        SHARES.len(),
        || (),
        |(), at| fitting(rows, SHARES[at], ladder, label_bytes, max_bytes),
    );
    let (mut found, mut smallest) = (Vec::new(), u64::MAX);
    for of_share in fitting {
        let (fitting, least) = of_share?;
        found.extend(fitting);
        smallest = smallest.min(least);
    }
    if found.is_empty() {
        return Err(BudgetError::TooSmall {
            max_bytes,
            smallest,
        });
    }
    Ok(found)
}

type Fitting = (Vec<(CompactOptions, u64)>, u64);

/// The two largest settings of one share that fit, and the bytes of the smallest setting.
fn fitting(
    rows: &SparseRows,
    max_share: f64,
    ladder: &[u8],
    label_bytes: u64,
    max_bytes: u64,
) -> Result<Fitting, CompactError> {
    let setting = |at: usize| -> Result<(CompactOptions, u64), CompactError> {
        let options = CompactOptions {
            max_share,
            row_weights: ladder[at],
            ..CompactOptions::default()
        };
        Ok((
            options,
            label_bytes + CompactIndex::estimate(rows, &options)?,
        ))
    };
    let (_, smallest) = setting(ladder.len() - 1)?;
    // Fewer weights take fewer bytes, but for a few words: halving finds where they begin to fit.
    let (mut low, mut high) = (0, ladder.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if setting(middle)?.1 <= max_bytes {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let mut found = Vec::new();
    for at in low..(low + 2).min(ladder.len()) {
        found.push(setting(at)?);
    }
    found.retain(|&(_, bytes)| bytes <= max_bytes);
    Ok((found, smallest))
}

/// The quickest of the trials that are as good as the best.
fn choose(tried: &[BudgetTrial]) -> usize {
    let mean = |trial: &BudgetTrial| trial.precision.mean();
    let best = tried.iter().map(mean).fold(0.0, f64::max);
    let close = (0..tried.len()).filter(|&at| mean(&tried[at]) >= best - CLOSE);
    close
        .min_by(|&a, &b| tried[a].words_read.total_cmp(&tried[b].words_read))
        .unwrap_or(0)
}

/// What an index is judged by.
struct Judge<'a> {
    voting: &'a Voting,
    queries: SparseRows,
    labels: LabelLists,
    truth: LabelLists,
}

impl Judge<'_> {
    /// The precision of the votes of what `index` finds, and the sum of `cost` over the searches.
    fn precision<E: Executor, I: NeighborSearch>(
        &self,
        index: &I,
        executor: &E,
        cost: impl Fn(&I::Scratch) -> u64 + Sync,
    ) -> (Precision, u64) {
        let by_row = executor.map(
            self.queries.len(),
            || (index.scratch(), Votes::default()),
            |(scratch, votes), row| {
                let Voting {
                    neighbors,
                    alpha,
                    beta,
                } = *self.voting;
                votes.clear(self.labels.labels() as usize);
                for found in index.nearest(self.queries.row(row), neighbors, beta, scratch) {
                    let carried = self.labels.row(found.id as usize).iter().copied();
                    votes.add(found.score, alpha, carried);
                }
                let hits = Hits::count(votes.best(Precision::DEPTH), self.truth.row(row));
                (hits, cost(scratch))
            },
        );
        let (mut hits, mut total) = (Hits::default(), 0);
        for (of_row, cost) in by_row {
            hits.add(of_row);
            total += cost;
        }
        (hits.over(self.queries.len()), total)
    }
}

#[cfg(test)]
mod tests {
    use super::{BudgetError, Voting, fit_to_budget};
    use crate::{
        data::LabelLists,
        executor::Sequential,
        model::plain_search::PlainSearch,
        random::Stream,
        search::compact::{CompactIndex, CompactLabels},
        sparse::{SparseRows, SparseVec},
    };

    const VOTING: Voting = Voting {
        neighbors: 10,
        alpha: 2.0,
        beta: 1.0,
    };

    /// 600 rows of 40 features, of which the heaviest tell the class.
    fn data() -> (SparseRows, LabelLists) {
        let (mut rows, mut labels) = (SparseRows::new(900), LabelLists::new(30));
        let mut dice = Stream::new(5, 0);
        for row in 0..600 {
            let class = row % 30;
            let noise = (0..30).map(|_| (dice.below(900) as u32, 0.5));
            let telling = (0..10).map(|at| (class * 30 + at * 3, 1.5 + at as f32 / 16.0));
            let row = SparseVec::from_pairs(noise.chain(telling)).unwrap();
            rows.push(row.view()).unwrap();
            labels.push([class]);
        }
        (rows, labels)
    }

    #[test]
    fn the_chosen_index_fits_and_loses_nothing() {
        let (rows, labels) = data();
        let search = |rows: &SparseRows| PlainSearch(rows.clone());
        let fit = |max| fit_to_budget(&rows, &labels, &VOTING, max, 1, &Sequential, search);
        for max_bytes in [25_000, 1_000_000] {
            let (index, lists, report) = fit(max_bytes).unwrap();
            let chosen = &report.tried[report.chosen];
            assert_eq!(chosen.bytes, (index.bytes() + lists.bytes()) as u64);
            assert_eq!(lists, CompactLabels::new(&labels).unwrap());
            assert_eq!(index, CompactIndex::build(&rows, &chosen.options).unwrap());
            assert!(report.tried.iter().all(|trial| trial.bytes <= max_bytes));
            assert!(chosen.precision.mean() >= report.exact.mean() - 0.001);
            assert_eq!(report.held_out, 60);
        }
    }

    #[test]
    fn a_budget_that_cannot_be_met_names_the_smallest_that_can() {
        let (rows, labels) = data();
        let search = |rows: &SparseRows| PlainSearch(rows.clone());
        let fit = |max| fit_to_budget(&rows, &labels, &VOTING, max, 1, &Sequential, search);
        let Err(BudgetError::TooSmall { smallest, .. }) = fit(100) else {
            panic!("100 bytes suffice");
        };
        assert!(fit(smallest - 1).is_err());
        let (index, lists, _) = fit(smallest).unwrap();
        assert_eq!((index.bytes() + lists.bytes()) as u64, smallest);
    }

    #[test]
    fn refuses_rows_without_labels() {
        let (rows, _) = data();
        let labels = LabelLists::new(3);
        let search = |rows: &SparseRows| PlainSearch(rows.clone());
        let refusal = fit_to_budget(&rows, &labels, &VOTING, 1 << 20, 1, &Sequential, search);
        assert!(matches!(refusal, Err(BudgetError::BadRows { .. })));
    }
}
