//! MACH in parts: one stage, each part a range of heads, which never meet. A part needs the weights
//! of its heads only.

use super::{MachKernels, Trainer};
use crate::{
    data::Dataset,
    executor::{Executor, Sequential},
    model::Mach,
    parameters::mach::MachParameters,
    train::{
        TrainError, Training,
        shards::{Parts, share},
        state::Resumable,
    },
};
use alloc::vec::Vec;

/// A MACH training in parts.
pub struct MachParts<'a> {
    parameters: MachParameters,
    data: &'a Dataset,
    kernels: &'static dyn MachKernels,
    threads: usize,
    whole: Option<Trainer<'a>>,
}

impl<'a> MachParts<'a> {
    /// Begins training on `data`.
    ///
    /// # Errors
    /// Bad parameters and unusable data.
    pub fn new(
        parameters: &MachParameters,
        data: &'a Dataset,
        threads: usize,
        kernels: &'static dyn MachKernels,
    ) -> Result<Self, TrainError> {
        parameters.check()?;
        crate::train::check_data(data)?;
        Ok(Self {
            parameters: parameters.clone(),
            data,
            kernels,
            threads,
            whole: None,
        })
    }

    /// The heads, when all parts were taken in.
    ///
    /// # Errors
    /// As [`Training::finish`], and if parts are missing.
    pub fn finish(self) -> Result<Mach, TrainError> {
        let trainer = self.whole.ok_or(TrainError::Stopped)?;
        trainer.finish(&Sequential)
    }
}

impl Parts for MachParts<'_> {
    fn stages(&self) -> u32 {
        1
    }

    fn stage(&self) -> u32 {
        u32::from(self.whole.is_some())
    }

    fn cost(&self, part: usize, parts: usize) -> u64 {
        let heads = share(self.parameters.repetitions as usize, part, parts).len() as u64;
        let steps = self.data.rows().nonzeros() as u64 * u64::from(self.parameters.epochs);
        heads * u64::from(self.parameters.buckets) * steps
    }

    fn part(
        &mut self,
        part: usize,
        parts: usize,
        executor: &Executor,
    ) -> Result<Vec<u8>, TrainError> {
        if self.whole.is_some() {
            return Err(TrainError::Stopped);
        }
        let heads = share(self.parameters.repetitions as usize, part, parts);
        let threads = executor.threads();
        let mut trainer = self
            .parameters
            .trainer_of(heads, self.data, threads, self.kernels)?;
        while trainer.step(executor).is_some() {}
        Ok(trainer.to_bytes()?)
    }

    fn take(&mut self, parts: &[&[u8]]) -> Result<(), TrainError> {
        let mut trainer = self
            .parameters
            .trainer(self.data, self.threads, self.kernels)?;
        trainer.resume_all(parts)?;
        if !trainer.is_done() {
            return Err(TrainError::Stopped);
        }
        self.whole = Some(trainer);
        Ok(())
    }
}
