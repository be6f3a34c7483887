//! What the command line sets: parameters of training by name.

use crate::{Options, Result};
use hapax::core::{
    data::Dataset,
    parameters::{BucketHash, Estimator, MachParameters, Optimizer},
};

pub fn parameters(options: &Options, data: &Dataset) -> Result<MachParameters> {
    let mut p = MachParameters::automatic(data);
    for (name, value) in options {
        match name.as_str() {
            "buckets" => p.buckets = value.parse()?,
            "repetitions" => p.repetitions = value.parse()?,
            "rate" => p.learning_rate = value.parse()?,
            "epochs" => p.epochs = value.parse()?,
            "exponent" => p.exponent = value.parse()?,
            "bits" => p.bits = value.parse()?,
            "keep" => p.keep = value.parse()?,
            "rerank" => p.rerank = value.parse()?,
            "weight" => p.rerank_weight = value.parse()?,
            "entries" => p.centroid_entries = value.parse()?,
            "seed" => p.seed = value.parse()?,
            "averaged" => p.averaged_epochs = value.parse()?,
            "dropout" => p.dropout = value.parse()?,
            "decay" => p.decay = value.parse()?,
            "optimizer" => {
                p.optimizer = match value.as_str() {
                    "sgd" => Optimizer::Sgd,
                    _ => Optimizer::FeatureAdaGrad,
                };
                p.decay = p.optimizer == Optimizer::Sgd;
                p.averaged_epochs = if p.decay { 1 } else { 3 };
            }
            "estimator" => p.estimator = estimator(value)?,
            "hash" => {
                p.hash = match value.as_str() {
                    "identity" => BucketHash::Identity,
                    _ => BucketHash::Permutation,
                }
            }
            "threads" | "held-out" | "rows" | "estimators" | "from" | "budget" => {}
            other => return Err(format!("no parameter {other}").into()),
        }
    }
    Ok(p)
}

pub const ESTIMATORS: [(&str, Estimator); 5] = [
    ("logit-sum", Estimator::LogitSum),
    ("log-mean", Estimator::LogMean),
    ("mean", Estimator::Mean),
    ("median", Estimator::Median),
    ("min", Estimator::Min),
];

fn estimator(name: &str) -> Result<Estimator> {
    let found = ESTIMATORS.iter().find(|(own, _)| *own == name);
    Ok(found.ok_or("no such estimator")?.1)
}
