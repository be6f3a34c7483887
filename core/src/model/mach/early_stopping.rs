//! Training that ends itself: after the first epoch that does not raise the precision on rows held out.

use super::{
    Mach,
    assemble::{assemble, dense, packed, shape},
    centroids::Centroids,
    fit::split,
};
use crate::model::mach::head_weights::{Form, HeadWeights};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::MachKernels,
    parameters::mach::MachParameters,
    train::{
        TrainError,
        mach::{Report, Trainer},
        state::{Resumable, StateError, holds, write},
    },
};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

/// A training that holds out a tenth of the rows, at most 3,000, and goes on as long as each epoch raises the mean of
/// P@1, P@3 and P@5 on them. The model is that of the last epoch that did; weights are not averaged.
///
/// Memory: beside that of a [`Trainer`], the rows once more, and the weights of the best epoch.
///
/// ```
/// use hapax_core::{
///     data::{ReadOptions, Source, read}, executor::Sequential, kernels::Portable,
///     model::mach::early_stopping::EarlyStopping, train::mach::MachParameters,
/// };
/// let rows: String = (0..40).map(|row| format!("{} {}:1 2:1\n", row % 2, row % 2)).collect();
/// let data = match read(rows.as_bytes(), &ReadOptions::default(), &Sequential)?.source {
///     Source::Rows(rows) => rows,
///     Source::Texts(_) => unreachable!("these are rows"),
/// };
/// let parameters = MachParameters { buckets: 2, repetitions: 1, epochs: 50, ..MachParameters::default() };
/// let mut training = EarlyStopping::new(&parameters, &data, 1, &Portable)?;
/// let mut epochs = 0;
/// while let Some(report) = training.step(&Sequential)? {
///     epochs = report.epoch + 1;
/// }
/// assert!(epochs < 50);
/// let mach = training.finish(&Sequential)?;
/// # assert_eq!(mach.parameters().buckets, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EarlyStopping {
    parameters: MachParameters,
    /// Holds the rows that are learned from.
    trainer: Trainer<'static>,
    held_out: Dataset,
    centroids: Option<Centroids>,
    kernels: &'static dyn MachKernels,
    /// The precision and the model of the best epoch.
    best: Option<(f64, Mach)>,
    over: bool,
}

impl EarlyStopping {
    /// Gets ready to train on `data`, which may be gone afterwards.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; lacking memory.
    pub fn new(
        parameters: &MachParameters,
        data: &Dataset,
        threads: usize,
        kernels: &'static dyn MachKernels,
    ) -> Result<Self, TrainError> {
        parameters.check()?;
        let split = split(data, parameters.seed)?;
        let (rest, held_out) = (data.select(split.train()), data.select(split.held_out()));
        let single = MachParameters {
            averaged_epochs: 1,
            ..parameters.clone()
        };
        let centroids = single.centroids(&rest)?;
        Ok(Self {
            parameters: parameters.clone(),
            trainer: single.trainer_owning(rest, threads, kernels)?,
            held_out,
            centroids,
            kernels,
            best: None,
            over: false,
        })
    }

    /// Does the next part of the work; none if training is over.
    ///
    /// # Errors
    /// If weights grew beyond all bounds, or memory is lacking.
    pub fn step<E: Executor>(&mut self, executor: &E) -> Result<Option<Report>, TrainError> {
        if self.over {
            return Ok(None);
        }
        let Some(report) = self.trainer.step(executor) else {
            self.over = true;
            return Ok(None);
        };
        if report.done == report.of {
            let mach = self.model(dense(&self.trainer, false)?);
            let judged = mach.judge(&self.held_out, executor, self.kernels);
            let precision = judged.mean();
            match &self.best {
                Some((least, _)) if precision <= *least => self.over = true,
                _ => self.best = Some((precision, mach)),
            }
        }
        Ok(Some(report))
    }

    fn model(&self, weights: HeadWeights) -> Mach {
        assemble(&self.trainer, weights, self.centroids.clone())
    }

    /// The model of the best epoch.
    ///
    /// # Errors
    /// If no epoch has ended, or memory is lacking.
    pub fn finish<E: Executor>(self, executor: &E) -> Result<Mach, TrainError> {
        let (_, mach) = self.best.ok_or(TrainError::Stopped)?;
        if self.parameters.bits == 32 {
            return Ok(mach);
        }
        let weights = packed(
            mach.weights(),
            shape(&self.trainer),
            &self.parameters,
            mach.weights().biases().clone(),
            self.trainer.data(),
            executor,
        )?;
        Ok(mach.with_weights(weights))
    }
}

