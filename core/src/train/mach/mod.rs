//! MACH: R small classifiers over hashed labels in place of one over all labels.
//!
//! Problem: N rows x_i of D features with labels among L. R hash functions h_r put the labels into
//! B buckets each (`crate::hash::BucketPlan`), and R heads, linear maps from D features to B
//! logits, learn the bucket of a row's label:
//!
//! ```text
//! one label a row:  minimize  sum_i sum_r  -ln softmax_r(x_i)[h_r(y_i)]
//! several labels:   minimize  sum_i sum_r sum_b
//!                             cross entropy of sigmoid_r(x_i)[b] with [b in h_r(Y_i)]
//! ```
//!
//! A label's score is a mean over its R buckets ([`Mach`](crate::model::Mach)). The model has B R D
//! weights, whatever L.
//!
//! All heads are trained in one pass over the rows (`trainer`): the weights of a feature stand side
//! by side for all heads, so a row touches as many stretches of memory as it has features. The
//! gradient of a head's logits is `p - target`, and one step a row descends along it with a rate
//! for each feature in each head (AdaGrad), or one for all (`step`). Heads never meet, so threads
//! own ranges of heads, and the model has the same bytes for any number of threads.
//!
//! A rate that does not fall leaves the weights moving about; the mean over the ends of some epochs
//! is more precise than any of them. (Polyak, Juditsky, *Acceleration of stochastic approximation
//! by averaging*, 1992.) Where labels are few, steps that leave out some of a row's values keep
//! rare words from being relied on. (Srivastava and others, *Dropout*, 2014.)
//!
//! Pruned weights can be trained on, those left out staying out.
//!
//! Cost: O(R B) a stored value and epoch. Memory: 4 B R D bytes of weights (twice that for a mean),
//! D R numbers of accumulated squares; `parameters::MachParameters::memory_estimate`
//! states it.
//!
//! Paper: Q. Huang, Y. Wang, T. Medini, A. Shrivastava, *Extreme classification in log memory*,
//! 2018. It gives no optimizer; the defaults here were chosen on held-out training rows.

mod aligned;
mod assemble;
mod automatic;
mod budget;
mod centroids;
mod compact;
mod descend;
mod dropout;
mod fit;
mod group;
mod model;
mod pack;
#[cfg(test)]
mod pack_tests;
mod parts;
mod refine;
#[cfg(test)]
mod refine_tests;
mod smallest;
mod step;
#[cfg(test)]
mod step_tests;
#[cfg(test)]
mod tests;
mod threshold;
mod trainer;
mod trials;
#[cfg(test)]
mod whole_tests;

pub use budget::{FitStep, MachFit};
pub(super) use model::REFINED;
pub use parts::MachParts;
pub use step::{MachKernels, Step};
pub use trainer::{Report, Trainer};
