//! Multi-class machines: `cs`, `ww` and `llw`.

use super::{
    errors::wrong,
    job::{Failure, Job, Texts},
    options::Options,
};
use hapax::{
    choose_cost,
    core::{
        model::Model,
        parameters::{MultiClassLoss, MultiClassSvm, Shrinking},
        train::{
            Parameters, Trained,
            multiclass::{MultiLabel, Report, Solver, Start},
        },
    },
    kernels,
};
use pyo3::PyResult;
use std::ops::ControlFlow;

/// A machine for all labels as a call wants it.
pub struct MultiClass {
    parameters: MultiClassSvm,
    /// The costs to choose from.
    costs: Vec<f64>,
    several: MultiLabel,
}

impl MultiClass {
    /// Takes the options; `starts` from a model or not.
    pub fn new(
        loss: MultiClassLoss,
        options: &mut Options<'_>,
        seed: u64,
        starts: bool,
    ) -> PyResult<Self> {
        if starts && loss == MultiClassLoss::LeeLinWahba {
            let rule =
                "llw keeps a dual for every row and label, which no model tells: leave out from_";
            return Err(wrong(rule));
        }
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
        let cost: Option<f64> = options.take("cost")?;
        let costs: Vec<f64> = options.take("costs")?.unwrap_or_default();
        if cost.is_some() && !costs.is_empty() {
            return Err(wrong("costs are those to choose from: leave out cost"));
        }
        let mut parameters = MultiClassSvm {
            cost: cost.unwrap_or(base.cost),
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
        for &cost in &costs {
            parameters.cost = cost;
            parameters.check().map_err(wrong)?;
        }
        parameters.check().map_err(wrong)?;
        Ok(Self {
            parameters,
            costs,
            several,
        })
    }

    /// Trains the model of the command.
    pub fn train(&self, job: &Job<'_>, texts: Texts) -> Result<Model, Failure> {
        let (data, several, executor) = (job.data, self.several, job.executor);
        let start = job.start()?.map(Start::Model);
        let mut parameters = self.parameters.clone();
        let most = parameters.max_epochs as usize;
        if self.costs.len() > 1 {
            let told = |report: Report| {
                job.tell("choosing the cost", report.epoch as usize, most);
                ControlFlow::Continue(())
            };
            let rows = (data, several, start);
            parameters.cost = choose_cost(&parameters, &self.costs, rows, executor, told)?.cost;
        }
        let solver = Solver::new(&parameters, data, several, start, executor, kernels::best())?;
        let told = |report: Report| job.tell("training", report.epoch as usize, most);
        let identity = (&parameters, several == MultiLabel::Replicate);
        let machine = job.train(solver, ("multi-class machine", identity), told)?;
        let trained = Trained::MultiClass(&machine, &parameters);
        Ok(Model::made(trained, data, texts))
    }
}