/// What is kept beside the state of the trainer, which follows it.
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    over: bool,
    best: Option<Best<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Best<'a> {
    precision: f64,
    weights: Cow<'a, [f32]>,
    biases: Cow<'a, [f32]>,
}

impl Resumable for EarlyStopping {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let best = match &self.best {
            None => None,
            Some((precision, mach)) => {
                let Form::Dense(weights) = mach.weights().form() else {
                    return Err(StateError::Unwritable);
                };
                Some(Best {
                    precision: *precision,
                    weights: Cow::Borrowed(weights),
                    biases: Cow::Borrowed(mach.weights().biases()),
                })
            }
        };
        let over = self.over;
        write(&Kept { over, best }, sink)?;
        self.trainer.save(sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let read = postcard::take_from_bytes(bytes);
        let (kept, rest): (Kept<'_>, _) = read.map_err(|_| StateError::Malformed)?;
        self.trainer.resume(rest)?;
        self.over = kept.over;
        self.best = kept.best.map(|best| self.restored(best)).transpose()?;
        holds("an end without an epoch", self.best.is_some() || !self.over)
    }
}

impl EarlyStopping {
    fn restored(&self, best: Best<'_>) -> Result<(f64, Mach), StateError> {
        holds(
            "the precision of the best epoch",
            (0.0..=1.0).contains(&best.precision),
        )?;
        let shape = shape(&self.trainer);
        let weights: Vec<f32> = best.weights.into_owned();
        let biases: Vec<f32> = best.biases.into_owned();
        let weights = HeadWeights::from_parts(
            shape.rows,
            shape.repetitions,
            shape.buckets,
            biases.into(),
            Form::Dense(weights.into()),
        );
        let wrong = StateError::Impossible {
            what: "the weights of the best epoch",
        };
        Ok((best.precision, self.model(weights.map_err(|_| wrong)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::EarlyStopping;
    use crate::{
        executor::Sequential,
        kernels::Portable,
        parameters::mach::{MachParameters, Optimizer},
        train::{
            mach::tests::{data, parameters},
            state::{Resumable, StateError},
        },
    };
    use alloc::vec::Vec;

    fn given(hashed_rows: u32) -> MachParameters {
        MachParameters {
            hashed_rows,
            early_stopping: true,
            epochs: 40,
            rerank: 5,
            ..parameters(Optimizer::FeatureAdaGrad)
        }
    }

    /// Goes on to the end: how many parts that took, and the weights of the model.
    fn finished(mut training: EarlyStopping) -> (usize, Vec<f32>, Vec<f32>) {
        let mut parts = 0;
        while training.step(&Sequential).unwrap().is_some() {
            parts += 1;
        }
        let mach = training.finish(&Sequential).unwrap();
        let (mut weights, mut row) = (Vec::new(), Vec::new());
        for record in 0..mach.weights().records() {
            mach.weights().row_into(record, &mut row);
            weights.extend_from_slice(&row);
        }
        (parts, weights, mach.weights().biases().to_vec())
    }

    #[test]
    fn a_training_left_at_any_part_ends_as_one_that_was_not_for_any_number_of_threads() {
        let data = data(1500, 9, false, 6);
        for hashed_rows in [0, 20] {
            let begun =
                |threads| EarlyStopping::new(&given(hashed_rows), &data, threads, &Portable);
            let expected = finished(begun(1).unwrap());
            assert!((4..80).contains(&expected.0), "{}", expected.0);
            for left_after in 0..=expected.0 + 1 {
                let mut left = begun(1 + left_after % 3).unwrap();
                let mut done = 0;
                while done < left_after && left.step(&Sequential).unwrap().is_some() {
                    done += 1;
                }
                let mut again = begun(1).unwrap();
                again.resume(&left.to_bytes().unwrap()).unwrap();
                let (parts, weights, biases) = finished(again);
                assert_eq!(done + parts, expected.0);
                assert!((weights, biases) == (expected.1.clone(), expected.2.clone()));
            }
        }
    }

    #[test]
    fn damaged_states_are_errors_or_other_numbers_but_never_a_panic() {
        let data = data(300, 9, false, 6);
        let begun = || EarlyStopping::new(&given(0), &data, 1, &Portable).unwrap();
        let mut left = begun();
        for _ in 0..3 {
            left.step(&Sequential).unwrap();
        }
        let bytes = left.to_bytes().unwrap();
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let _ = begun().resume(&damaged);
            assert!(begun().resume(&bytes[..at]).is_err());
        }
        let longer = [&bytes[..], &[0]].concat();
        let refused = begun().resume(&longer);
        assert_eq!(refused, Err(StateError::Trailing { bytes: 1 }));
    }
}
