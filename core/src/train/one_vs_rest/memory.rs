//! How much memory one-vs-rest training will need, before it begins.

use crate::data::Dataset;
use crate::parameters::one_vs_rest::{Bias, OneVsRest};
use crate::train::softmax::dense_bytes;
use alloc::vec;

/// Bytes a kept weight takes while rows are mined: by label, by feature, and in the scorer.
const BYTES_A_WEIGHT: u64 = 24;

/// With less pruning nearly all weights are kept that do not round to 0.
const HARDLY_PRUNED: f32 = 0.005;

/// Weights a label keeps beyond those its share of the values explains.
const WEIGHTS_A_LABEL: u64 = 256;

/// Bytes a kept weight takes where nothing is mined: by label and by feature.
const BYTES_A_PROVEN_WEIGHT: u64 = 12;

/// Bytes of one thread beside what grows with features and rows: the sums of the scorer and the
/// weights worth keeping.
const BYTES_A_THREAD: u64 = 1 << 20;

/// Bytes of one thread a feature and a row, in which sixteen labels are solved:
/// [`super::trainer::BlockScratch`].
const BYTES_OF_BLOCK: [u64; 2] = [68, 76];

impl OneVsRest {
    /// An estimate, in bytes, of the most memory that training on `data` with `threads` threads
    /// will hold at once, without `data` itself.
    ///
    /// Packed rows, mined rows and proposals are counted; how many weights survive pruning is not
    /// known beforehand, so they are put at half the stored values and 256 a label, or one for each
    /// value and label of each row if that is less; hardly pruned at all, at one for each label and
    /// feature of as many rows as a label is trained on.
    #[must_use]
    pub(crate) fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
        let groups = |most: usize| packed(data, most);
        let (rows, labels) = (data.len() as u64, u64::from(data.labels().labels()));
        let features = u64::from(data.rows().features());
        let rounds = match self.takes_all(data) {
            true => 0,
            false => u64::from(self.rounds) - 1,
        };
        let (short, weight) = match rounds {
            0 => (0, BYTES_A_PROVEN_WEIGHT),
            _ => (groups(self.short_terms as usize), BYTES_A_WEIGHT),
        };
        // Proposals of a round with room to grow, and as lists by label beside those of all rounds,
        // old and new.
        let mined = rows * u64::from(self.mine).min(labels);
        let proposals = rounds.min(1) * 24 * rows + (4 + 8 * rounds) * rounds.min(1) * mined;
        let [a_feature, a_row] = BYTES_OF_BLOCK;
        let scratch =
            threads.max(1) as u64 * (BYTES_A_THREAD + a_feature * features + a_row * rows);
        // The weights again, by feature and as a model, with those of softmax regression.
        let softmax = match self.softmax > 0.0 {
            true => {
                let thread = 20 * labels * threads.max(1) as u64;
                let rows = 4 * data.rows().nonzeros() as u64 + 8 * rows;
                let pairs = 32 * self.kept_weights(data) + 8 * features;
                pairs + rows + dense_bytes(data) + thread
            }
            false => 0,
        };
        groups(usize::MAX)
            + softmax
            + short
            + 4 * data.labels().total() as u64
            + proposals
            + weight * self.kept_weights(data)
            + 112 * labels
            + 24 * features
            + scratch
    }

    /// The same for training to a proven gap ([`OneVsRest::proving`]), where each thread has the
    /// weights and duals of sixteen labels.
    #[must_use]
    pub fn proving_memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
        let (rows, labels) = (data.len() as u64, u64::from(data.labels().labels()));
        let features = u64::from(data.rows().features());
        // Of labels that are finished one by one: dense weights and their rows.
        let single = 4 * features.max(1 << 16) + 8 * features + 44 * rows;
        let block = 192 * features + BYTES_OF_BLOCK[1] * rows;
        packed(data, usize::MAX)
            + 4 * data.labels().total() as u64
            + BYTES_A_PROVEN_WEIGHT * self.kept_weights(data)
            + 72 * labels
            + 24 * features
            + threads.max(1) as u64 * (block + single)
    }

    /// About how many weights survive pruning.
    fn kept_weights(&self, data: &Dataset) -> u64 {
        let labels = u64::from(data.labels().labels());
        // Where all labels begin above 0, each feature of the others' rows has to pull them down.
        let begin_above = matches!(self.bias, Bias::Fixed(bias) if bias > 0.0);
        if self.prune < HARDLY_PRUNED || begin_above {
            let rows = match self.takes_all(data) {
                true => data.len(),
                false => data.len().min(self.pool as usize),
            };
            return labels * features_of(data, rows);
        }
        let stored = data.rows().nonzeros() as u64;
        let lists = data.labels().iter().zip(data.rows().iter());
        let pairs: u64 = lists
            .map(|(labels, row)| (labels.len() * row.len()) as u64)
            .sum();
        pairs.min(stored / 2 + WEIGHTS_A_LABEL * labels)
    }
}

