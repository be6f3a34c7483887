//! Prototypes of labels: joint training, sampled steps, and means of rows.

use super::{
    errors::wrong,
    job::{Failure, Job, Texts},
    options::{Options, reduction},
};
use hapax::{
    core::{
        model::Model,
        parameters::{
            EmbeddingTraining, NearestMean, RankWeight, Sampled, SampledDraws, ViolatorSearch,
            Wsabie, WsabieSteps,
        },
        train::{EmbeddingReport, Parameters, Reduction},
    },
    kernels,
};
use pyo3::PyResult;

/// A training of prototypes as a call wants it.
pub struct Prototypes {
    training: EmbeddingTraining,
    reduction: Option<Reduction>,
}

impl Prototypes {
    /// The training of this name with the options; `None` if it is none of these.
    pub fn new(method: &str, options: &mut Options<'_>, seed: u64) -> PyResult<Option<Self>> {
        let training = match method {
            "wsabie" => wsabie(&Wsabie::default(), options, seed)?,
            "wsabie-pp" => wsabie(&Wsabie::distances(), options, seed)?,
            "ova-sgd" => sampled(Sampled::one_vs_all(), options, seed)?,
            "auc" => sampled(Sampled::auc(), options, seed)?,
            "nearest-mean" => nearest_mean(options)?,
            _ => return Ok(None),
        };
        training.check().map_err(wrong)?;
        let reduction = reduction(options, seed)?;
        Ok(Some(Self {
            training,
            reduction,
        }))
    }

    /// Trains the model of the command.
    pub fn train(&self, job: &Job<'_>, texts: Texts) -> Result<Model, Failure> {
        let (training, data, executor) = (&self.training, job.data, job.executor);
        let fit = |reduction: &Reduction| reduction.fit(data, training.transform(), executor);
        let projection = self.reduction.as_ref().map(fit).transpose()?;
        let told = |report: EmbeddingReport| job.tell("training", report.done, report.of);
        let belonging = (training.name(), (training, self.reduction));
        job.watched(belonging, told, |watch| {
            let projection = projection.as_ref();
            let kernels = kernels::best();
            Model::train_embedding(
                training, projection, data, texts, executor, kernels, watch,
            )
        })
    }
}

fn wsabie(base: &Wsabie, options: &mut Options<'_>, seed: u64) -> PyResult<EmbeddingTraining> {
    let weights = [
        ("constant", RankWeight::Constant),
        ("harmonic", RankWeight::Harmonic),
    ];
    let steps = [
        ("plain", WsabieSteps::Plain),
        ("adagrad", WsabieSteps::AdaGrad),
        ("adagrad-by-feature", WsabieSteps::AdaGradByFeature),
    ];
    let blocks = ViolatorSearch::Blocks {
        classes: 256,
        top: 5,
    };
    let searches = [
        ("cyclic", ViolatorSearch::Cyclic),
        ("replacement", ViolatorSearch::Replacement),
        ("blocks", blocks),
    ];
    let mut made = Wsabie {
        dimensions: options.take("dimensions")?.unwrap_or(base.dimensions),
        margin: options.take("margin")?.unwrap_or(base.margin),
        step_size: options.take("step_size")?.unwrap_or(base.step_size),
        steps: options.choose("steps", &steps, base.steps)?,
        search: options.choose("search", &searches, base.search)?,
        rank_weight: options.choose("rank_weight", &weights, base.rank_weight)?,
        max_norm: options.take("max_norm")?.unwrap_or(base.max_norm),
        violators: options.take("violators")?.unwrap_or(base.violators),
        epochs: options.take("epochs")?.unwrap_or(base.epochs),
        batch: options.take("batch")?.unwrap_or(base.batch),
        models: options.take("models")?.unwrap_or(base.models),
        seed,
        ..base.clone()
    };
    form(
        options,
        (&mut made.exponent, &mut made.normalize, &mut made.bits),
    )?;
    Ok(EmbeddingTraining::Wsabie(made))
}

fn sampled(base: Sampled, options: &mut Options<'_>, seed: u64) -> PyResult<EmbeddingTraining> {
    let draws = match base.draws {
        SampledDraws::Balance(balance) => {
            SampledDraws::Balance(options.take("balance")?.unwrap_or(balance))
        }
        other => other,
    };
    let mut made = Sampled {
        draws,
        margin: options.take("margin")?.unwrap_or(base.margin),
        step_size: options.take("step_size")?.unwrap_or(base.step_size),
        max_norm: options.take("max_norm")?.unwrap_or(base.max_norm),
        epochs: options.take("epochs")?.unwrap_or(base.epochs),
        seed,
        ..base
    };
    form(
        options,
        (&mut made.exponent, &mut made.normalize, &mut made.bits),
    )?;
    Ok(EmbeddingTraining::Sampled(made))
}

fn nearest_mean(options: &mut Options<'_>) -> PyResult<EmbeddingTraining> {
    let mut made = NearestMean::default();
    form(
        options,
        (&mut made.exponent, &mut made.normalize, &mut made.bits),
    )?;
    Ok(EmbeddingTraining::NearestMean(made))
}

/// What all prototypes do to rows and weights.
fn form(
    options: &mut Options<'_>,
    (exponent, normalize, bits): (&mut f64, &mut bool, &mut u32),
) -> PyResult<()> {
    let as_is: Option<bool> = options.take("no_normalize")?;
    *exponent = options.take("exponent")?.unwrap_or(1.0);
    *normalize = !as_is.unwrap_or(false);
    *bits = options.take("bits")?.unwrap_or(*bits);
    Ok(())
}
