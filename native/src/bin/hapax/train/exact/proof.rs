//! What is told of a machine: how right it is, its proof, its parameters.

use super::super::{
    super::{failure::Failure, table::count},
    finish::Told,
};
use hapax::{
    core::{data::Dataset, parameters::MultiClassSvm, train::multiclass::Machine},
    kernels,
    threads::Threads,
};
use serde_json::{Value, json};

/// The share of rows whose best label is one of theirs.
pub fn accuracy(machine: &Machine, data: &Dataset, threads: &Threads) -> Result<f64, Failure> {
    let found = machine
        .model
        .predict_rows(data.rows(), 1, kernels::best(), threads)
        .map_err(|error| Failure::Other(error.to_string()))?;
    let right = found.iter().enumerate();
    let right = right.filter(|(row, best)| data.labels().row(*row).contains(&best.id));
    Ok(right.count() as f64 / data.len().max(1) as f64)
}

/// What the proof says.
pub fn tell(machine: &Machine, told: &mut Told) {
    let proof = machine.certificate;
    told.epochs = Some(u64::from(proof.epochs));
    told.objective = Some(proof.primal);
    told.gap = Some(proof.relative_gap());
    told.stored_gap = Some(machine.stored_gap());
    told.lines.push(format!(
        "proof after {} epochs, before pruning and rounding: primal {:.6}, dual {:.6}, relative gap {:.2e}; \
         {} weights other than 0",
        proof.epochs,
        proof.primal,
        proof.dual,
        proof.relative_gap(),
        count(proof.nonzeros),
    ));
    told.lines.push(format!(
        "as stored: {} weights, relative gap {:.2e}",
        count(machine.model.nonzeros() as u64),
        machine.stored_gap(),
    ));
}

/// Parameters of a machine for programs.
pub fn parameters_json(parameters: &MultiClassSvm) -> Value {
    json!({
        "cost": parameters.cost, "bias": parameters.bias, "exponent": parameters.exponent,
        "normalize": parameters.normalize, "epsilon": parameters.epsilon, "gap": parameters.gap,
        "max_epochs": parameters.max_epochs, "prune": parameters.prune, "bits": parameters.bits,
    })
}