/// How many features occur in `count` of the rows, spread over all.
fn features_of(data: &Dataset, count: usize) -> u64 {
    let mut seen = vec![false; data.rows().features() as usize];
    let step = (data.len() / count.max(1)).max(1);
    for row in data.rows().iter().step_by(step) {
        row.indices()
            .iter()
            .for_each(|&feature| seen[feature as usize] = true);
    }
    seen.iter().filter(|&&seen| seen).count() as u64
}

/// Bytes of the packed rows of `data`, of which the `most` largest values are kept.
fn packed(data: &Dataset, most: usize) -> u64 {
    let rows = data.rows().iter();
    rows.map(|row| 32 * row.len().min(most).div_ceil(8) as u64 + 32)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::{Bias, OneVsRest};
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        parameters::one_vs_rest::Negatives,
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::Training,
    };
    use alloc::vec::Vec;

    /// 300 rows of random features, about so many each, and a label.
    fn data(features: u32, values: usize, labels: u32) -> Dataset {
        let mut stream = Stream::new(4, 4);
        let mut rows = SparseRows::new(features);
        let mut lists = LabelLists::new(labels);
        for _ in 0..300 {
            let mut feature = || stream.below(u64::from(features)) as u32;
            let own: Vec<u32> = (0..values).map(|_| feature()).collect();
            let pairs = own.iter().map(|&id| (id, 1.0 + stream.unit() as f32));
            rows.push(SparseVec::from_pairs(pairs).unwrap().view())
                .unwrap();
            lists.push([stream.below(u64::from(labels)) as u32]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    #[test]
    fn the_estimate_covers_what_training_holds() {
        let (few, many) = (data(500, 30, 40), data(1_000, 5, 250));
        let dense = data(40, 60, 90);
        let learned = OneVsRest::default().bias;
        for (data, negatives, rounds, softmax, prune, bias) in [
            (&few, Negatives::All, 1, 0.0, 0.04, learned),
            (&few, Negatives::Mined, 2, 0.0, 0.04, learned),
            (&few, Negatives::Mined, 5, 0.0, 0.04, learned),
            (&few, Negatives::All, 1, 0.1, 0.04, learned),
            (&dense, Negatives::All, 1, 0.1, 0.0, learned),
            (&few, Negatives::All, 1, 0.0, 0.0, learned),
            (&few, Negatives::Mined, 2, 0.0, 0.0, learned),
            (&many, Negatives::Mined, 2, 0.0, 0.04, Bias::Fixed(1.0)),
        ] {
            let parameters = OneVsRest {
                bias,
                short_terms: 8,
                negatives,
                rounds,
                softmax,
                prune,
                ..OneVsRest::default()
            };
            // What a thread holds is no part of what the trainer does.
            let [one, two] = [1, 2].map(|threads| parameters.memory_estimate(data, threads));
            let estimate = one - (two - one);
            let mut trainer = parameters.trainer(data, &Sequential, &Portable).unwrap();
            let mut most = trainer.bytes();
            while trainer.step(&Sequential).is_some() {
                most = most.max(trainer.bytes());
            }
            assert!(
                most as u64 <= estimate && most > 10_000,
                "{most} bytes, {estimate} estimated"
            );
        }
    }
}
