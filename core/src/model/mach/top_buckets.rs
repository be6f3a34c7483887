//! Candidates from the best buckets: an approximate search for labels.
//!
//! The exact search ([`super::decode`]) looks at the codes of all L labels. This one visits the lists of labels of the P
//! best of all R B buckets, those whose score is furthest above the mean of their head, counts in how many of
//! these each label is, and scores exactly the labels with the highest counts, at least four for each answer wanted.
//! A score is never another than the exact search's, but a label that is in few of the P buckets can be missed.
//!
//! Cost: O(R B + P L / B) additions and R look-ups for each label that is scored. Memory: 4 bytes a label and head for
//! the lists; a query needs a byte a label.

use super::{
    decode::{DecodeScratch, LabelDecoder},
    estimate::label_score,
};
use crate::{
    kernels::Kernels,
    parameters::mach::Estimator,
    search::{Scored, Top},
};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Labels scored for each answer, at least.
const SCORED: usize = 4;

/// And for a query, at least.
const LEAST_SCORED: usize = 64;

/// The labels of each bucket, and how many buckets a query visits.
#[derive(Clone, Debug)]
pub struct TopBuckets {
    visited: usize,
    labels: usize,
    buckets: usize,
    /// Where the list of each bucket of each head starts.
    starts: Vec<usize>,
    lists: Vec<u32>,
}

/// Memory for queries, reused.
#[derive(Clone, Debug, Default)]
pub struct TopBucketsScratch {
    order: Vec<(f32, u32)>,
    counts: Vec<u8>,
    found: Vec<u32>,
}

impl TopBuckets {
    /// The most buckets that a query visits, so that a count fits a byte.
    pub const MOST: usize = 255;

    /// Lists of the labels that `decoder` knows; queries visit `visited` buckets, from 1 to [`TopBuckets::MOST`].
    ///
    /// Cost: O(L R).
    #[must_use]
    pub fn new(decoder: &LabelDecoder, visited: usize) -> Self {
        let (labels, heads, buckets) = decoder.shape();
        let mut starts = alloc::vec![0; heads * buckets + 1];
        let mut lists = Vec::with_capacity(labels * heads);
        let mut own: Vec<Vec<u32>> = alloc::vec![Vec::new(); buckets];
        for head in 0..heads {
            (0..labels).for_each(|label| own[decoder.code(label, head)].push(label as u32));
            for (bucket, own) in own.iter_mut().enumerate() {
                lists.append(own);
                starts[head * buckets + bucket + 1] = lists.len();
            }
        }
        Self {
            visited: visited.clamp(1, Self::MOST),
            labels,
            buckets,
            starts,
            lists,
        }
    }

    /// How many buckets a query visits.
    #[must_use]
    pub fn visited(&self) -> usize {
        self.visited
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * self.lists.len() + size_of::<usize>() * self.starts.len()
    }

    /// About the `k` best labels, given what buckets score: B numbers a head. Where the buckets hold fewer than `k` labels,
    /// these are the best of all.
    pub fn best(
        &self,
        decoder: &LabelDecoder,
        scores: &[f32],
        (k, estimator): (usize, Estimator),
        kernels: &dyn Kernels,
        (scratch, decode): (&mut TopBucketsScratch, &mut DecodeScratch),
        top: &mut Top,
    ) {
        self.count(scores, scratch);
        let TopBucketsScratch { counts, found, .. } = scratch;
        if found.len() < k {
            decoder.best(scores, k, estimator, kernels, decode, top);
        } else {
            let least = least_count(counts, found, LEAST_SCORED.max(SCORED * k));
            top.reset(k);
            for &label in found.iter() {
                if counts[label as usize] >= least {
                    decoder.values(label as usize, scores, &mut decode.one);
                    top.push(Scored {
                        id: label,
                        score: label_score(&mut decode.one, estimator),
                    });
                }
            }
        }
        for &label in found.iter() {
            counts[label as usize] = 0;
        }
    }

    /// Visits the best buckets: which labels they hold, and each how often.
    fn count(&self, scores: &[f32], scratch: &mut TopBucketsScratch) {
        let TopBucketsScratch {
            order,
            counts,
            found,
        } = scratch;
        order.clear();
        for (head, scores) in scores.chunks_exact(self.buckets).enumerate() {
            let mean = scores.iter().sum::<f32>() / self.buckets as f32;
            let buckets = (head * self.buckets) as u32..;
            order.extend(scores.iter().map(|score| score - mean).zip(buckets));
        }
        let better = |a: &(f32, u32), b: &(f32, u32)| -> Ordering {
            b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
        };
        if self.visited < order.len() {
            order.select_nth_unstable_by(self.visited, better);
            order.truncate(self.visited);
        }
        counts.resize(self.labels, 0);
        found.clear();
        for &(_, bucket) in order.iter() {
            let bucket = bucket as usize;
            for &label in &self.lists[self.starts[bucket]..self.starts[bucket + 1]] {
                let count = &mut counts[label as usize];
                if *count == 0 {
                    found.push(label);
                }
                *count += 1;
            }
        }
    }
}

