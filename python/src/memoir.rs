//! The options of MEMOIR: what is not given is chosen by the data.

use super::{
    errors::wrong,
    job::{Failure, Job, Texts},
    options::{Options, reduction},
};
use hapax::core::{
    data::Dataset,
    executor::Executor,
    model::Model,
    parameters::{Length, LinearTraining, Memoir, MemoirDraws, MemoirSteps, Oracle, SeveralLabels},
    train::{Parameters, Projection, Reduction, TrainError, Trained},
};
use pyo3::PyResult;

/// Which size of the weights is kept small.
#[derive(Clone, Copy, Default, PartialEq)]
enum Variant {
    #[default]
    L2,
    L1,
    /// L2, and codes of signs for the maximum.
    Lsh,
}

/// The parameters of MEMOIR that are given; the data choose the others.
#[derive(Default)]
pub struct GivenMemoir {
    variant: Variant,
    oracle: Option<Oracle>,
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
    reduce: Option<Reduction>,
    seed: u64,
}

impl GivenMemoir {
    /// Takes the options of `memoir-l2`, `memoir-l1` or `memoir-lsh`.
    pub fn new(method: &str, options: &mut Options<'_>, seed: u64) -> PyResult<Self> {
        let variant = match method {
            "memoir-l1" => Variant::L1,
            "memoir-lsh" => Variant::Lsh,
            _ => Variant::L2,
        };
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
            variant,
            oracle: oracle(variant, options)?,
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
            reduce: match variant {
                Variant::Lsh => reduction(options, seed)?,
                _ => None,
            },
            seed,
        };
        given.over(Memoir::default(), 2).check().map_err(wrong)?;
        Ok(given)
    }

    /// The parameters for these data, and the directions in which they are trained on if these are
    /// fewer than the features.
    fn for_data(
        &self,
        data: &Dataset,
        executor: &Executor,
    ) -> Result<(Memoir, Option<Projection>), TrainError> {
        let mut made = self.over(Memoir::automatic(data), data.labels().labels());
        if self.variant == Variant::Lsh {
            let oracle = made.oracle;
            made = made.with_codes(oracle, data);
        }
        let fewer = |reduction: &Reduction| reduction.dimensions < data.rows().features();
        let Some(reduction) = self.reduce.filter(fewer) else {
            return Ok((made, None));
        };
        // Reduced rows have all features.
        made.create = 0.0;
        let transform = LinearTraining::Memoir(made.clone()).transform();
        let projection = reduction.fit(data, transform, executor)?;
        Ok((made, Some(projection)))
    }

    /// Trains the model of the command.
    pub fn train(&self, job: &Job<'_>, texts: Texts) -> Result<Model, Failure> {
        let (data, executor) = (job.data, job.executor);
        let (parameters, projection) = self.for_data(data, executor)?;
        let told = |_| job.tell("training", 0, 0);
        let Some(projection) = projection else {
            let belonging = (parameters.name(), &parameters);
            let weights = job.train(parameters.trainer(data)?, belonging, told)?;
            let trained = Trained::Memoir(weights, &parameters);
            return Ok(Model::made(trained, data, texts));
        };
        let belonging = ("memoir in few dimensions", (&parameters, self.reduce));
        job.watched(belonging, told, |watch| {
            let (to, measures) = (&projection, false);
            Model::train_projected_memoir(&parameters, to, data, texts, executor, measures, watch)
        })
    }

    /// The given values in place of those of `base`.
    fn over(&self, base: Memoir, labels: u32) -> Memoir {
        let mut made = match self.variant {
            Variant::L1 => base.with_l1(labels),
            Variant::L2 | Variant::Lsh => base,
        };
        made.lambda = self.lambda.unwrap_or(made.lambda);
        if let MemoirSteps::Decaying { first, decay } = &mut made.steps {
            *first = self.step_size.unwrap_or(*first);
            let given = self.lambda.filter(|_| self.variant != Variant::L1);
            *decay = self.step_decay.or(given).unwrap_or(*decay);
        }
        made.length = self.length.unwrap_or(made.length);
        made.batch = self.batch.unwrap_or(made.batch);
        made.oracle = self.oracle.unwrap_or(made.oracle);
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

/// How the maximum inside the margin is found, if that is said.
fn oracle(variant: Variant, options: &mut Options<'_>) -> PyResult<Option<Oracle>> {
    let left_out: Option<f32> = options.take("left_out")?;
    let words: Option<u32> = options.take("code_words")?;
    let candidates: Option<u32> = options.take("candidates")?;
    let (degree, beam): (Option<u32>, Option<u32>) =
        (options.take("degree")?, options.take("beam")?);
    let codes = Oracle::SignCodes {
        words: words.unwrap_or(4),
        candidates: candidates.unwrap_or(50),
    };
    let graph = Oracle::Graph {
        degree: degree.unwrap_or(12),
        beam: beam.unwrap_or(40),
    };
    let names = [
        ("exhaustive", Some(Oracle::Exhaustive)),
        (
            "rare-features",
            Some(Oracle::RareFeatures(left_out.unwrap_or(0.1))),
        ),
        ("sign-codes", Some(codes)),
        ("graph", Some(graph)),
    ];
    let default = (variant == Variant::Lsh).then_some(codes);
    options.choose("oracle", &names, default)
}
