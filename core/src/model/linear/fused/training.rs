//! Training of both parts, part by part: the linear model of nine tenths of the rows, whose answers fit the weight, then
//! that of all rows.

use super::{FusedNearest, HeldOut, fit, neighbors};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::OneVsRestKernels,
    model::linear::LinearModel,
    train::{
        TrainError,
        dual::{one_vs_rest::Report, parameters::OneVsRest, trainer::Trainer},
        state::{Resumable, StateError, write},
    },
};

/// Training under way: call [`FusedTraining::step`] until it returns `None`, then [`FusedTraining::finish`].
pub struct FusedTraining<'a, E> {
    parameters: &'a OneVsRest,
    data: &'a Dataset,
    held_out: &'a HeldOut,
    executor: &'a E,
    kernels: &'static dyn OneVsRestKernels,
    /// Of all rows, once the weight is fitted.
    weight: Option<f32>,
    trainer: Option<Trainer<'a>>,
}

impl<'a, E: Executor> FusedTraining<'a, E> {
    /// Begins training on `data`, of which `held_out` is a division.
    ///
    /// # Errors
    /// As [`OneVsRest::trainer`].
    pub fn new(
        parameters: &'a OneVsRest,
        data: &'a Dataset,
        held_out: &'a HeldOut,
        executor: &'a E,
        kernels: &'static dyn OneVsRestKernels,
    ) -> Result<Self, TrainError> {
        let trainer = parameters.trainer(&held_out.train, executor, kernels)?;
        Ok(Self {
            parameters,
            data,
            held_out,
            executor,
            kernels,
            weight: None,
            trainer: Some(trainer),
        })
    }

    /// Does the next part of the work, or returns `None` if all is done.
    ///
    /// # Errors
    /// As [`OneVsRest::train`] and [`crate::model::nearest::Nearest::train`].
    pub fn step(&mut self) -> Result<Option<Report>, TrainError> {
        let Some(trainer) = &mut self.trainer else {
            return Ok(None);
        };
        let report = trainer.step(self.executor);
        if report.is_some() || self.weight.is_some() {
            return Ok(report);
        }
        if let Some(trainer) = self.trainer.take() {
            let linear = trainer.finish()?;
            let near = neighbors(&self.held_out.train)?;
            let test = &self.held_out.test;
            self.weight = Some(fit(&linear, &near, test, self.executor, self.kernels)?);
            self.begin_all()?;
        }
        self.step()
    }

    fn begin_all(&mut self) -> Result<(), TrainError> {
        let begun = self
            .parameters
            .trainer(self.data, self.executor, self.kernels);
        self.trainer = Some(begun?);
        Ok(())
    }

    /// Both parts.
    ///
    /// # Errors
    /// [`TrainError::Stopped`] if training has not ended; as [`FusedTraining::step`].
    pub fn finish(self) -> Result<(LinearModel, FusedNearest), TrainError> {
        let (Some(weight), Some(trainer)) = (self.weight, self.trainer) else {
            return Err(TrainError::Stopped);
        };
        let linear = trainer.finish()?;
        let nearest = neighbors(self.data)?;
        Ok((linear, FusedNearest { nearest, weight }))
    }
}

impl<E: Executor> Resumable for FusedTraining<'_, E> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let trainer = self.trainer.as_ref().ok_or(StateError::Unwritable)?;
        write(&self.weight, sink)?;
        trainer.save(sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (weight, rest): (Option<f32>, _) =
            postcard::take_from_bytes(bytes).map_err(|_| StateError::Malformed)?;
        if let Some(weight) = weight {
            if !super::WEIGHTS.contains(&weight) {
                return Err(StateError::Malformed);
            }
            self.weight = Some(weight);
            // The same data as before: what could fail here would have failed then.
            self.begin_all().map_err(|_| StateError::Malformed)?;
        }
        let trainer = self.trainer.as_mut().ok_or(StateError::Malformed)?;
        trainer.resume(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::data, FusedTraining, HeldOut};
    use crate::{
        executor::Sequential,
        kernels::Portable,
        train::{
            dual::parameters::{Negatives, OneVsRest},
            state::Resumable,
        },
    };

    #[test]
    fn a_training_left_after_any_part_ends_as_one_that_was_not() {
        let data = data(300);
        let parameters = OneVsRest {
            negatives: Negatives::Mined,
            rounds: 2,
            ..OneVsRest::default()
        };
        let held_out = HeldOut::of(&parameters, &data).unwrap();
        let new =
            || FusedTraining::new(&parameters, &data, &held_out, &Sequential, &Portable).unwrap();
        let mut whole = new();
        while whole.step().unwrap().is_some() {}
        let (linear, nearest) = whole.finish().unwrap();
        let (mut left, mut number) = (new(), 0);
        loop {
            let bytes = left.to_bytes().unwrap();
            let mut again = new();
            again.resume(&bytes).unwrap();
            while again.step().unwrap().is_some() {}
            let (other, near) = again.finish().unwrap();
            assert!(other == linear && near.weight == nearest.weight);
            assert!(new().resume(&bytes[..bytes.len() - 1]).is_err());
            number += 1;
            if left.step().unwrap().is_none() {
                break;
            }
        }
        assert!(number > 5, "{number}");
        assert!(new().finish().is_err());
    }
}
