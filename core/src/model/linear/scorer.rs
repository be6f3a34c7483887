//! A linear model made ready for speed: the same scores to the bit as
//! [`LinearModel::predict`], from arrays a vector unit can walk.
//!
//! Labels are renumbered by falling number of weights. A feature's weights then crowd at the front:
//! up to a length chosen for each feature they are stored as a dense line of bytes (the head),
//! behind it as packed pairs of label and weight (the tail). For one row, the heads of its features
//! are added as whole vectors, the tails one weight at a time. Labels beyond 65,536 form further
//! pages, which have only tails.
//!
//! Memory: 4 bytes a weight of the tails, 1 a label of the heads, 2 where weights have 16 bits (at
//! most 16 times their weights), 4 a feature and page, 16 a label. Cost of a row: the lengths of
//! its features' heads over the vector width, its features' tail weights, and L for the choice of
//! the best.

mod assemble;
mod oracle;
mod visits;
mod width;

use super::{LinearModel, build::LabelWeights, query::Query};
use crate::kernels::sums::{BLOCKS, GROUP, HEAD_BLOCK, HeadTerm, LabelBounds, LabelSum, TailTerm};
use crate::parameters::RowTransform;
use crate::{
    executor::Executor,
    kernels::Kernels,
    search::{Scored, Top},
    sparse::{SparseRows, SparseView},
};
use alloc::{boxed::Box, vec::Vec};
pub use oracle::ScoreAll;
use width::{Heads, Weight, zeros};

const PAGE: usize = 1 << 16;

/// Blocks that are looked at first, alone.
const FIRST_BLOCKS: usize = 2;

/// See the module's text.
#[derive(Clone, Debug)]
pub(crate) struct LinearScorer {
    transform: RowTransform,
    features: u32,
    /// Label of each number.
    order: Vec<u32>,
    /// Number of each label.
    numbers: Vec<u32>,
    /// Scale and bias of each number.
    scales: Vec<f32>,
    biases: Vec<f32>,
    bounds: LabelBounds,
    /// How many labels have weights: those from here on have none, and none of them a bias above
    /// `silent`.
    weighted: usize,
    silent: f32,
    heads: Heads,
    /// Where each feature's head starts and how long it is.
    head_parts: Vec<(u32, u32)>,
    tails: Vec<u32>,
    /// For each feature the starts of its tails, one a page, and the end of the last.
    tail_offsets: Vec<u32>,
}

/// Memory for a scorer, reused from row to row.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScorerScratch {
    /// The sums of a page, zero between pages: of weights of bytes, and of weights of 16 bits.
    sums: Option<Box<[i16; PAGE]>>,
    wide_sums: Option<Box<[i32; PAGE]>>,
    ranking: Ranking,
}

/// What is known of a row while its labels are ranked.
#[derive(Clone, Debug, Default)]
struct Ranking {
    query: Query,
    head_terms: Vec<HeadTerm>,
    tail_terms: Vec<TailTerm>,
    top: Top,
    /// Labels whose scores are wanted whatever their rank: number and place in `scores`, by rising
    /// number.
    wanted: Vec<(u32, u32)>,
    scores: Vec<f32>,
}

