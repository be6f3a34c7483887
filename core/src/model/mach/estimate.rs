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
