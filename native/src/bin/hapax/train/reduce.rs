//! `--reduce K`: training in the directions in which rows extend most.

use super::super::{failure::Failure, output::note, table::bytes};
use clap::Args;
use hapax::core::{
    data::Dataset,
    executor::Executor,
    parameters::RowTransform,
    train::{MemoryEstimate, Projection, Reduction, TrainError},
};

/// How rows are brought to few dimensions.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Rows and weights")]
pub struct Reduce {
    /// Train on the rows in the K directions in which they extend most (a randomized singular value
    /// decomposition); the model takes rows as they are
    #[arg(long, value_name = "K")]
    reduce: Option<u32>,
    /// How often these directions are improved
    #[arg(long, value_name = "Q", default_value_t = 2, requires = "reduce")]
    reduce_iterations: u32,
}

impl Reduce {
    /// Refuses numbers that no data could meet.
    pub fn check(&self) -> Result<(), Failure> {
        match self.reduction(0) {
            Some(reduction) => Ok(reduction.check().map_err(TrainError::from)?),
            None => Ok(()),
        }
    }

    /// How many dimensions are asked for.
    pub fn dimensions(&self) -> Option<u32> {
        self.reduce
    }

    /// What is asked for.
    pub fn reduction(&self, seed: u64) -> Option<Reduction> {
        self.reduce.map(|dimensions| Reduction {
            dimensions,
            power_iterations: self.reduce_iterations,
            seed,
            ..Reduction::default()
        })
    }

    /// The directions of the rows of `data`, if they are asked for; says how much memory that
    /// takes.
    pub fn fit(
        &self,
        data: &Dataset,
        transform: RowTransform,
        seed: u64,
        threads: &Executor,
    ) -> Result<Option<Projection>, Failure> {
        let Some(reduction) = self.reduction(seed) else {
            return Ok(None);
        };
        let memory = bytes(reduction.memory_estimate(data, threads.threads()));
        let dimensions = reduction.dimensions;
        note(format_args!(
            "reducing rows to {dimensions} dimensions; this takes up to about {memory} of memory beside the data"
        ));
        Ok(Some(reduction.fit(data, transform, threads)?))
    }
}