/// The highest count that at least `wanted` of the labels found reach, or 1.
fn least_count(counts: &[u8], found: &[u32], wanted: usize) -> u8 {
    let mut having = [0usize; TopBuckets::MOST + 1];
    for &label in found {
        having[usize::from(counts[label as usize])] += 1;
    }
    let mut reached = 0;
    for count in (1..=TopBuckets::MOST).rev() {
        reached += having[count];
        if reached >= wanted {
            return count as u8;
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::{TopBuckets, TopBucketsScratch};
    use crate::{
        hash::{BucketHash, BucketPlan},
        kernels::Portable,
        model::mach::decode::{DecodeScratch, LabelDecoder},
        parameters::mach::Estimator,
        random::Stream,
        search::{Scored, Top},
    };
    use alloc::vec::Vec;

    /// Codes of 3,000 labels, and bucket scores that favor `label` in each head by 0 to `sharp`.
    fn decoder_and_scores(label: usize, sharp: f64, seed: u64) -> (LabelDecoder, Vec<f32>) {
        let plan = BucketPlan {
            hash: BucketHash::Permutation,
            buckets: 16,
            repetitions: 12,
            labels: 3000,
            seed: 4,
        };
        let codes = plan.draw().unwrap();
        let mut dice = Stream::new(seed, 3);
        let mut scores: Vec<f32> = (0..16 * 12).map(|_| dice.unit() as f32).collect();
        for head in 0..12 {
            let bucket = usize::from(codes.repetition(head)[label]);
            scores[head * 16 + bucket] += (sharp * dice.unit()) as f32;
        }
        (LabelDecoder::new(codes), scores)
    }

    fn both(
        decoder: &LabelDecoder,
        scores: &[f32],
        visited: usize,
        k: usize,
        scratch: &mut TopBucketsScratch,
    ) -> [Vec<Scored>; 2] {
        let (mut decode, mut top) = (DecodeScratch::default(), Top::default());
        let lists = TopBuckets::new(decoder, visited);
        let wanted = (k, Estimator::Mean);
        lists.best(
            decoder,
            scores,
            wanted,
            &Portable,
            (scratch, &mut decode),
            &mut top,
        );
        let found = top.sorted().to_vec();
        decoder.plain(scores, k, Estimator::Mean, &mut top);
        [found, top.sorted().to_vec()]
    }

    #[test]
    fn all_buckets_give_the_exact_answers_and_few_give_exact_scores() {
        let mut scratch = TopBucketsScratch::default();
        for seed in 0..20 {
            let (decoder, scores) = decoder_and_scores(seed as usize * 100, 0.5, seed);
            for k in [1, 5, 100] {
                let [found, exact] = both(&decoder, &scores, 16 * 12, k, &mut scratch);
                assert_eq!(found, exact, "all buckets, k {k}");
                let [found, _] = both(&decoder, &scores, 3, k, &mut scratch);
                let [_, all] = both(&decoder, &scores, 1, 3000, &mut scratch);
                assert_eq!(found.len(), k);
                assert!(found.iter().all(|answer| all.contains(answer)));
            }
            // Two buckets hold fewer labels than are wanted: then all are looked at.
            let [found, exact] = both(&decoder, &scores, 2, 400, &mut scratch);
            assert_eq!(found, exact);
        }
    }

    #[test]
    fn what_many_heads_are_sure_of_is_found_and_what_none_is_may_be_missed() {
        let mut scratch = TopBucketsScratch::default();
        let mut hits = |sharp: f64, visited: usize| {
            (0..200u64)
                .filter(|&seed| {
                    let (decoder, scores) = decoder_and_scores(seed as usize * 15, sharp, seed);
                    let [found, exact] = both(&decoder, &scores, visited, 1, &mut scratch);
                    found == exact
                })
                .count()
        };
        let (sure, unsure, more) = (hits(3.0, 12), hits(0.0, 12), hits(0.0, 60));
        assert_eq!(sure, 200);
        assert!(unsure < 180, "{unsure} of 200");
        assert!(more > unsure, "{more} and {unsure} of 200");
    }
}
