//! What is told of a machine: how right it is, its proof, its parameters.

use super::super::{super::table::count, finish::Told};
use hapax::core::{parameters::MultiClassSvm, train::multiclass::Machine};
use serde_json::{Value, json};

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
