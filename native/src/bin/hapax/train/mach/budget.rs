//! Training with rows held out, to fit into a budget.

use super::super::{
    super::{
        failure::Failure,
        table::{count, percent, table},
    },
    Training,
    checkpoint::{Keeper, Watching},
    finish::Told,
};
use hapax::{
    core::{
        executor::Executor,
        model::Model,
        parameters::MachParameters,
        train::mach::{FitStep, MachFit, Report},
    },
    kernels,
};

/// Trains with rows held out, to fit into `most` bytes.
pub fn within(
    parameters: &MachParameters,
    most: u64,
    training: &mut Training,
    threads: &Executor,
    (keeper, tell): (Keeper, impl FnMut(Report)),
    told: &mut Told,
) -> Result<Model, Failure> {
    let (vectorizer, kernels) = (training.vectorizer.take(), kernels::best());
    let data = &training.data;
    let mut watching = Watching::new(keeper, ("mach", (parameters, most), data), tell);
    let watch = &mut watching;
    let made =
        Model::train_mach_within(parameters, data, vectorizer, most, threads, kernels, watch);
    let (model, fit) = watching.outcome(made)?;
    told.held_out = Some(fit.held_out);
    told.lines.push(tried(&fit));
    Ok(model)
}

/// How a model was packed.
fn way(step: &FitStep) -> String {
    match (step.refined, step.entries) {
        (false, _) => format!("{} bits", step.bits),
        (true, 0) => format!("{} bits, trained on", step.bits),
        (true, _) => format!(
            "{} bits, trained on, --set rerank-weight={}",
            step.bits, step.rerank_weight
        ),
    }
}

/// What was tried to fit a model into its bytes.
fn tried(fit: &MachFit) -> String {
    let header = [
        "tried",
        "heads",
        "weights",
        "centroids",
        "bytes",
        "P@1",
        "P@3",
        "P@5",
        "",
    ];
    let mut lines = table(&header);
    let before = fit.before;
    lines.add_row(vec![
        "as trained".to_string(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        percent(before.at_1),
        percent(before.at_3),
        percent(before.at_5),
        String::new(),
    ]);
    for (at, step) in fit.tried.iter().enumerate() {
        lines.add_row(vec![
            way(step),
            step.heads.to_string(),
            count(step.weights),
            step.entries.to_string(),
            count(step.bytes),
            percent(step.precision.at_1),
            percent(step.precision.at_3),
            percent(step.precision.at_5),
            if at == fit.chosen { "chosen" } else { "" }.to_string(),
        ]);
    }
    format!(
        "tried on {} held-out rows:\n{lines}",
        count(fit.held_out as u64)
    )
}
