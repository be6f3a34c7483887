//! The best labels, given what buckets score.
//!
//! Problem: of L labels with codes of R buckets, the k with the highest sum (or least, or median)
//! of the R numbers that their codes name among R B, by the total order of answers. Plainly, that
//! is L R look-ups ([`LabelDecoder::plain`]).
//!
//! For sums, [`LabelDecoder::best`] finds the same answers sooner. It is the scan of a product
//! quantizer: the numbers of each head, less their least, are rounded up to bytes with one unit for
//! all heads, so that a label's sum of bytes is an upper bound, and [`scan`] adds bytes for 64
//! labels at a time, codes standing head by head in blocks of 64. The labels with the highest
//! bounds are scored exactly, which gives a threshold, and only labels whose bound reaches it are
//! scored exactly, too. (André, Kermarrec, Le Scouarnec, *Cache locality is not enough*, 2015,
//! have the scan.)
//!
//! Memory: a byte (two if B > 256) a label and head; a query needs 2 bytes a label and R B bytes.

use super::estimate::label_score;
use crate::{
    hash::{BucketCodes, NoMemoryForCodes},
    kernels::Kernels,
    kernels::label_codes::BLOCK,
    parameters::mach::Estimator,
    search::{Scored, Top},
};
use alloc::vec::Vec;

/// The codes of all labels, ready to be decoded.
#[derive(Clone, Debug)]
pub(crate) struct LabelDecoder {
    labels: usize,
    repetitions: usize,
    buckets: usize,
    codes: Codes,
}

#[derive(Clone, Debug)]
enum Codes {
    /// Block after block, head after head, 64 labels; the last block is filled up with zeros.
    Narrow(Vec<u8>),
    /// Head after head, label after label: for more than 256 buckets.
    Wide(BucketCodes),
}

/// Memory for decoding, reused from query to query.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecodeScratch {
    tables: Vec<u8>,
    sums: Vec<u16>,
    maxima: Vec<u16>,
    first: Vec<usize>,
    pub(super) one: Vec<f32>,
}

/// Bytes of upper bounds for each head, and what they mean: a label's sum is at most
/// `base + unit * (its sum of bytes)`.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    base: f64,
    unit: f64,
    /// What rounding may have hidden.
    slack: f64,
}

/// Bytes of a table: of a power of two from 16 on.
#[must_use]
pub fn table_bytes(buckets: usize) -> usize {
    buckets.next_power_of_two().max(16)
}

/// Whether scores are sums over heads, divided by their number.
fn is_sum(estimator: Estimator) -> bool {
    matches!(
        estimator,
        Estimator::Mean | Estimator::LogMean | Estimator::LogitSum
    )
}

impl LabelDecoder {
    /// Takes over codes.
    ///
    /// Cost: O(L R).
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn new(codes: BucketCodes) -> Result<Self, NoMemoryForCodes> {
        let (labels, repetitions) = (codes.labels() as usize, codes.repetitions());
        let buckets = codes.buckets() as usize;
        let codes = if buckets > 256 {
            Codes::Wide(codes)
        } else {
            let bytes = labels.div_ceil(BLOCK).checked_mul(repetitions * BLOCK);
            let lacking = NoMemoryForCodes {
                bytes: bytes.map_or(u64::MAX, |bytes| bytes as u64),
            };
            let bytes = bytes.ok_or(lacking)?;
            let mut blocks = Vec::new();
            blocks.try_reserve_exact(bytes).map_err(|_| lacking)?;
            blocks.resize(bytes, 0u8);
            for head in 0..repetitions {
                for (label, &code) in codes.repetition(head).iter().enumerate() {
                    let at = (label / BLOCK * repetitions + head) * BLOCK + label % BLOCK;
                    blocks[at] = code as u8;
                }
            }
            Codes::Narrow(blocks)
        };
        Ok(Self {
            labels,
            repetitions,
            buckets,
            codes,
        })
    }

