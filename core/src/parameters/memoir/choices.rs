//! The choices that MEMOIR's parameters offer.

use serde::{Deserialize, Serialize};

/// What keeps the weights small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Regularizer {
    /// `lambda / 2` times the sum of squares.
    L2,
    /// `lambda` times the sum of sizes; how steps shrink weights.
    L1(Truncation),
}

/// How a step of l1 training shrinks weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Truncation {
    /// All weights by `lambda * eta`, carried out when a weight is next looked at.
    Cumulative,
    /// The paper's: weights of the classes a step has touched, by `lambda * eta * L / |touched|`.
    Ratio,
}

/// The step size of step t, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MemoirSteps {
    /// `first / (1 + decay * (t - 1))`
    Decaying {
        /// The first.
        first: f64,
        /// How fast they fall.
        decay: f64,
    },
    /// `1 / (lambda * t)`, the theory's (Pegasos); for l2 only.
    InverseLambda,
}

/// How long to train.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Length {
    /// As many draws as so many passes over the rows have.
    Epochs(u32),
    /// So many steps, each of one batch.
    Iterations(u64),
}

/// Which rows a step sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoirDraws {
    /// All rows equally often: in random order, pass after pass.
    Uniform,
    /// All classes equally often: a random class, then a random row of it.
    Balanced,
}

/// What a class counts whose score is not above 0, most often because it shares no feature with the
/// row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Silent {
    /// Nothing: it is never pushed away.
    Ignored,
    /// Where no class scores above 0, a random one of those that score 0 is the violator.
    Random,
}

/// Which weights training ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Average {
    /// Those of the last step.
    Last,
    /// The mean over the second half of all steps. Weights of l1 are never averaged.
    SecondHalf,
}

/// What to do with rows of several labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeveralLabels {
    /// Refuse the data and name the first such row.
    Refuse,
    /// Draw the row once for each of its labels; none of them is a violator of another.
    Replicate,
    /// Take the label with the smallest id.
    First,
}

/// The published behaviors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repro {
    /// What the paper says, with its slips put right.
    Paper,
    /// What the authors' program did.
    Code,
}
