//! A linear model made ready for speed: the same scores to the bit as
//! [`LinearModel::predict`], from arrays a vector unit can walk.
//!
//! Labels are renumbered by falling number of weights. A feature's weights then crowd at the
//! front: up to a length chosen for each feature they are stored as a dense line of bytes (the
//! head), behind it as packed pairs of label and weight (the tail). For one row, the heads of its
//! features are added as whole vectors, the tails one weight at a time. Labels beyond 65,536 form further pages, which have only tails.
//! Weights of 16 bits are only decoded ([`super::wide`]).
//!
//! Memory: 4 bytes a weight of the tails, 1 a label of the heads (at most 16 times their
//! weights), 4 a feature and page, 16 a label. Cost of a row: the lengths of its features' heads
//! over the vector width, its features' tail weights, and L for the choice of the best.

mod assemble;

use super::{
    LinearModel,
    build::LabelWeights,
    query::{Query, RowTransform},
    sums::{BLOCKS, GROUP, HEAD_BLOCK, HeadTerm, LabelBounds, TailTerm, score},
    wide::WideWeights,
};
use crate::{
    executor::Executor,
    kernels::Kernels,
    search::{MaxInnerProduct, Proposer, Scored, Top},
    sparse::{SparseRows, SparseView},
};
use alloc::{boxed::Box, vec, vec::Vec};

const PAGE: usize = 1 << 16;

/// Blocks that are looked at first, alone.
const FIRST_BLOCKS: usize = 2;

/// See the module's text.
#[derive(Clone, Debug)]
pub struct LinearScorer {
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
    /// How many labels have weights: those from here on have none, and none of them a bias above `silent`.
    weighted: usize,
    silent: f32,
    heads: Vec<i8>,
    /// Where each feature's head starts and how long it is.
    head_parts: Vec<(u32, u32)>,
    tails: Vec<u32>,
    /// For each feature the starts of its tails, one a page, and the end of the last.
    tail_offsets: Vec<u32>,
    /// All weights, where they have 16 bits: then there are neither heads nor tails, and labels keep their numbers.
    wide: Option<WideWeights>,
}

/// Memory for a scorer, reused from row to row.
#[derive(Clone, Debug)]
pub struct ScorerScratch {
    pub(super) query: Query,
    /// Zero between pages.
    sums: Box<[i16; PAGE]>,
    head_terms: Vec<HeadTerm>,
    tail_terms: Vec<TailTerm>,
    /// The sums of weights of 16 bits.
    pub(super) wide: Vec<i32>,
    pub(super) top: Top,
    /// Labels whose scores are wanted whatever their rank: number and place in `scores`, by rising number.
    pub(super) wanted: Vec<(u32, u32)>,
    pub(super) scores: Vec<f32>,
}

impl Default for ScorerScratch {
    fn default() -> Self {
        let sums = vec![0i16; PAGE].into_boxed_slice().try_into();
        Self {
            query: Query::default(),
            sums: sums.unwrap_or_else(|_| Box::new([0; PAGE])),
            head_terms: Vec::new(),
            tail_terms: Vec::new(),
            wide: Vec::new(),
            top: Top::default(),
            wanted: Vec::new(),
            scores: Vec::new(),
        }
    }
}

impl LinearScorer {
    /// Number of labels L.
    #[must_use]
    pub fn labels(&self) -> u32 {
        self.order.len() as u32
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        16 * self.order.len()
            + self.heads.len()
            + 8 * self.head_parts.len()
            + 4 * (self.tails.len() + self.tail_offsets.len())
            + self.wide.as_ref().map_or(0, WideWeights::bytes)
    }

