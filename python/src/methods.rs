//! The methods that train from their parameters alone: multi-class machines, MEMOIR, and prototypes
//! of labels.

use super::{errors::wrong, interrupt::Step, options::Options};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::Model,
        parameters::{
            EmbeddingTraining, Length, Memoir, MemoirDraws, MemoirSteps, MultiClassLoss,
            MultiClassSvm, NearestMean, RankWeight, Sampled, SampledDraws, SeveralLabels,
            Shrinking, Wsabie,
        },
        text::Vectorizer,
        train::{Hearing, Parameters, TrainError, Trained, Training, multiclass::MultiLabel},
    },
    kernels,
};
use pyo3::PyResult;
use std::{ops::ControlFlow, sync::mpsc::Sender};

/// A method and its parameters.
pub enum Plain {
    Exact(MultiClassSvm, MultiLabel),
    Memoir(Box<GivenMemoir>),
    Prototypes(EmbeddingTraining),
}

impl Plain {
    /// The method of this name with the parameters of the options; `None` if it is none of these.
    pub fn new(method: &str, options: &mut Options<'_>, seed: u64) -> PyResult<Option<Self>> {
        let loss = match method {
            "cs" => MultiClassLoss::CrammerSinger,
            "ww" => MultiClassLoss::WestonWatkins,
            "llw" => MultiClassLoss::LeeLinWahba,
            "memoir-l2" | "memoir-l1" => {
                let given = GivenMemoir::new(method == "memoir-l1", options, seed)?;
                return Ok(Some(Self::Memoir(Box::new(given))));
            }
            "wsabie" => return wsabie(&Wsabie::default(), options, seed).map(Some),
            "wsabie-pp" => return wsabie(&Wsabie::distances(), options, seed).map(Some),
            "ova-sgd" => return sampled(Sampled::one_vs_all(), options, seed).map(Some),
            "auc" => return sampled(Sampled::auc(), options, seed).map(Some),
            "nearest-mean" => return nearest_mean(options).map(Some),
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
                let parameters = given.over(Memoir::automatic(data), data.labels().labels());
                let watch = &mut Hearing(|_| tell(0, 0));
                let weights = parameters.trainer(data)?.train(executor, watch)?;
                Ok(Model::made(
                    Trained::Memoir(weights, &parameters),
                    data,
                    texts,
                ))
            }
            Self::Prototypes(training) => {
                let told = |_| tell(0, 0);
                Model::train_embedding(training, data, texts, executor, best, told)
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
    prototypes(EmbeddingTraining::Wsabie(made))
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
    prototypes(EmbeddingTraining::Sampled(made))
}

fn nearest_mean(options: &mut Options<'_>) -> PyResult<Plain> {
    let mut made = NearestMean::default();
    form(
        options,
        (&mut made.exponent, &mut made.normalize, &mut made.bits),
    )?;
    prototypes(EmbeddingTraining::NearestMean(made))
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

fn prototypes(training: EmbeddingTraining) -> PyResult<Plain> {
    training.check().map_err(wrong)?;
    Ok(Plain::Prototypes(training))
}

/// The parameters of MEMOIR that are given; the data choose the others.
#[derive(Default)]
pub struct GivenMemoir {
    is_l1: bool,
    lambda: Option<f64>,
    length: Option<Length>,
    batch: Option<u32>,
    step_size: Option<f64>,
    step_decay: Option<f64>,
    draws: Option<MemoirDraws>,
    norm_power: Option<f64>,
    violators: Option<u32>,
    exponent: Option<f64>,
    prune: Option<f32>,
    several: Option<SeveralLabels>,
    seed: u64,
}

impl GivenMemoir {
    fn new(is_l1: bool, options: &mut Options<'_>, seed: u64) -> PyResult<Self> {
        let epochs: Option<u32> = options.take("epochs")?;
        let iterations: Option<u64> = options.take("iterations")?;
        if epochs.is_some() && iterations.is_some() {
            return Err(wrong("epochs and iterations both say how long: give one"));
        }
        let length = epochs.map(Length::Epochs);
        let draws = [
            ("uniform", Some(MemoirDraws::Uniform)),
            ("balanced", Some(MemoirDraws::Balanced)),
        ];
        let several = [
            ("refuse", Some(SeveralLabels::Refuse)),
            ("replicate", Some(SeveralLabels::Replicate)),
            ("first", Some(SeveralLabels::First)),
        ];
        let scoring = [("dot", Some(0.0)), ("cosine", Some(1.0))];
        // `lambda` is a word of Python's own.
        let (lambda, plain) = (options.take("lambda_")?, options.take("lambda")?);
        let given = Self {
            is_l1,
            lambda: lambda.or(plain),
            length: length.or(iterations.map(Length::Iterations)),
            batch: options.take("batch_size")?,
            step_size: options.take("step_size")?,
            step_decay: options.take("step_decay")?,
            draws: options.choose("draws", &draws, None)?,
            norm_power: options.choose("scoring", &scoring, None)?,
            violators: options.take("violators")?,
            exponent: options.take("exponent")?,
            prune: options.take("prune")?,
            several: options.choose("multilabel", &several, None)?,
            seed,
        };
        given.over(Memoir::default(), 2).check().map_err(wrong)?;
        Ok(given)
    }

    /// The given values in place of those of `base`.
    fn over(&self, base: Memoir, labels: u32) -> Memoir {
        let mut made = match self.is_l1 {
            true => base.with_l1(labels),
            false => base,
        };
        made.lambda = self.lambda.unwrap_or(made.lambda);
        if let MemoirSteps::Decaying { first, decay } = &mut made.steps {
            *first = self.step_size.unwrap_or(*first);
            let given = self.lambda.filter(|_| !self.is_l1);
            *decay = self.step_decay.or(given).unwrap_or(*decay);
        }
        made.length = self.length.unwrap_or(made.length);
        made.batch = self.batch.unwrap_or(made.batch);
        made.draws = self.draws.unwrap_or(made.draws);
        made.norm_power = self.norm_power.unwrap_or(made.norm_power);
        made.violators = self.violators.unwrap_or(made.violators);
        made.exponent = self.exponent.unwrap_or(made.exponent);
        made.prune = self.prune.unwrap_or(made.prune);
        made.several = self.several.unwrap_or(SeveralLabels::Refuse);
        made.seed = self.seed;
        made
    }
}
