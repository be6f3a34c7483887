//! MACH models: R heads of B buckets each, whatever the number of labels.
//!
//! A row's features are weighed by all heads (`weights`); what the buckets of a label score makes
//! the label's score (`estimate`), and the best labels are found without scoring all of them
//! (`decode`). The best `rerank` labels can be compared once more with the mean row of each label
//! (`centroids`). The `train::mach` module states the problem that the weights solve.
//!
//! Labels that no training row carries have no code: they score `f32::MIN` and come last, by their
//! ids. A row without a known feature is answered by the biases alone: frequent buckets first.

pub(crate) mod centroids;
pub(crate) mod decode;
pub(crate) mod estimate;
pub(crate) mod head_weights;
pub(crate) mod record;
#[cfg(test)]
mod tests;

use crate::{
    array::Array,
    float,
    hash::{BucketCodes, NoMemoryForCodes},
    kernels::{Kernels, Term},
    parameters::mach::MachParameters,
    search::{Scored, Top, rank},
    sparse::SparseView,
};
use alloc::vec::Vec;
use centroids::Centroids;
use decode::{DecodeScratch, LabelDecoder};
use head_weights::HeadWeights;

/// What MACH training made.
#[derive(Clone, Debug)]
pub struct Mach {
    parameters: MachParameters,
    softmax: bool,
    frequencies: Array<u32>,
    seen: SeenLabels,
    draw: u32,
    decoder: LabelDecoder,
    weights: HeadWeights,
    centroids: Option<Centroids>,
}

impl core::fmt::Debug for MachScratch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("MachScratch")
            .field("kernels", &self.kernels.processor().name())
            .finish_non_exhaustive()
    }
}

/// Memory for queries, reused from row to row.
pub(crate) struct MachScratch {
    kernels: &'static dyn Kernels,
    values: Vec<f32>,
    terms: Vec<Term>,
    scores: Vec<f32>,
    dense: Vec<f32>,
    decode: DecodeScratch,
    top: Top,
    best: Vec<Scored>,
}

impl MachScratch {
    /// Scratch memory whose searches run these kernels.
    #[must_use]
    pub fn new(kernels: &'static dyn Kernels) -> Self {
        Self {
            kernels,
            values: Vec::new(),
            terms: Vec::new(),
            scores: Vec::new(),
            dense: Vec::new(),
            decode: DecodeScratch::default(),
            top: Top::default(),
            best: Vec::new(),
        }
    }
}

/// What a model is made of.
pub(crate) struct MachParts {
    pub(crate) parameters: MachParameters,
    pub(crate) softmax: bool,
    pub(crate) frequencies: Array<u32>,
    pub(crate) codes: BucketCodes,
    pub(crate) weights: HeadWeights,
    pub(crate) centroids: Option<Centroids>,
}

impl Mach {
    /// From parts that fit each other.
    ///
    /// # Errors
    /// If there is no memory for the codes in the order of scans.
    pub(crate) fn new(parts: MachParts) -> Result<Self, NoMemoryForCodes> {
        Ok(Self {
            seen: SeenLabels::new(&parts.frequencies),
            draw: parts.codes.draw_number(),
            decoder: LabelDecoder::new(parts.codes)?,
            parameters: parts.parameters,
            softmax: parts.softmax,
            frequencies: parts.frequencies,
            weights: parts.weights,
            centroids: parts.centroids,
        })
    }

    /// How many labels have rows.
    pub(crate) fn seen_labels(&self) -> usize {
        self.seen.ids.len()
    }

    /// The same model with other weights.
    pub(crate) fn with_weights(&self, weights: HeadWeights) -> Self {
        Self {
            weights,
            ..self.clone()
        }
    }

    /// The same model with another weight of the comparison with centroids.
    pub(crate) fn with_rerank_weight(&self, rerank_weight: f64) -> Self {
        let mut mach = self.clone();
        mach.parameters.rerank_weight = rerank_weight;
        mach
    }

    /// What the user chose, and the defaults.
    #[must_use]
    pub fn parameters(&self) -> &MachParameters {
        &self.parameters
    }

    /// Whether heads are softmax.
    #[must_use]
    pub(crate) fn is_softmax(&self) -> bool {
        self.softmax
    }

    /// How many training rows carry each label.
    #[must_use]
    pub(crate) fn frequencies(&self) -> &Array<u32> {
        &self.frequencies
    }

    /// Which draw of hash functions the codes are.
    #[must_use]
    pub(crate) fn draw(&self) -> u32 {
        self.draw
    }

    /// The labels that training saw.
    pub(crate) fn seen(&self) -> &SeenLabels {
        &self.seen
    }

    /// The weights of the heads.
    #[must_use]
    pub fn weights(&self) -> &HeadWeights {
        &self.weights
    }

    /// The labels' centroids, if there are any.
    #[must_use]
    pub(crate) fn centroids(&self) -> Option<&Centroids> {
        self.centroids.as_ref()
    }