    /// Number of labels.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The bucket of a label in a head.
    #[inline(always)]
    pub(super) fn code(&self, label: usize, head: usize) -> usize {
        match &self.codes {
            Codes::Narrow(blocks) => {
                let at = (label / BLOCK * self.repetitions + head) * BLOCK + label % BLOCK;
                usize::from(blocks.get(at).copied().unwrap_or(0))
            }
            Codes::Wide(codes) => usize::from(codes.repetition(head)[label]),
        }
    }

    /// The score of one label; `scores` has B numbers a head.
    fn score(
        &self,
        label: usize,
        scores: &[f32],
        estimator: Estimator,
        own: &mut Vec<f32>,
    ) -> Scored {
        self.values(label, scores, own);
        Scored {
            id: label as u32,
            score: label_score(own, estimator),
        }
    }

    /// What the buckets of one label score, head after head.
    pub(super) fn values(&self, label: usize, scores: &[f32], own: &mut Vec<f32>) {
        own.clear();
        own.extend((0..self.repetitions).map(|head| {
            let at = head * self.buckets + self.code(label, head);
            scores.get(at).copied().unwrap_or(0.0)
        }));
    }

    /// The `k` best labels among all, each scored: the twin that [`LabelDecoder::best`] is held
    /// against.
    pub fn plain(&self, scores: &[f32], k: usize, estimator: Estimator, top: &mut Top) {
        top.reset(k);
        if let (Codes::Narrow(blocks), true) = (&self.codes, is_sum(estimator)) {
            return self.plain_sums(blocks, scores, top);
        }
        let mut own = Vec::new();
        for label in 0..self.labels {
            top.push(self.score(label, scores, estimator, &mut own));
        }
    }

    /// Means, 64 labels at a time: each adds up its heads in order.
    fn plain_sums(&self, blocks: &[u8], scores: &[f32], top: &mut Top) {
        let size = (self.repetitions * BLOCK).max(1);
        for (number, block) in blocks.chunks_exact(size).enumerate() {
            let mut sums = [0f32; BLOCK];
            let lines = block.as_chunks::<BLOCK>().0;
            for (line, head) in lines.iter().zip(scores.chunks_exact(self.buckets)) {
                for (sum, &code) in sums.iter_mut().zip(line) {
                    *sum += head.get(usize::from(code)).copied().unwrap_or(0.0);
                }
            }
            let start = number * BLOCK;
            for (id, sum) in (start..self.labels.min(start + BLOCK)).zip(sums) {
                let (id, score) = (id as u32, sum / self.repetitions as f32);
                top.push(Scored { id, score });
            }
        }
    }

    /// The `k` best labels, the same as [`LabelDecoder::plain`] finds. Returns how many labels were
    /// scored exactly.
    pub fn best(
        &self,
        scores: &[f32],
        k: usize,
        estimator: Estimator,
        kernels: &dyn Kernels,
        scratch: &mut DecodeScratch,
        top: &mut Top,
    ) -> usize {
        let blocks = match &self.codes {
            Codes::Narrow(blocks) if self.has_bounds(k, estimator) => blocks,
            _ => {
                self.plain(scores, k, estimator, top);
                return self.labels;
            }
        };
        let bounds = self.bounds(scores, &mut scratch.tables);
        let count = self.labels.div_ceil(BLOCK);
        scratch.sums.resize(count * BLOCK, 0);
        scratch.maxima.resize(count, 0);
        kernels.scan(
            blocks,
            &scratch.tables,
            self.repetitions,
            &mut scratch.sums,
            &mut scratch.maxima,
        );
        // Labels that only fill up the last block.
        if let Some(filling) = scratch.sums.get_mut(self.labels..) {
            filling.fill(0);
        }
        self.rescore(scores, k, estimator, bounds, scratch, top)
    }

