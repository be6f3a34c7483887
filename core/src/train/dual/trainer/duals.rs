//! What a label remembers from round to round.

use crate::train::dual::label_solver::SolverScratch;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The duals of one label between rounds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Duals {
    /// Of the label's own rows.
    pub positives: Vec<f32>,
    /// Negatives whose dual is not 0, rising.
    pub negatives: Vec<(u32, f32)>,
}

/// What stays of a label's duals: those of its own rows, and negatives that push.
pub(super) fn keep(scratch: &SolverScratch, own: usize) -> Duals {
    let (positives, negatives) = scratch.examples.split_at(own);
    Duals {
        positives: positives.iter().map(|e| e.alpha as f32).collect(),
        negatives: negatives
            .iter()
            .filter(|e| e.alpha > 0.0)
            .map(|e| (e.row, e.alpha as f32))
            .collect(),
    }
}