impl LinearScorer {
    /// Bytes held.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        16 * self.order.len()
            + self.heads.bytes()
            + 8 * self.head_parts.len()
            + 4 * (self.tails.len() + self.tail_offsets.len())
    }

    /// The `k` best labels for `row`, best first: all labels are scored.
    pub(crate) fn predict<'a>(
        &self,
        row: SparseView<'_>,
        k: usize,
        kernels: &dyn Kernels,
        scratch: &'a mut ScorerScratch,
    ) -> &'a [Scored] {
        self.predict_with(row, k, [].into_iter(), kernels, scratch)
            .0
    }

    /// As [`LinearScorer::predict`], and the scores of the labels `wanted` in their order
    /// (`f32::MIN` for what is no label), which take no more than looking them up.
    pub(crate) fn predict_with<'a>(
        &self,
        row: SparseView<'_>,
        k: usize,
        wanted: impl Iterator<Item = u32>,
        kernels: &dyn Kernels,
        scratch: &'a mut ScorerScratch,
    ) -> (&'a [Scored], &'a [f32]) {
        let ranking = &mut scratch.ranking;
        ranking.wanted.clear();
        let numbers = wanted.map(|label| {
            self.numbers
                .get(label as usize)
                .copied()
                .unwrap_or(u32::MAX)
        });
        ranking.wanted.extend(numbers.zip(0..));
        ranking.wanted.sort_unstable();
        ranking.scores.clear();
        ranking.scores.resize(ranking.wanted.len(), f32::MIN);
        ranking.query.set(row, self.transform, self.features);
        self.best(k, kernels, scratch);
        (scratch.ranking.top.sorted(), &scratch.ranking.scores)
    }

    /// The `k` best labels (or all, if there are fewer) for each of `rows`, row by row.
    pub(crate) fn predict_rows(
        &self,
        rows: &SparseRows,
        k: usize,
        kernels: &dyn Kernels,
        executor: &Executor,
    ) -> Vec<Scored> {
        const BLOCK: usize = 128;
        let blocks = executor.map(
            rows.len().div_ceil(BLOCK),
            ScorerScratch::default,
            |scratch, block| {
                let mut found = Vec::with_capacity(BLOCK * k.min(self.order.len()));
                for row in block * BLOCK..((block + 1) * BLOCK).min(rows.len()) {
                    found.extend_from_slice(self.predict(rows.row(row), k, kernels, scratch));
                }
                found
            },
        );
        blocks.into_iter().flatten().collect()
    }

    /// Scores all labels for the scratch's query and keeps the `k` best.
    fn best(&self, k: usize, kernels: &dyn Kernels, scratch: &mut ScorerScratch) {
        scratch.ranking.top.reset(k);
        match &self.heads {
            Heads::Bytes(heads) => {
                let sums = scratch.sums.get_or_insert_with(zeros);
                self.best_of(heads, sums, kernels, &mut scratch.ranking);
            }
            Heads::Wide(heads) => {
                let sums = scratch.wide_sums.get_or_insert_with(zeros);
                self.best_of(heads, sums, kernels, &mut scratch.ranking);
            }
        }
    }

    /// Offers all labels to the best; the sums are 0, before and after.
    fn best_of<W: Weight>(
        &self,
        heads: &[W],
        sums: &mut [W::Sum; PAGE],
        kernels: &dyn Kernels,
        ranking: &mut Ranking,
    ) {
        for (page, numbers) in self.order.chunks(PAGE).enumerate() {
            self.add_up(page, heads, sums, kernels, ranking);
            self.look_up(page * PAGE, &sums[..numbers.len()], ranking);
            self.choose::<W>(page * PAGE, numbers, sums, kernels, ranking);
        }
    }

    /// Adds the weights of the query's features to the sums of a page's labels.
    fn add_up<W: Weight>(
        &self,
        page: usize,
        heads: &[W],
        sums: &mut [W::Sum; PAGE],
        kernels: &dyn Kernels,
        ranking: &mut Ranking,
    ) {
        if page == 0 {
            let padded = self.order.len().min(PAGE).next_multiple_of(HEAD_BLOCK);
            self.heads_of(&ranking.query, &mut ranking.head_terms);
            W::add_heads(kernels, &mut sums[..padded], heads, &ranking.head_terms);
        }
        if page * PAGE < self.weighted {
            self.tails_of(page, &ranking.query, &mut ranking.tail_terms);
            W::add_tails(kernels, sums, &self.tails, &ranking.tail_terms);
        }
    }

    /// The scores of all labels for `row`, by label, in place of what is in `out`.
    pub(crate) fn scores(
        &self,
        row: SparseView<'_>,
        kernels: &dyn Kernels,
        scratch: &mut ScorerScratch,
        out: &mut Vec<f32>,
    ) {
        out.clear();
        out.resize(self.order.len(), 0.0);
        let ranking = &mut scratch.ranking;
        ranking.query.set(row, self.transform, self.features);
        match &self.heads {
            Heads::Bytes(heads) => {
                let sums = scratch.sums.get_or_insert_with(zeros);
                self.scores_of(heads, sums, kernels, ranking, out);
            }
            Heads::Wide(heads) => {
                let sums = scratch.wide_sums.get_or_insert_with(zeros);
                self.scores_of(heads, sums, kernels, ranking, out);
            }
        }
    }

    /// The scores of all labels; the sums are 0, before and after.
    fn scores_of<W: Weight>(
        &self,
        heads: &[W],
        sums: &mut [W::Sum; PAGE],
        kernels: &dyn Kernels,
        ranking: &mut Ranking,
        out: &mut [f32],
    ) {
        let unit = ranking.query.unit;
        let mut first = 0;
        for (page, numbers) in self.order.chunks(PAGE).enumerate() {
            self.add_up(page, heads, sums, kernels, ranking);
            let of_labels = self.scales[first..].iter().zip(&self.biases[first..]);
            let sums = &mut sums[..numbers.len()];
            for ((&label, &sum), (&scale, &bias)) in numbers.iter().zip(&*sums).zip(of_labels) {
                out[label as usize] = sum.score(scale, bias, unit);
            }
            sums.fill(W::Sum::default());
            first += PAGE;
        }
    }

    /// The scores of those wanted labels whose numbers are among those of these sums, the first of
    /// which is that of `first`.
    fn look_up<S: LabelSum>(&self, first: usize, sums: &[S], ranking: &mut Ranking) {
        let before = |end: usize| ranking.wanted.partition_point(|w| (w.0 as usize) < end);
        let unit = ranking.query.unit;
        for &(number, place) in &ranking.wanted[before(first)..before(first + sums.len())] {
            let number = number as usize;
            let (scale, bias) = (self.scales[number], self.biases[number]);
            ranking.scores[place as usize] = sums[number - first].score(scale, bias, unit);
        }
    }

    fn heads_of(&self, query: &Query, terms: &mut Vec<HeadTerm>) {
        terms.clear();
        for (&feature, &value) in query.features.iter().zip(&query.values) {
            let (start, length) = self.head_parts[feature as usize];
            if length > 0 && value != 0 {
                terms.push(HeadTerm {
                    start,
                    length,
                    value,
                });
            }
        }
    }

    fn tails_of(&self, page: usize, query: &Query, terms: &mut Vec<TailTerm>) {
        terms.clear();
        let pages = self.order.len().div_ceil(PAGE);
        for (&feature, &value) in query.features.iter().zip(&query.values) {
            let at = feature as usize * pages + page;
            let (start, end) = (self.tail_offsets[at], self.tail_offsets[at + 1]);
            if start < end && value != 0 {
                terms.push(TailTerm { start, end, value });
            }
        }
    }

    /// Offers the labels `numbers`, the first of which has number `first`, to the best, and sets
    /// their sums to zero.
    fn choose<W: Weight>(
        &self,
        first: usize,
        numbers: &[u32],
        sums: &mut [W::Sum; PAGE],
        kernels: &dyn Kernels,
        ranking: &mut Ranking,
    ) {
        let unit = ranking.query.unit;
        let mut start = 0;
        while start < numbers.len() {
            let least = least(&ranking.top);
            if first + start >= self.weighted && least > self.silent {
                // The sums from here on are 0 already.
                break;
            }
            // Labels of many weights come first: the best of a few say what most others fall short
            // of.
            let blocks = match (first + start) / HEAD_BLOCK {
                0 => FIRST_BLOCKS,
                FIRST_BLOCKS => GROUP - FIRST_BLOCKS,
                _ => BLOCKS,
            };
            let ids = &numbers[start..numbers.len().min(start + blocks * HEAD_BLOCK)];
            let end = start + ids.len().next_multiple_of(HEAD_BLOCK);
            let sums = &mut sums[start..end];
            let block = (first + start) / HEAD_BLOCK;
            let mut promising = kernels.promising_blocks(sums, &self.bounds, block, unit, least);
            while promising != 0 {
                let at = promising.trailing_zeros() as usize * HEAD_BLOCK;
                promising &= promising - 1;
                let ids = &ids[at..ids.len().min(at + HEAD_BLOCK)];
                let sums = &sums[at..at + ids.len()];
                self.choose_block::<W>(first + start + at, ids, sums, kernels, ranking);
            }
            sums.fill(W::Sum::default());
            start = end;
        }
    }

    /// Offers the labels `ids` of a block, the first of which has number `first`, to the best.
    fn choose_block<W: Weight>(
        &self,
        first: usize,
        ids: &[u32],
        sums: &[W::Sum],
        kernels: &dyn Kernels,
        ranking: &mut Ranking,
    ) {
        let mut scores = [0f32; HEAD_BLOCK];
        let range = first..first + ids.len();
        let of_labels = (&self.scales[range.clone()], &self.biases[range]);
        let (top, unit) = (&mut ranking.top, ranking.query.unit);
        let mut least = least(top);
        let mut above = kernels.scores(sums, of_labels, unit, least, &mut scores);
        while above != 0 {
            let at = above.trailing_zeros() as usize;
            above &= above - 1;
            // What is needed rises with each that is taken.
            if let (Some(&id), score) = (ids.get(at), scores[at])
                && score >= least
            {
                top.push(Scored { id, score });
                least = self::least(top);
            }
        }
    }
}

/// The score that a label needs to be among the best.
fn least(top: &Top) -> f32 {
    top.threshold()
        .map_or(f32::NEG_INFINITY, |worst| worst.score)
}

/// The weights of a model by label.
pub(crate) fn decode(model: &LinearModel) -> Vec<LabelWeights> {
    let scales = &model.parts().scales;
    let mut labels: Vec<LabelWeights> = scales
        .iter()
        .enumerate()
        .map(|(label, &scale)| LabelWeights {
            scale,
            // The bias that labels never seen answer with is not one that a file may hold.
            bias: if scale == 0.0 {
                0.0
            } else {
                model.bias(label as u32)
            },
            ..LabelWeights::default()
        })
        .collect();
    for feature in 0..model.features() {
        let each: &mut dyn FnMut(u32, i16) = &mut |label, weight| {
            if let Some(label) = labels.get_mut(label as usize) {
                label.features.push(feature);
                label.weights.push(weight);
            }
        };
        model.visit(feature, each);
    }
    labels
}
