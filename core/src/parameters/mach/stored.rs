//! How model files hold the parameters: fields and numbers that no release may change.

use super::{Estimator, HeadLoss, MachParameters, Optimizer};
use crate::hash::BucketHash;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The fields in the order of the file. Of what was once offered, and was not worth it, the place
/// is left: early stopping, hashed rows, l1 and l2, AdaGrad by weight (1) and multiply-shift
/// hashing (1). What l1 and l2 were does not change how a model answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    buckets: u32,
    repetitions: u32,
    hash: u32,
    loss: HeadLoss,
    optimizer: u32,
    learning_rate: f64,
    decay: bool,
    epochs: u32,
    averaged_epochs: u32,
    dropout: f64,
    early_stopping: bool,
    l1: f64,
    l2: f64,
    exponent: f64,
    normalize: bool,
    bias: f64,
    hashed_rows: u32,
    estimator: Estimator,
    bits: u32,
    keep: f64,
    rerank: u32,
    rerank_weight: f64,
    centroid_entries: u32,
    seed: u64,
}

/// A file of what is no longer offered.
#[derive(Debug)]
pub(crate) struct Retired;

impl fmt::Display for Retired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters of MACH that are not known")
    }
}

impl From<MachParameters> for Stored {
    fn from(own: MachParameters) -> Self {
        Self {
            hash: match own.hash {
                BucketHash::Permutation => 0,
                BucketHash::CarterWegman => 2,
                BucketHash::Identity => 3,
            },
            optimizer: match own.optimizer {
                Optimizer::FeatureAdaGrad => 0,
                Optimizer::Sgd => 2,
            },
            early_stopping: false,
            hashed_rows: 0,
            buckets: own.buckets,
            repetitions: own.repetitions,
            loss: own.loss,
            learning_rate: own.learning_rate,
            decay: own.decay,
            epochs: own.epochs,
            averaged_epochs: own.averaged_epochs,
            dropout: own.dropout,
            l1: 0.0,
            l2: 0.0,
            exponent: own.exponent,
            normalize: own.normalize,
            bias: own.bias,
            estimator: own.estimator,
            bits: own.bits,
            keep: own.keep,
            rerank: own.rerank,
            rerank_weight: own.rerank_weight,
            centroid_entries: own.centroid_entries,
            seed: own.seed,
        }
    }
}

impl TryFrom<Stored> for MachParameters {
    type Error = Retired;

    fn try_from(stored: Stored) -> Result<Self, Retired> {
        let shrinks = [stored.l1, stored.l2];
        let known = shrinks.iter().all(|shrink| (0.0..=1.0).contains(shrink));
        if stored.early_stopping || stored.hashed_rows > 0 || !known {
            return Err(Retired);
        }
        Ok(Self {
            hash: match stored.hash {
                0 => BucketHash::Permutation,
                2 => BucketHash::CarterWegman,
                3 => BucketHash::Identity,
                _ => return Err(Retired),
            },
            optimizer: match stored.optimizer {
                0 => Optimizer::FeatureAdaGrad,
                2 => Optimizer::Sgd,
                _ => return Err(Retired),
            },
            buckets: stored.buckets,
            repetitions: stored.repetitions,
            loss: stored.loss,
            learning_rate: stored.learning_rate,
            decay: stored.decay,
            epochs: stored.epochs,
            averaged_epochs: stored.averaged_epochs,
            dropout: stored.dropout,
            exponent: stored.exponent,
            normalize: stored.normalize,
            bias: stored.bias,
            estimator: stored.estimator,
            bits: stored.bits,
            keep: stored.keep,
            rerank: stored.rerank,
            rerank_weight: stored.rerank_weight,
            centroid_entries: stored.centroid_entries,
            seed: stored.seed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{MachParameters, Stored};
    use alloc::vec::Vec;

    #[test]
    fn what_is_no_longer_offered_is_refused() {
        let read = |change: fn(&mut Stored)| {
            let mut stored = Stored::from(MachParameters::default());
            change(&mut stored);
            let bytes: Vec<u8> = postcard::to_allocvec(&stored).unwrap();
            postcard::from_bytes::<MachParameters>(&bytes)
        };
        assert_eq!(read(|_| ()).unwrap(), MachParameters::default());
        assert_eq!(
            read(|stored| stored.l1 = 0.5).unwrap(),
            MachParameters::default()
        );
        let refused: [fn(&mut Stored); 7] = [
            |stored| stored.hash = 1,
            |stored| stored.hash = 4,
            |stored| stored.optimizer = 1,
            |stored| stored.early_stopping = true,
            |stored| stored.hashed_rows = 20,
            |stored| stored.l1 = -0.5,
            |stored| stored.l2 = f64::NAN,
        ];
        for change in refused {
            assert!(read(change).is_err());
        }
    }
}