    /// The `k` best labels for `row`, best first: all labels are scored.
    pub fn predict<'a>(
        &self,
        row: SparseView<'_>,
        k: usize,
        kernels: &dyn Kernels,
        scratch: &'a mut ScorerScratch,
    ) -> &'a [Scored] {
        self.predict_with(row, k, [].into_iter(), kernels, scratch)
            .0
    }

    /// As [`LinearScorer::predict`], and the scores of the labels `wanted` in their order (`f32::MIN` for what is
    /// no label), which take no more than looking them up.
    pub(crate) fn predict_with<'a>(
        &self,
        row: SparseView<'_>,
        k: usize,
        wanted: impl Iterator<Item = u32>,
        kernels: &dyn Kernels,
        scratch: &'a mut ScorerScratch,
    ) -> (&'a [Scored], &'a [f32]) {
        scratch.wanted.clear();
        let numbers = wanted.map(|label| {
            self.numbers
                .get(label as usize)
                .copied()
                .unwrap_or(u32::MAX)
        });
        scratch.wanted.extend(numbers.zip(0..));
        scratch.wanted.sort_unstable();
        scratch.scores.clear();
        scratch.scores.resize(scratch.wanted.len(), f32::MIN);
        scratch.query.set(row, self.transform, self.features);
        self.best(k, kernels, scratch);
        (scratch.top.sorted(), &scratch.scores)
    }

    /// The `k` best labels (or all, if there are fewer) for each of `rows`, row by row.
    pub fn predict_rows<E: Executor>(
        &self,
        rows: &SparseRows,
        k: usize,
        kernels: &dyn Kernels,
        executor: &E,
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
        scratch.top.reset(k);
        if let Some(wide) = &self.wide {
            return wide.best(&self.scales, &self.biases, scratch);
        }
        for (page, numbers) in self.order.chunks(PAGE).enumerate() {
            if page == 0 {
                let padded = numbers.len().next_multiple_of(HEAD_BLOCK);
                self.heads_of(&scratch.query, &mut scratch.head_terms);
                kernels.add_heads(
                    &mut scratch.sums[..padded],
                    &self.heads,
                    &scratch.head_terms,
                );
            }
            if page * PAGE < self.weighted {
                self.tails_of(page, &scratch.query, &mut scratch.tail_terms);
                kernels.add_tails(&mut scratch.sums, &self.tails, &scratch.tail_terms);
            }
            self.look_up(page * PAGE, numbers.len(), scratch);
            self.choose(page * PAGE, numbers, kernels, scratch);
        }
    }

    /// The scores of those wanted labels whose numbers are among the `count` from `first` on.
    fn look_up(&self, first: usize, count: usize, scratch: &mut ScorerScratch) {
        let before = |end: usize| scratch.wanted.partition_point(|w| (w.0 as usize) < end);
        let unit = scratch.query.unit;
        for &(number, place) in &scratch.wanted[before(first)..before(first + count)] {
            let number = number as usize;
            let (scale, bias) = (self.scales[number], self.biases[number]);
            scratch.scores[place as usize] = score(scratch.sums[number - first], scale, bias, unit);
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

    /// Offers the labels `numbers`, the first of which has number `first`, to the best, and sets their sums to zero.
    fn choose(
        &self,
        first: usize,
        numbers: &[u32],
        kernels: &dyn Kernels,
        scratch: &mut ScorerScratch,
    ) {
        let unit = scratch.query.unit;
        let mut start = 0;
        while start < numbers.len() {
            let least = least(&scratch.top);
            if first + start >= self.weighted && least > self.silent {
                // The sums from here on are 0 already.
                break;
            }
            // Labels of many weights come first: the best of a few say what most others fall short of.
            let blocks = match (first + start) / HEAD_BLOCK {
                0 => FIRST_BLOCKS,
                FIRST_BLOCKS => GROUP - FIRST_BLOCKS,
                _ => BLOCKS,
            };
            let ids = &numbers[start..numbers.len().min(start + blocks * HEAD_BLOCK)];
            let end = start + ids.len().next_multiple_of(HEAD_BLOCK);
            let sums = &mut scratch.sums[start..end];
            let block = (first + start) / HEAD_BLOCK;
            let mut promising = kernels.promising_blocks(sums, &self.bounds, block, unit, least);
            while promising != 0 {
                let at = promising.trailing_zeros() as usize * HEAD_BLOCK;
                promising &= promising - 1;
                let ids = &ids[at..ids.len().min(at + HEAD_BLOCK)];
                let sums = &sums[at..at + ids.len()];
                self.choose_block(
                    first + start + at,
                    ids,
                    sums,
                    unit,
                    kernels,
                    &mut scratch.top,
                );
            }
            sums.fill(0);
            start = end;
        }
    }

    /// Offers the labels `ids` of a block, the first of which has number `first`, to the best.
    fn choose_block(
        &self,
        first: usize,
        ids: &[u32],
        sums: &[i16],
        unit: f32,
        kernels: &dyn Kernels,
        top: &mut Top,
    ) {
        let mut scores = [0f32; HEAD_BLOCK];
        let range = first..first + ids.len();
        let (scales, biases) = (&self.scales[range.clone()], &self.biases[range]);
        let mut least = least(top);
        let mut above = kernels.scores(sums, scales, biases, unit, least, &mut scores);
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
pub(super) fn least(top: &Top) -> f32 {
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
            bias: model.bias(label as u32),
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

/// A scorer as an oracle for rows that are transformed already: complete, since it
/// scores all labels.
#[derive(Clone, Copy)]
pub struct ScoreAll<'a> {
    /// The weights.
    pub scorer: &'a LinearScorer,
    /// The inner loops.
    pub kernels: &'a dyn Kernels,
}

impl MaxInnerProduct for ScoreAll<'_> {
    fn proposer(&self) -> Box<dyn Proposer + '_> {
        Box::new(Scoring {
            all: *self,
            scratch: ScorerScratch::default(),
        })
    }
}

struct Scoring<'a> {
    all: ScoreAll<'a>,
    scratch: ScorerScratch,
}

impl Proposer for Scoring<'_> {
    fn propose(&mut self, row: &[(u32, f32)], k: usize, out: &mut Vec<u32>) -> bool {
        self.scratch.query.set_terms(row.iter().copied());
        self.all.scorer.best(k, self.all.kernels, &mut self.scratch);
        out.extend(self.scratch.top.sorted().iter().map(|scored| scored.id));
        true
    }
}
