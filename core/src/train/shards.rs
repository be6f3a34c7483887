//! Training in parts that different machines can do.
//!
//! A training is a row of stages, and each stage falls into as many parts as one likes. A part
//! follows from the data, the parameters and the parts of the stage before, from nothing else:
//! whoever does it, and however often, it is the same bytes. So parts can be files in a folder that
//! all machines see. When all parts of a stage are there, everybody takes them in and goes on to
//! the next one; after the last stage the model is as if one machine had done all, to the bit, for
//! any number of parts.

use super::TrainError;
use crate::executor::Executor;
use alloc::vec::Vec;

/// A training in parts; see the module's text.
pub trait Parts {
    /// Number of stages.
    fn stages(&self) -> u32;

    /// The stage under way, from 0; [`Parts::stages`] when all are over.
    fn stage(&self) -> u32;

    /// What part `part` of `parts` of this stage costs, in units that are the same for all its
    /// parts.
    fn cost(&self, part: usize, parts: usize) -> u64;

    /// Does part `part` of `parts` of this stage.
    ///
    /// # Errors
    /// As training; and if all stages are over.
    fn part(
        &mut self,
        part: usize,
        parts: usize,
        executor: &Executor,
    ) -> Result<Vec<u8>, TrainError>;

    /// Takes in all parts of this stage, in their order, and goes on to the next.
    ///
    /// # Errors
    /// If they are not the parts of this stage. Then the training is of no use.
    fn take(&mut self, parts: &[&[u8]]) -> Result<(), TrainError>;
}

/// The share of `0..count` that part `part` of `parts` is.
#[must_use]
pub(crate) fn share(count: usize, part: usize, parts: usize) -> core::ops::Range<usize> {
    let cut = |part: usize| (count as u128 * part as u128 / parts.max(1) as u128) as usize;
    cut(part.min(parts))..cut((part + 1).min(parts))
}
