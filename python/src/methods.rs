//! The methods that train from their parameters alone: multi-class machines, MEMOIR, and prototypes
//! of labels.

use super::{
    errors::wrong,
    interrupt::Step,
    memoir::GivenMemoir,
    options::{Options, reduction},
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::Model,
        parameters::{
            EmbeddingTraining, MultiClassLoss, MultiClassSvm, NearestMean, RankWeight, Sampled,
            SampledDraws, Shrinking, Wsabie,
        },
        text::Vectorizer,
        train::{
            Hearing, Parameters, Reduction, TrainError, Trained, Training, multiclass::MultiLabel,
        },
    },
    kernels,
};
use pyo3::PyResult;
use std::{ops::ControlFlow, sync::mpsc::Sender};

/// A method and its parameters.
pub enum Plain {
    Exact(MultiClassSvm, MultiLabel),
    Memoir(Box<GivenMemoir>),
    Prototypes(EmbeddingTraining, Option<Reduction>),
}

impl Plain {
    /// The method of this name with the parameters of the options; `None` if it is none of these.
    pub fn new(method: &str, options: &mut Options<'_>, seed: u64) -> PyResult<Option<Self>> {
        let loss = match method {
            "cs" => MultiClassLoss::CrammerSinger,
            "ww" => MultiClassLoss::WestonWatkins,
            "llw" => MultiClassLoss::LeeLinWahba,
            "memoir-l2" | "memoir-l1" | "memoir-lsh" => {
                let given = GivenMemoir::new(method, options, seed)?;
                return Ok(Some(Self::Memoir(Box::new(given))));
            }
            "wsabie" => return wsabie(&Wsabie::default(), options, seed).map(Some),
            "wsabie-pp" => return wsabie(&Wsabie::distances(), options, seed).map(Some),
            "ova-sgd" => return sampled(Sampled::one_vs_all(), options, seed).map(Some),
            "auc" => return sampled(Sampled::auc(), options, seed).map(Some),
            "nearest-mean" => return nearest_mean(options, seed).map(Some),
            _ => return Ok(None),
        };
        exact(loss, options, seed).map(Some)
    }

    /// Trains the model of the command.
    pub fn train<E: Executor>(
        &self,
        data: &Dataset,
        texts: Option<Vectorizer>,
        executor: &E,
        steps: &Sender<Step>,
    ) -> Result<Model, TrainError> {
        // Nobody listening any more is no reason to fail.
        let tell = |done, of| {
            _ = steps.send(("training", done, of));
            ControlFlow::Continue(())
        };
        let best = kernels::best();
        match self {
            Self::Exact(parameters, several) => {
                let most = parameters.max_epochs as usize;
                let told = |report: hapax::core::train::multiclass::Report| {
                    tell(report.epoch as usize, most)
                };
                let machine = parameters.train(data, *several, None, executor, best, told)?;
                Ok(Model::made(
                    Trained::MultiClass(&machine, parameters),
                    data,
                    texts,
                ))
            }
            Self::Memoir(given) => {
                let (parameters, projection) = given.for_data(data, executor)?;
                let watch = &mut Hearing(|_| tell(0, 0));
                if let Some(projection) = &projection {
                    return Model::train_projected_memoir(
                        &parameters,
                        projection,
                        data,
                        texts,
                        executor,
                        false,
                        watch,
                    );
                }
                let weights = parameters.trainer(data)?.train(executor, watch)?;
                Ok(Model::made(
                    Trained::Memoir(weights, &parameters),
                    data,
                    texts,
                ))
            }
            Self::Prototypes(training, reduction) => {
                let fit =
                    |reduction: &Reduction| reduction.fit(data, training.transform(), executor);
                let projection = reduction.as_ref().map(fit).transpose()?;
                let (projection, watch) = (projection.as_ref(), &mut Hearing(|_| tell(0, 0)));
                Model::train_watched_embedding(
                    training, projection, data, texts, executor, best, watch,
                )
            }
        }
    }
}

fn exact(loss: MultiClassLoss, options: &mut Options<'_>, seed: u64) -> PyResult<Plain> {
    let base = MultiClassSvm::new(loss);
    let epsilon: Option<f64> = options.take("epsilon")?;
    if let Some(epsilon) = epsilon.filter(|&epsilon| epsilon <= 0.0) {
        return Err(wrong(format_args!(
            "epsilon is {epsilon}, but must be more than 0"
        )));
    }
    let shrinking: Option<u32> = options.take("shrink_count")?;
    let keep: Option<bool> = options.take("keep_lengths")?;
    // A bound on gradients takes the place of the proof.
    let gap = if epsilon.is_some() { 0.0 } else { base.gap };
    let parameters = MultiClassSvm {
        cost: options.take("cost")?.unwrap_or(base.cost),
        bias: options.take("bias")?.unwrap_or(base.bias),
        exponent: options.take("exponent")?.unwrap_or(base.exponent),
        normalize: !keep.unwrap_or(false),
        epsilon: epsilon.unwrap_or(base.epsilon),
        gap: options.take("gap")?.unwrap_or(gap),
        max_epochs: options.take("max_epochs")?.unwrap_or(base.max_epochs),
        shrinking: shrinking.map_or(base.shrinking, Shrinking::Counter),
        prune: options.take("prune")?.unwrap_or(base.prune),
        bits: options.take("bits")?.unwrap_or(base.bits),
        seed,
        ..base
    };
    let names = [
        ("refuse", MultiLabel::Refuse),
        ("replicate", MultiLabel::Replicate),
    ];
    let several = options.choose("multilabel", &names, MultiLabel::Refuse)?;
    parameters.check().map_err(wrong)?;
    Ok(Plain::Exact(parameters, several))
}

fn wsabie(base: &Wsabie, options: &mut Options<'_>, seed: u64) -> PyResult<Plain> {
    let weights = [
        ("constant", RankWeight::Constant),
        ("harmonic", RankWeight::Harmonic),
    ];
    let mut made = Wsabie {
        dimensions: options.take("dimensions")?.unwrap_or(base.dimensions),
        margin: options.take("margin")?.unwrap_or(base.margin),
        step_size: options.take("step_size")?.unwrap_or(base.step_size),
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
    prototypes(EmbeddingTraining::Wsabie(made), options, seed)
}

fn sampled(base: Sampled, options: &mut Options<'_>, seed: u64) -> PyResult<Plain> {
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
    prototypes(EmbeddingTraining::Sampled(made), options, seed)
}

fn nearest_mean(options: &mut Options<'_>, seed: u64) -> PyResult<Plain> {
    let mut made = NearestMean::default();
    form(
        options,
        (&mut made.exponent, &mut made.normalize, &mut made.bits),
    )?;
    prototypes(EmbeddingTraining::NearestMean(made), options, seed)
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

fn prototypes(
    training: EmbeddingTraining,
    options: &mut Options<'_>,
    seed: u64,
) -> PyResult<Plain> {
    training.check().map_err(wrong)?;
    Ok(Plain::Prototypes(training, reduction(options, seed)?))
}
