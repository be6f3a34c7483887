//! What MACH can be told, and which values it refuses.

use crate::{
    data::Dataset,
    hash::{BucketHash, BucketPlan},
    parameters::{ParamError, ParamRule, RowTransform},
};
use serde::{Deserialize, Serialize};
pub(crate) use stored::Stored;

mod stored;

/// What a head learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeadLoss {
    /// Which bucket: probabilities of a head sum to 1. Several labels share the target.
    Softmax,
    /// Of each bucket, whether a label of the row is in it.
    Sigmoid,
    /// Sigmoids where rows have 1.5 labels or more on average, else softmax.
    Auto,
}

/// How weights are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimizer {
    /// AdaGrad with one sum of squared gradients for each feature in each head: a B-th of the
    /// memory of one for each weight, and half the time.
    FeatureAdaGrad,
    /// Stochastic gradient descent: the same rate for all weights.
    Sgd,
}

/// How the buckets of a label make its score; see `crate::model::mach::estimate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Estimator {
    /// The mean of the probabilities of the label's buckets, which the paper proves unbiased once
    /// the rate of collisions is subtracted.
    Mean,
    /// The least of them.
    Min,
    /// The median of them.
    Median,
    /// The mean of their logarithms.
    LogMean,
    /// The mean of the logits.
    LogitSum,
}

/// Parameters of MACH. [`MachParameters::default`] is a good start for text; [`crate::train::mach`]
/// states the problem they belong to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Stored", try_from = "Stored")]
pub struct MachParameters {
    /// Buckets B of a head.
    pub buckets: u32,
    /// Repetitions R: how many heads.
    pub repetitions: u32,
    /// The family of hash functions.
    pub hash: BucketHash,
    /// What heads learn.
    pub loss: HeadLoss,
    /// How weights are changed.
    pub optimizer: Optimizer,
    /// The rate of the first step.
    pub learning_rate: f64,
    /// Whether the rate falls linearly to nothing, from step to step.
    pub decay: bool,
    /// How often the rows are gone over.
    pub epochs: u32,
    /// The weights are the mean of those at the ends of so many epochs, the last ones: 1 for the
    /// last alone, all if there are fewer. The mean takes as much memory again as the weights.
    pub averaged_epochs: u32,
    /// The share of a row's values that each step leaves out, drawn anew for each row and epoch;
    /// the others are as much larger. At most 0.95.
    pub dropout: f64,
    /// Values of rows are raised to this power, signs kept, before anything else.
    pub exponent: f64,
    /// Whether rows are then scaled to length 1.
    pub normalize: bool,
    /// The value of a constant feature of every row; 0 for none.
    pub bias: f64,
    /// How a label's buckets make its score.
    pub estimator: Estimator,
    /// Bits of a stored weight: 32 as trained, or 8 or 4, pruned.
    pub bits: u32,
    /// The share of weights that are stored, the largest ones, if they are pruned.
    pub keep: f64,
    /// How many of the best labels are compared with their centroids; 0 for none, and no centroids.
    pub rerank: u32,
    /// What the cosine of row and centroid is multiplied with before it is added to the score.
    pub rerank_weight: f64,
    /// Most entries of a centroid.
    pub centroid_entries: u32,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Default for MachParameters {
    fn default() -> Self {
        Self {
            buckets: 32,
            repetitions: 32,
            hash: BucketHash::Permutation,
            loss: HeadLoss::Auto,
            optimizer: Optimizer::FeatureAdaGrad,
            learning_rate: 1.5,
            decay: true,
            epochs: 5,
            averaged_epochs: 1,
            dropout: 0.0,
            exponent: 1.0,
            normalize: true,
            bias: 1.0,
            estimator: Estimator::LogitSum,
            bits: 4,
            keep: 0.2,
            rerank: 0,
            rerank_weight: 8.0,
            centroid_entries: 32,
            seed: 42,
        }
    }
}

/// Mean labels of a row from which heads are sigmoids.
const SEVERAL: f64 = 1.5;

/// Why parameters have upper limits.
const BEYOND: &str = "beyond which nothing is gained and numbers lose their meaning";

/// Refuses values outside `least..=most`, and NaN.
fn within(name: &'static str, value: f64, least: f64, most: f64) -> Result<(), ParamError> {
    ParamError::check(name, value, ParamRule::AtLeast(least))?;
    ParamError::check(name, value, ParamRule::AtMost(most, BEYOND))
}

impl MachParameters {
    /// The most repetitions: sums of as many bytes fit 16 bits.
    pub(crate) const MOST_REPETITIONS: u32 = 256;

