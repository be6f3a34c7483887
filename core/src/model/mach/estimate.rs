//! From the logits of heads to what labels are scored by.
//!
//! With P_r the probability of a label's bucket in head r:
//!
//! | estimator | score              | why                                                        |
//! |-----------|--------------------|------------------------------------------------------------|
//! | mean      | mean of P_r        | unbiased after correction (theorem 1, equation 2)          |
//! | min       | least P_r          | a label's probability is at most that of each bucket       |
//! | median    | median of P_r      | one bad head does not count                                |
//! | log-mean  | mean of ln P_r     | heads as independent experts                               |
//! | logit-sum | mean of the logits | the same for softmax heads, but for a constant             |
//!
//! Probabilities under a logarithm are at least 1e-7.

use crate::{
    float,
    kernels::probabilities::{sigmoids, softmax},
    parameters::mach::Estimator,
};

/// The least probability under a logarithm.
const LEAST: f32 = 1e-7;

/// Turns logits, `buckets` for each head, into the numbers that labels' scores are made of.
#[inline(always)]
pub fn bucket_scores(logits: &mut [f32], buckets: usize, is_softmax: bool, estimator: Estimator) {
    if estimator == Estimator::LogitSum {
        return;
    }
    for head in logits.chunks_exact_mut(buckets) {
        if is_softmax {
            softmax(head);
        } else {
            sigmoids(head);
        }
        if estimator == Estimator::LogMean {
            head.iter_mut()
                .for_each(|p| *p = float::ln(f64::from(p.max(LEAST))) as f32);
        }
    }
}

/// The score of one label from what its buckets score.
#[inline(always)]
pub fn label_score(scores: &mut [f32], estimator: Estimator) -> f32 {
    let count = scores.len().max(1);
    match estimator {
        Estimator::Mean | Estimator::LogMean | Estimator::LogitSum => {
            scores.iter().fold(0f32, |sum, s| sum + s) / count as f32
        }
        Estimator::Min => scores.iter().copied().fold(f32::MAX, f32::min),
        Estimator::Median => {
            scores.sort_unstable_by(f32::total_cmp);
            let middle = scores.get(count / 2).copied().unwrap_or(0.0);
            if count.is_multiple_of(2) {
                0.5 * (middle + scores.get(count / 2 - 1).copied().unwrap_or(0.0))
            } else {
                middle
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Estimator, LEAST, bucket_scores, label_score};
    use alloc::vec::Vec;

    #[test]
    fn a_label_scores_what_its_buckets_do_together() {
        let score = |scores: &[f32], estimator| label_score(&mut scores.to_vec(), estimator);
        for mean in [Estimator::Mean, Estimator::LogMean, Estimator::LogitSum] {
            assert_eq!(score(&[1.0, 2.0, 6.0], mean), 3.0);
        }
        assert_eq!(score(&[2.0, 1.0, 6.0], Estimator::Min), 1.0);
        assert_eq!(score(&[5.0, 1.0, 2.0], Estimator::Median), 2.0);
        assert_eq!(score(&[4.0, 1.0, 2.5, 8.0], Estimator::Median), 3.25);
        assert_eq!(score(&[7.0], Estimator::Median), 7.0);
    }

    #[test]
    fn buckets_score_by_the_estimator() {
        // Softmax: 1 to 3 and 1 to 1. Sigmoid: each by itself.
        let three = 3f32.ln();
        let logits = [0.0, three, -200.0, -200.0];
        let scores = |is_softmax, estimator| -> Vec<f32> {
            let mut scores = logits.to_vec();
            bucket_scores(&mut scores, 2, is_softmax, estimator);
            scores
        };
        let near = |found: Vec<f32>, wanted: [f32; 4]| {
            for (found, wanted) in found.iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() < 1e-5 * wanted.abs(),
                    "{found} {wanted}"
                );
            }
        };
        for plain in [Estimator::Mean, Estimator::Min, Estimator::Median] {
            near(scores(true, plain), [0.25, 0.75, 0.5, 0.5]);
            near(scores(false, plain)[..2].to_vec(), [0.5, 0.75, 0.0, 0.0]);
        }
        let least = LEAST.ln();
        let logarithms = [0.25f32, 0.75, 0.5, 0.5].map(f32::ln);
        near(scores(true, Estimator::LogMean), logarithms);
        let logarithms = [0.5f32.ln(), 0.75f32.ln(), least, least];
        near(scores(false, Estimator::LogMean), logarithms);
        assert_eq!(scores(true, Estimator::LogitSum), logits);
    }
}
