//! MACH.

use super::{
    errors::wrong,
    job::{Failure, Job, Texts},
    options::Options,
};
use hapax::{
    core::{
        model::Model,
        parameters::{Estimator, HeadLoss, MachParameters, Optimizer},
        train::{Parameters, Trained, mach::Report},
    },
    kernels,
};
use pyo3::PyResult;

/// The parameters of MACH that are given; the data choose the others.
#[derive(Default)]
pub struct Mach {
    buckets: Option<u32>,
    repetitions: Option<u32>,
    loss: Option<HeadLoss>,
    optimizer: Option<Optimizer>,
    estimator: Option<Estimator>,
    learning_rate: Option<f64>,
    epochs: Option<u32>,
    averaged_epochs: Option<u32>,
    dropout: Option<f64>,
    exponent: Option<f64>,
    bits: Option<u32>,
    keep: Option<f64>,
    rerank: Option<u32>,
    seed: u64,
}

impl Mach {
    /// Takes them from the options.
    pub fn new(options: &mut Options<'_>, seed: u64) -> PyResult<Self> {
        let losses = [
            ("auto", Some(HeadLoss::Auto)),
            ("softmax", Some(HeadLoss::Softmax)),
            ("sigmoid", Some(HeadLoss::Sigmoid)),
        ];
        let optimizers = [
            ("adagrad", Some(Optimizer::FeatureAdaGrad)),
            ("sgd", Some(Optimizer::Sgd)),
        ];
        let estimators = [
            ("mean", Some(Estimator::Mean)),
            ("min", Some(Estimator::Min)),
            ("median", Some(Estimator::Median)),
            ("log-mean", Some(Estimator::LogMean)),
            ("logit-sum", Some(Estimator::LogitSum)),
        ];
        let given = Self {
            buckets: options.take("buckets")?,
            repetitions: options.take("repetitions")?,
            loss: options.choose("loss", &losses, None)?,
            optimizer: options.choose("optimizer", &optimizers, None)?,
            estimator: options.choose("estimator", &estimators, None)?,
            learning_rate: options.take("learning_rate")?,
            epochs: options.take("epochs")?,
            averaged_epochs: options.take("averaged_epochs")?,
            dropout: options.take("dropout")?,
            exponent: options.take("exponent")?,
            bits: options.take("bits")?,
            keep: options.take("keep")?,
            rerank: options.take("rerank")?,
            seed,
        };
        given
            .over(MachParameters::default())
            .check()
            .map_err(wrong)?;
        Ok(given)
    }

    /// The given values in place of those of `base`.
    fn over(&self, base: MachParameters) -> MachParameters {
        let base = match self.optimizer {
            Some(optimizer) => base.with_optimizer(optimizer),
            None => base,
        };
        MachParameters {
            buckets: self.buckets.unwrap_or(base.buckets),
            repetitions: self.repetitions.unwrap_or(base.repetitions),
            loss: self.loss.unwrap_or(base.loss),
            estimator: self.estimator.unwrap_or(base.estimator),
            learning_rate: self.learning_rate.unwrap_or(base.learning_rate),
            epochs: self.epochs.unwrap_or(base.epochs),
            averaged_epochs: self.averaged_epochs.unwrap_or(base.averaged_epochs),
            dropout: self.dropout.unwrap_or(base.dropout),
            exponent: self.exponent.unwrap_or(base.exponent),
            bits: self.bits.unwrap_or(base.bits),
            keep: self.keep.unwrap_or(base.keep),
            rerank: self.rerank.unwrap_or(base.rerank),
            seed: self.seed,
            ..base
        }
    }

    /// Trains the model of the command.
    pub fn train(&self, job: &Job<'_>, texts: Texts) -> Result<Model, Failure> {
        let (data, kernels) = (job.data, kernels::best());
        let parameters = self.over(MachParameters::automatic(data));
        let tell = |report: Report| job.tell("training", report.done, report.of);
        let Some(most) = job.max_bytes else {
            let trainer = parameters.trainer(data, job.executor.threads(), kernels)?;
            let mach = job.train(trainer, ("mach", &parameters), tell)?;
            return Ok(Model::made(Trained::Mach(mach), data, texts));
        };
        let made = job.watched(("mach", (&parameters, most)), tell, |watch| {
            Model::train_mach_within(&parameters, data, texts, most, job.executor, kernels, watch)
        })?;
        Ok(made.0)
    }
}
