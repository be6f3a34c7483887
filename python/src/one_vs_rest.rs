//! One-vs-rest.

use super::{
    errors::wrong,
    job::{Failure, Job, Texts},
    options::Options,
};
use hapax::{
    Fuse, LeftOut,
    core::{
        model::{Method, Model},
        parameters::{Bias, Loss, Negatives, OneVsRest},
        train::{
            Calibrating, Parameters, Trained,
            one_vs_rest::{Given, Report},
        },
    },
    kernels,
};
use pyo3::PyResult;
use std::ops::ControlFlow;
use xxhash_rust::xxh3::xxh3_64;

/// One-vs-rest as a call wants it.
pub struct GivenOneVsRest {
    fixed: OneVsRest,
    given: Given,
    /// Solves all labels to this relative gap.
    gap: Option<f64>,
    max_epochs: Option<u32>,
}

impl GivenOneVsRest {
    /// Takes the options, for a file of at most `max_bytes` if given; `starts` from a model or not.
    pub fn new(
        options: &mut Options<'_>,
        seed: u64,
        (max_bytes, starts): (Option<u64>, bool),
    ) -> PyResult<Self> {
        let base = OneVsRest::default();
        let losses = [
            ("hinge", Loss::Hinge),
            ("squared-hinge", Loss::SquaredHinge),
        ];
        let negatives = [
            ("auto", Negatives::Auto),
            ("all", Negatives::All),
            ("mined", Negatives::Mined),
        ];
        let max_epochs = options.take("max_epochs")?;
        let fixed = OneVsRest {
            loss: options.choose("loss", &losses, base.loss)?,
            negatives: options.choose("negatives", &negatives, base.negatives)?,
            rounds: options.take("rounds")?.unwrap_or(base.rounds),
            max_epochs: max_epochs.unwrap_or(base.max_epochs),
            bits: options.take("bits")?.unwrap_or(base.bits),
            seed,
            ..base
        };
        let gap: Option<f64> = options.take("gap")?;
        if gap.is_some() && fixed.negatives != Negatives::All {
            let rule = "gap needs negatives=\"all\": mined negatives prove nothing of all rows";
            return Err(wrong(rule));
        }
        if gap.is_some() && starts {
            return Err(wrong("gap needs a training from nothing: leave out from_"));
        }
        let given = given(options, max_bytes, (gap.is_some(), starts))?;
        given.over(&fixed).check().map_err(wrong)?;
        Ok(Self {
            fixed,
            given,
            gap,
            max_epochs,
        })
    }

    /// The parameters where nothing is chosen by the data.
    pub fn plain(&self) -> OneVsRest {
        self.given.over(&self.fixed)
    }

    /// Trains the model of the command; leaves where calibration begins in `begun`.
    pub fn train(
        mut self,
        job: &Job<'_>,
        texts: Texts,
        begun: &mut Calibrating,
    ) -> Result<Model, Failure> {
        if let Some(Method::Linear(linear)) = job.start.map(Model::method) {
            // Only with the same exponent do its weights fit the rows.
            let exponent = linear.parameters().transform().exponent;
            self.given.exponent.get_or_insert(exponent);
        }
        let (data, executor, kernels) = (job.data, job.executor, kernels::best());
        let told = |done, of| {
            job.tell("choosing parameters", done, of);
            ControlFlow::Continue(())
        };
        let (fixed, given) = (&self.fixed, &self.given);
        let mut choice = fixed.choose(given, data, executor, kernels, texts.is_some(), told)?;
        let parameters = &choice.parameters;
        if let Some(gap) = self.gap {
            return self.proven(parameters, gap, job, texts);
        }
        let start = job.start()?;
        if start.is_none() {
            *begun = std::mem::take(&mut choice.calibrating);
        }
        let mut trainer = parameters.trainer(data, executor, kernels)?;
        if let Some(model) = start {
            trainer.start_from(model)?;
        }
        let hash = start.map(|model| xxh3_64(&model.parts().records));
        let identity = (parameters, parameters.softmax, hash);
        let tell = |report: Report| job.tell("training", report.done, report.of);
        let linear = job.train(trainer, ("ovr", identity), tell)?;
        let rows = (data, texts);
        Ok(choice
            .fused
            .model(linear, parameters, rows, executor, kernels)?)
    }

    /// Solves all labels to a gap.
    fn proven(
        &self,
        parameters: &OneVsRest,
        gap: f64,
        job: &Job<'_>,
        texts: Texts,
    ) -> Result<Model, Failure> {
        let parameters = OneVsRest {
            max_epochs: self.max_epochs.unwrap_or(10_000),
            ..parameters.clone()
        };
        let proving = parameters.proving(job.data, gap, kernels::best())?;
        let tell = |(done, of)| job.tell("proving labels", done, of);
        let made = job.train(proving, ("proven ovr", (&parameters, gap)), tell)?;
        let trained = Trained::OneVsRest(made, &parameters);
        Ok(Model::made(trained, job.data, texts))
    }
}

/// What the call decided of that which the data would choose.
fn given(
    options: &mut Options<'_>,
    max_bytes: Option<u64>,
    (proves, starts): (bool, bool),
) -> PyResult<Given> {
    let fuses = [
        ("auto", Some(Fuse::Auto)),
        ("centroid", Some(Fuse::Centroid)),
        ("nearest", Some(Fuse::Nearest)),
        ("none", Some(Fuse::None)),
    ];
    let fuse = options.choose("fuse", &fuses, None)?;
    let bias: Option<f64> = options.take("bias")?;
    let learn = options.take::<bool>("learn_bias")?.unwrap_or(false);
    let mut given = Given {
        cost: options.take("cost")?,
        positive_weight: options.take("positive_weight")?,
        exponent: options.take("exponent")?,
        bias: match (learn, bias) {
            (true, value) => Some(Bias::Learned(value.unwrap_or(1.0))),
            (false, value) => value.map(Bias::Fixed),
        },
        prune: options.take("prune")?,
        centroid: options.take("centroid")?,
        prior: options.take("prior")?,
        softmax: options.take("softmax")?,
        embedding: options.take("embedding")?,
        pool: options.take("pool")?,
        mine: options.take("mine")?,
        epsilon: options.take("epsilon")?,
        neighbors: None,
        max_bytes,
    };
    let embeds = given.embedding.is_some();
    let refused = [
        (proves, "gap", "softmax", given.softmax.is_some()),
        (proves, "gap", "embedding", embeds),
        (starts, "from_", "embedding", embeds),
        (starts, "from_", "fuse", fuse.is_some()),
    ];
    if let Some((_, by, what, _)) = refused.iter().find(|refused| refused.0 && refused.3) {
        let rule = format_args!("{by} trains one-vs-rest alone: leave out {what}");
        return Err(wrong(rule));
    }
    let fuse = fuse.unwrap_or(Fuse::Auto);
    fuse.apply(&mut given).map_err(|left_out| {
        let LeftOut { by, what, weight } = left_out;
        wrong(format_args!(
            "fuse={by:?} leaves out what {what}={weight} adds: give one of the two"
        ))
    })?;
    if proves {
        // A proof is of the machines alone.
        given.softmax = Some(0.0);
    }
    if proves || starts {
        // Nor do neighbors go on from a model, and of labels without rows an embedding knows
        // nothing.
        (given.embedding, given.neighbors) = (Some(0.0), Some(false));
    }
    Ok(given)
}
