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

/// What a score says of the chance that the label is right, in `[0, 1]`.
///
/// For the mean it is equation 2 of the paper with the true rate at which labels collide; the least
/// and the median are corrected likewise, though they are biased. The mean of logarithms and that
/// of logits become the geometric mean of the probabilities, and the probability of the mean logit:
/// these rank as the scores do and are no estimates of anything.
#[must_use]
pub fn probability(score: f32, collision_rate: f64, estimator: Estimator) -> f64 {
    let score = f64::from(score);
    let estimate = match estimator {
        Estimator::Mean | Estimator::Min | Estimator::Median => {
            (score - collision_rate) / (1.0 - collision_rate).max(f64::MIN_POSITIVE)
        }
        Estimator::LogMean => float::exp(score),
        Estimator::LogitSum => 1.0 / (1.0 + float::exp(-score)),
    };
    estimate.clamp(0.0, 1.0)
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