    /// Returns how many features of the row the model knows.
    fn score_buckets(&self, row: SparseView<'_>, scratch: &mut MachScratch) -> usize {
        let features = self.weights.features();
        let known = row.indices().partition_point(|&id| id < features);
        scratch.values.clear();
        self.parameters.transform().apply(row, &mut scratch.values);
        let values = row
            .indices()
            .iter()
            .copied()
            .zip(scratch.values.iter().copied());
        self.weights.logits(
            &values.take(known),
            self.parameters.bias as f32,
            scratch.kernels,
            &mut scratch.terms,
            &mut scratch.scores,
        );
        // Logits of rows with extreme values must still be numbers.
        for logit in &mut scratch.scores {
            *logit = logit.clamp(-MOST, MOST);
            if logit.is_nan() {
                *logit = 0.0;
            }
        }
        let buckets = self.parameters.buckets as usize;
        estimate::bucket_scores(
            &mut scratch.scores,
            buckets,
            self.softmax,
            self.parameters.estimator,
        );
        known
    }

    /// The `k` best labels for `row`, best first.
    ///
    /// Cost: O(weights of the row's features + L R byte additions); allocates nothing once
    /// `scratch` has grown.
    pub(crate) fn predict<'s>(
        &self,
        row: SparseView<'_>,
        k: usize,
        scratch: &'s mut MachScratch,
    ) -> &'s [Scored] {
        let known = self.score_buckets(row, scratch);
        self.decoder.best(
            &scratch.scores,
            self.depth(k),
            self.parameters.estimator,
            scratch.kernels,
            &mut scratch.decode,
            &mut scratch.top,
        );
        self.answer(row, k, known, scratch)
    }

    /// How many labels are compared with their centroids.
    fn reranked(&self) -> usize {
        match &self.centroids {
            Some(_) => self.parameters.rerank as usize,
            None => 0,
        }
    }

    /// How many labels are decoded for `k` answers.
    fn depth(&self, k: usize) -> usize {
        k.max(self.reranked()).min(self.decoder.labels())
    }

    /// The answers made of the labels decoded.
    fn answer<'s>(
        &self,
        row: SparseView<'_>,
        k: usize,
        known: usize,
        scratch: &'s mut MachScratch,
    ) -> &'s [Scored] {
        scratch.best.clear();
        scratch.best.extend_from_slice(scratch.top.sorted());
        if let Some(centroids) = &self.centroids {
            self.rerank(centroids, row, known, self.reranked(), scratch);
        }
        scratch.best.truncate(k);
        for best in &mut scratch.best {
            best.id = self.seen.ids.get(best.id as usize).copied().unwrap_or(0);
        }
        let missing = k.saturating_sub(scratch.best.len());
        let unseen =
            (0..self.frequencies.len() as u32).filter(|&id| self.frequencies[id as usize] == 0);
        let score = f32::MIN;
        scratch
            .best
            .extend(unseen.take(missing).map(|id| Scored { id, score }));
        &scratch.best
    }

    /// Adds to the scores of the first `count` labels and orders them anew.
    fn rerank(
        &self,
        centroids: &Centroids,
        row: SparseView<'_>,
        known: usize,
        count: usize,
        scratch: &mut MachScratch,
    ) {
        let squares = scratch.values.iter().map(|v| f64::from(*v) * f64::from(*v));
        let length = float::sqrt(squares.sum());
        if !length.is_normal() {
            return;
        }
        let width = row.indices()[..known]
            .last()
            .map_or(0, |&last| last as usize + 1);
        if scratch.dense.len() < width {
            scratch.dense.resize(width, 0.0);
        }
        for (&feature, &value) in row.indices()[..known].iter().zip(&scratch.values) {
            scratch.dense[feature as usize] = (f64::from(value) / length) as f32;
        }
        let weight = self.parameters.rerank_weight as f32;
        let count = count.min(scratch.best.len());
        for best in &mut scratch.best[..count] {
            let cosine = centroids.product(best.id as usize, &scratch.dense);
            best.score += weight * cosine.max(0.0);
        }
        scratch.best[..count].sort_unstable_by(rank);
        for &feature in &row.indices()[..known] {
            scratch.dense[feature as usize] = 0.0;
        }
    }

    /// Bytes of the arrays that a file holds.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.weights.bytes()
            + self.centroids.as_ref().map_or(0, Centroids::bytes)
            + 4 * self.frequencies.len()
    }
}

/// The largest size of a logit: sums over heads stay finite.
const MOST: f32 = 1e30;

/// The labels that occur in training, in order of their ids: the others have no code.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SeenLabels {
    /// Their ids, rising.
    pub(crate) ids: Vec<u32>,
    /// The place of each label among them; `u32::MAX` for a label that does not occur.
    places: Vec<u32>,
}

impl SeenLabels {
    /// From how many rows carry each label.
    #[must_use]
    pub(crate) fn new(frequencies: &[u32]) -> Self {
        let seen = |(_, count): &(usize, &u32)| **count > 0;
        let ids: Vec<u32> = frequencies
            .iter()
            .enumerate()
            .filter(seen)
            .map(|(id, _)| id as u32)
            .collect();
        let mut places = alloc::vec![u32::MAX; frequencies.len()];
        for (place, &id) in ids.iter().enumerate() {
            places[id as usize] = place as u32;
        }
        Self { ids, places }
    }

    /// The place of a label; none if it never occurs.
    #[must_use]
    pub(crate) fn place(&self, label: u32) -> Option<u32> {
        self.places
            .get(label as usize)
            .copied()
            .filter(|&place| place != u32::MAX)
    }
}
