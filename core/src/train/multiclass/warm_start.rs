//! Where training may begin other than at nothing.

use super::{duals::RowDuals, problem::Problem};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::linear::{
        LinearModel,
        scorer::{LinearScorer, ScorerScratch},
    },
    train::TrainError,
};
use alloc::{vec, vec::Vec};

/// What training starts from.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// The duals of the same rows at another cost.
    Duals(&'a WarmStart),
    /// A linear model of the same features and labels, by whatever method: the labels that it ranks
    /// first for a row are the classes that the row lists from the beginning. Duals cannot be had
    /// from a model, but passes over all classes for all rows, most of the work at first, need not
    /// find those classes.
    Model(&'a LinearModel),
}

/// Duals of a machine, from which another one at another cost may start.
#[derive(Clone, Debug)]
pub struct WarmStart {
    pub(super) cost: f64,
    pub(super) duals: Vec<RowDuals>,
}

/// Rows of a job.
const ROWS: usize = 64;

/// For each row the classes, at most `most`, that `model` ranks first, the row's own left out.
///
/// # Errors
/// If the model has another number of features than the data.
pub fn likely_classes(
    model: &LinearModel,
    data: &Dataset,
    problem: &Problem,
    most: usize,
    executor: &Executor,
    kernels: &dyn Kernels,
) -> Result<Vec<Vec<u32>>, TrainError> {
    let (known, features) = (model.features(), data.rows().features());
    if known != features {
        return Err(TrainError::StartDiffers {
            what: "features",
            model: known,
            data: features,
        });
    }
    let out_of_memory = |_| TrainError::OutOfMemory {
        bytes: 4 * model.nonzeros() as u64,
    };
    let scorer = LinearScorer::new(model).map_err(out_of_memory)?;
    let mut class_of = vec![None; data.labels().labels() as usize];
    for (class, &label) in problem.labels().iter().enumerate() {
        class_of[label as usize] = Some(class as u32);
    }
    let count = problem.len();
    let parts = executor.map(
        count.div_ceil(ROWS),
        ScorerScratch::default,
        |scratch, job| {
            let rows = job * ROWS..count.min((job + 1) * ROWS);
            let of = |row: usize| -> Vec<u32> {
                let source = data.rows().row(problem.source(row) as usize);
                let best = scorer.predict(source, most + 1, kernels, scratch);
                let classes = best
                    .iter()
                    .filter_map(|scored| class_of.get(scored.id as usize).copied().flatten());
                let own = problem.class(row);
                classes.filter(|&class| class != own).take(most).collect()
            };
            rows.map(of).collect::<Vec<_>>()
        },
    );
    Ok(parts.into_iter().flatten().collect())
}
