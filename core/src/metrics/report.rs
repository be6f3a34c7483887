//! The figures of an evaluation.

use super::{evaluation::Evaluation, tally::Tally};
use alloc::vec::Vec;

/// Plain numbers, all but the counts in `[0, 1]`.
///
/// A vector has one number for each of [`Report::ks`]. Over N rows, row i with the labels
/// `y_i`, of which `hits_i(k)` are among its first k answers. Rows without labels count as 0 in
/// every mean over rows, as in the Extreme Classification Repository's evaluation code:
/// [`Report::rows_without_labels`] tells how many there are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Number of rows N.
    pub rows: u64,
    /// How many rows have no label.
    pub rows_without_labels: u64,
    /// Mean number of labels of a row.
    pub labels_per_row: f64,
    /// The k at which figures were computed, rising.
    pub ks: Vec<usize>,
    /// P@k: the mean of `hits_i(k) / k`, whatever the number of labels.
    pub precision: Vec<f64>,
    /// The highest P@k any ranking could reach: the mean of `min(k, |y_i|) / k`.
    pub attainable_precision: Vec<f64>,
    /// RP@k, R-precision at k: the mean of `hits_i(k) / min(k, |y_i|)`. A row with fewer than k
    /// labels can reach 1, as it cannot in P@k. Chalkidis et al. (ACL 2019) report it on EURLEX57K;
    /// the paper on MACH calls it precision.
    pub r_precision: Vec<f64>,
    /// R@k: the mean of `hits_i(k) / |y_i|`.
    pub recall: Vec<f64>,
    /// nDCG@k: the mean of `DCG_i(k) / ideal(min(k, |y_i|))`, where a hit at rank r gains
    /// `1 / log2(r + 1)` and `ideal(m)` is the gain of hits at the ranks 1 to m.
    pub ndcg: Vec<f64>,
    /// PSP@k: the sum over rows of the hits' inverse propensities, divided by the most any ranking
    /// could have reached.
    pub psp: Option<Vec<f64>>,
    /// PSnDCG@k: the mean of
    /// `sum of discounted inverse propensities of hits / ideal(min(k, |y_i|))`, divided by the most
    /// any ranking could have reached.
    pub psndcg: Option<Vec<f64>>,
    /// Coverage@k: the share of the labels in the truth of all rows that are a hit among the first
    /// k answers of at least one row.
    pub coverage: Vec<f64>,
    /// The share of rows whose first answer is one of their labels. On single-label data this is
    /// accuracy as everyone knows it; in general it is P@1. It is not the share of rows whose
    /// whole set of labels is right.
    pub accuracy: f64,
    /// How many first answers of a row made its predicted set, for F1.
    pub cut: usize,
    /// F1 over all pairs of row and label. Equal to accuracy on single-label data with a cut of 1
    /// if every row has an answer.
    pub micro_f1: f64,
    /// Example-F1: the mean over rows of `2 |p_i ∩ y_i| / (|p_i| + |y_i|)`, where `p_i` is the
    /// predicted set of row i (scikit-learn's `average="samples"`).
    pub example_f1: f64,
    /// The mean of the labels' F1, over the labels that occur in truth or predicted sets
    /// (scikit-learn's rule).
    pub macro_f1: f64,
    /// The harmonic mean of the labels' mean precision and mean recall, over the same labels: what
    /// some papers call macro-F1. It is never smaller than [`Report::macro_f1`], rounding
    /// apart.
    pub macro_f1_of_means: f64,
}

impl Report {
    pub(super) fn of(evaluation: &Evaluation<'_>) -> Self {
        let rows = evaluation.rows;
        let each = |figure: &dyn Fn(usize, &Tally) -> f64| -> Vec<f64> {
            let both = evaluation.ks.iter().zip(&evaluation.tallies);
            both.map(|(&k, tally)| figure(k, tally)).collect()
        };
        let per_answer = |count: u64, k: usize| count as f64 / (rows as f64 * k as f64);
        let weighted = evaluation.options.propensities.is_some();
        let (macro_f1, macro_f1_of_means) = evaluation.label_counts.macro_f1();
        Self {
            rows,
            rows_without_labels: evaluation.rows_without_labels,
            labels_per_row: evaluation.labels as f64 / rows as f64,
            ks: evaluation.ks.clone(),
            precision: each(&|k, tally| per_answer(tally.hits, k)),
            attainable_precision: each(&|k, tally| per_answer(tally.attainable, k)),
            r_precision: each(&|_, tally| tally.capped.mean(rows)),
            recall: each(&|_, tally| tally.recall.mean(rows)),
            ndcg: each(&|_, tally| tally.ndcg.mean(rows)),
            psp: weighted.then(|| each(&|_, tally| tally.weighted.share_of(tally.weighted_best))),
            psndcg: weighted
                .then(|| each(&|_, tally| tally.weighted_ndcg.share_of(tally.weighted_ndcg_best))),
            coverage: each(&|k, _| evaluation.label_counts.coverage(k)),
            accuracy: evaluation.first_hits as f64 / rows as f64,
            cut: evaluation.options.cut,
            micro_f1: evaluation.label_counts.micro_f1(),
            example_f1: evaluation.example_f1.mean(rows),
            macro_f1,
            macro_f1_of_means,
        }
    }
}