    /// The same with another optimizer, and the rate, its decay and the averaged epochs that suit
    /// it.
    #[must_use]
    pub fn with_optimizer(self, optimizer: Optimizer) -> Self {
        if optimizer == self.optimizer {
            return self;
        }
        let (learning_rate, decay, averaged_epochs) = match optimizer {
            Optimizer::FeatureAdaGrad => (1.5, false, 3),
            Optimizer::Sgd => (6.0, true, 1),
        };
        Self {
            optimizer,
            learning_rate,
            decay,
            averaged_epochs,
            ..self
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        let most = f64::from(BucketPlan::MOST_BUCKETS);
        within("buckets", f64::from(self.buckets), 2.0, most)?;
        let most = f64::from(Self::MOST_REPETITIONS);
        within("repetitions", f64::from(self.repetitions), 1.0, most)?;
        within("learning_rate", self.learning_rate, 1e-9, 1e6)?;
        within("epochs", f64::from(self.epochs), 1.0, 1e4)?;
        within("averaged_epochs", f64::from(self.averaged_epochs), 1.0, 1e4)?;
        within("dropout", self.dropout, 0.0, 0.95)?;
        within("exponent", self.exponent, 0.0, 4.0)?;
        within("bias", self.bias, 0.0, 1e6)?;
        let bits = ParamRule::OneOf(&[4.0, 8.0, 32.0]);
        ParamError::check("bits", f64::from(self.bits), bits)?;
        within("keep", self.keep, 1e-6, 1.0)?;
        within("rerank", f64::from(self.rerank), 0.0, 1e5)?;
        within("rerank_weight", self.rerank_weight, 0.0, 1e6)?;
        within(
            "centroid_entries",
            f64::from(self.centroid_entries),
            1.0,
            1e6,
        )
    }

    /// Refuses more buckets than labels.
    ///
    /// # Errors
    /// If B > L, which would leave buckets empty.
    pub(crate) fn check_labels(&self, labels: u32) -> Result<(), ParamError> {
        let rule = ParamRule::AtMost(
            f64::from(labels),
            "the number of labels seen in training: more buckets would stay empty",
        );
        ParamError::check("buckets", f64::from(self.buckets), rule)
    }

    /// Whether heads are softmax for this data.
    #[must_use]
    pub(crate) fn softmax(&self, data: &Dataset) -> bool {
        match self.loss {
            HeadLoss::Softmax => true,
            HeadLoss::Sigmoid => false,
            HeadLoss::Auto => (data.labels().total() as f64) < SEVERAL * data.len().max(1) as f64,
        }
    }

    /// Whether the weights are a mean over several epochs.
    pub(crate) fn averages(&self) -> bool {
        self.averaged_epochs > 1
    }

    /// The epoch at whose end the mean begins.
    pub(crate) fn first_averaged(&self) -> u32 {
        self.epochs.saturating_sub(self.averaged_epochs)
    }

    /// The transform that rows go through in training and prediction.
    #[must_use]
    pub(crate) fn transform(&self) -> RowTransform {
        RowTransform {
            exponent: self.exponent,
            normalize: self.normalize,
        }
    }

    /// The hash functions for `labels` labels.
    #[must_use]
    pub(crate) fn plan(&self, labels: u32) -> BucketPlan {
        BucketPlan {
            hash: self.hash,
            buckets: self.buckets,
            repetitions: self.repetitions,
            labels,
            seed: self.seed,
        }
    }
}