    /// Whether bounds pay: there are some, for many labels of which few are asked for.
    fn has_bounds(&self, k: usize, estimator: Estimator) -> bool {
        is_sum(estimator) && self.labels >= 4 * BLOCK && k <= self.labels / 8
    }

    /// Upper bounds of the scores as bytes.
    fn bounds(&self, scores: &[f32], tables: &mut Vec<u8>) -> Bounds {
        let (mut range, mut base, mut size) = (0f32, 0f64, 0f64);
        let extremes = |head: &[f32]| {
            let low = head.iter().copied().fold(f32::MAX, f32::min);
            let high = head.iter().copied().fold(f32::MIN, f32::max);
            (low, high)
        };
        for head in scores.chunks_exact(self.buckets) {
            let (low, high) = extremes(head);
            range = range.max(high - low);
            base += f64::from(low);
            size += f64::from(low.abs().max(high.abs()));
        }
        // Where the scores of each head are equal no bound is below another: all labels pass.
        let factor = 254.0 / range;
        let factor = if factor.is_finite() { factor } else { 0.0 };
        let bytes = table_bytes(self.buckets);
        tables.clear();
        tables.resize(self.repetitions * bytes, 0);
        let heads = scores.chunks_exact(self.buckets);
        for (head, table) in heads.zip(tables.chunks_exact_mut(bytes)) {
            let (low, _) = extremes(head);
            for (byte, score) in table.iter_mut().zip(head) {
                *byte = ((score - low) * factor) as u8 + 1;
            }
        }
        let unit = 1.0 / f64::from(factor);
        Bounds {
            base,
            unit,
            slack: 1e-5 * (size + unit * self.repetitions as f64),
        }
    }

    /// Scores labels whose bounds reach the threshold; returns how many.
    fn rescore(
        &self,
        scores: &[f32],
        k: usize,
        estimator: Estimator,
        bounds: Bounds,
        scratch: &mut DecodeScratch,
        top: &mut Top,
    ) -> usize {
        let DecodeScratch {
            sums,
            maxima,
            first,
            one,
            ..
        } = scratch;
        // A first threshold from one label of each of the k most promising blocks.
        top.reset(k);
        let best = maxima.iter().zip(0..).map(|(&maximum, id)| Scored {
            id,
            score: f32::from(maximum),
        });
        best.for_each(|best| top.push(best));
        first.clear();
        first.extend(top.sorted().iter().map(|best| best.id as usize));
        top.reset(k);
        let least = if first.len() == k {
            for &block in first.iter() {
                let start = block * BLOCK;
                let own = &sums[start..start + BLOCK];
                let lane = own.iter().position(|&sum| sum == maxima[block]);
                // Lanes that only fill up a block have sums of 0, below any maximum.
                let label = start + lane.unwrap_or(0);
                top.push(self.score(label, scores, estimator, one));
            }
            top.threshold()
                .map_or(0, |worst| self.least_sum(worst.score, bounds))
        } else {
            0
        };
        let mut least = least;
        let mut scored = 0;
        top.reset(k);
        for (block, &maximum) in maxima.iter().enumerate() {
            if maximum < least {
                continue;
            }
            let start = block * BLOCK;
            for lane in 0..BLOCK.min(self.labels - start) {
                if sums[start + lane] >= least {
                    scored += 1;
                    top.push(self.score(start + lane, scores, estimator, one));
                    if let Some(worst) = top.threshold() {
                        least = least.max(self.least_sum(worst.score, bounds));
                    }
                }
            }
        }
        scored
    }

    /// The smallest sum of bytes that a label with this score can have.
    fn least_sum(&self, score: f32, bounds: Bounds) -> u16 {
        let sum = f64::from(score) * self.repetitions as f64 - bounds.slack;
        // Rounds down, and to 0 what is below it or no number, which only lets more labels pass.
        ((sum - bounds.base) / bounds.unit) as u16
    }
}
