//! The best compact index within a number of bytes.

use super::judge::HeldOut;
use crate::model::nearest::{Index, Nearest};
use crate::{
    executor::Executor,
    kernels::Kernels,
    search::compact::{CompactError, CompactIndex, CompactLabels, CompactOptions},
    sparse::SparseRows,
    train::{CompactionError, Precision},
};
use alloc::vec::Vec;

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
    /// The most bytes allowed for index and label lists.
    pub max_bytes: u64,
    /// Number of held-out rows.
    pub held_out: usize,
    /// Precision on the same held-out rows before compacting.
    pub before: Precision,
    /// Every setting tried.
    pub tried: Vec<BudgetTrial>,
    /// Which of them was chosen.
    pub chosen: usize,
}

/// Document-frequency shares tried, largest first.
const SHARES: [f64; 2] = [1.0, 0.2];

/// Weights kept of a row, most first.
const ROW_WEIGHTS: [u8; 17] = [
    255, 160, 112, 80, 64, 48, 40, 36, 32, 28, 24, 20, 16, 12, 8, 6, 4,
];

/// Settings whose mean precision is this close are equally good: the quicker one is chosen.
const CLOSE: f64 = 0.001;

impl Nearest {
    /// The model with the compact index that does best on a held-out tenth of the rows (at most
    /// 5,000, drawn by `seed`) among those that fit, with the label lists, into `max_bytes`.
    ///
    /// For each share of document frequencies the largest number of weights kept of a row that fits
    /// is tried. The best has the largest mean of P@1, P@3 and P@5; of all within 0.1 points of
    /// it, the one whose searches read the fewest words is chosen.
    ///
    /// # Errors
    /// See [`CompactionError`].
    pub(crate) fn compacted(
        &self,
        max_bytes: u64,
        seed: u64,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<(Self, BudgetReport), CompactionError> {
        let current = self.folded()?;
        let rows = current.index.to_rows()?;
        let labels = current.labels.to_lists();
        let candidates = candidates(&rows, CompactLabels::estimate(&labels), max_bytes, executor)?;
        let parts = HeldOut::new(&rows, &labels, seed)?;
        let voting = [(self.parameters.alpha, self.parameters.neighbors)];
        let judge = |index: &Index| parts.judge(index, self.similarity, &voting, executor, kernels);
        let mut tried = Vec::with_capacity(candidates.len());
        for (options, bytes) in candidates {
            let index = Index::Compact(CompactIndex::build(&parts.rows, &options)?);
            let (mut found, words_read) = judge(&index)?;
            let precision = found[0].figures().precision;
            tried.push(BudgetTrial {
                options,
                bytes,
                precision,
                words_read,
            });
        }
        let (mut before, _) = judge(&Index::exact(&parts.rows)?)?;
        let chosen = choose(&tried);
        let index = Index::Compact(CompactIndex::build(&rows, &tried[chosen].options)?);
        let held_out = parts.queries.len();
        let report = BudgetReport {
            max_bytes,
            held_out,
            before: before[0].figures().precision,
            tried,
            chosen,
        };
        Ok((Self { index, ..current }, report))
    }
}

/// The settings worth trying with their bytes, at least one.
fn candidates(
    rows: &SparseRows,
    label_bytes: u64,
    max_bytes: u64,
    executor: &Executor,
) -> Result<Vec<(CompactOptions, u64)>, CompactionError> {
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
        return Err(CompactionError::TooSmall {
            max_bytes,
            smallest,
        });
    }
    Ok(found)
}

type Fitting = (Option<(CompactOptions, u64)>, u64);

/// The largest setting of one share that fits, and the bytes of the smallest setting.
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
    let found = if low < ladder.len() {
        Some(setting(low)?)
    } else {
        None
    };
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

#[cfg(test)]
mod tests {
    use super::BudgetReport;
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        model::Nearest,
        parameters::NearestParameters,
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::CompactionError,
    };

    /// 600 rows of 40 features, of which the heaviest tell the class.
    fn model() -> Nearest {
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
        let data = Dataset::new(rows, labels, None).unwrap();
        let parameters = NearestParameters {
            neighbors: 10,
            ..NearestParameters::default()
        };
        Nearest::train(parameters, &data).unwrap()
    }

    fn fit(model: &Nearest, max_bytes: u64) -> Result<(Nearest, BudgetReport), CompactionError> {
        model.compacted(max_bytes, 1, &Sequential, &Portable)
    }

    #[test]
    fn the_chosen_index_fits_and_loses_nothing() {
        let model = model();
        for max_bytes in [25_000, 1_000_000] {
            let (small, report) = fit(&model, max_bytes).unwrap();
            let chosen = &report.tried[report.chosen];
            assert_eq!(chosen.bytes, small.stored_bytes());
            assert!(report.tried.iter().all(|trial| trial.bytes <= max_bytes));
            assert!(chosen.precision.mean() >= report.before.mean() - 0.001);
            assert_eq!(report.held_out, 60);
        }
    }

    #[test]
    fn a_budget_that_cannot_be_met_names_the_smallest_that_can() {
        let model = model();
        let Err(CompactionError::TooSmall { smallest, .. }) = fit(&model, 100) else {
            panic!("100 bytes suffice");
        };
        assert!(fit(&model, smallest - 1).is_err());
        assert_eq!(fit(&model, smallest).unwrap().0.stored_bytes(), smallest);
    }

    #[test]
    fn a_compact_model_learns_forgets_and_folds() {
        let (mut small, _) = fit(&model(), 25_000).unwrap();
        let row = SparseVec::from_pairs([(7, 1.0), (900, 3.0)]).unwrap();
        let mut scratch = crate::model::nearest::NearestScratch::default();
        assert_eq!(small.learn(row.view(), &[30]), Ok(600));
        assert!(small.forget(3));
        let first =
            |model: &Nearest, scratch: &mut _| model.predict(row.view(), 1, scratch).unwrap()[0].id;
        assert_eq!(first(&small, &mut scratch), 30);
        let folded = small.folded().unwrap();
        assert_eq!(folded.len(), 600);
        assert_eq!(first(&folded, &mut scratch), 30);
    }
}
