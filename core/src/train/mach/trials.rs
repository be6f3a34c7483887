//! Several trainings, one after the other, that can be left and gone on with as one.
//!
//! What a budget is filled with is found by trainings whose results say what comes next. All but
//! these trainings is computed anew in little time, to the same bits; so a state holds what came of
//! those that are over, and after it the state of the one under way.

use super::{
    FitStep, MachFit, Report, Trainer,
    assemble::{assemble, dense, shape},
};
use crate::{
    executor::Executor,
    model::mach::{
        Mach,
        centroids::Centroids,
        head_weights::{Form, HeadWeights},
    },
    train::{
        TrainError, Training, Watch, going,
        state::{Resumable, StateError, holds, write},
    },
};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

/// What came of the trainings so far, and who hears of the one under way.
pub(super) struct Trials<'w> {
    watch: &'w mut dyn Watch<Report>,
    past: Past,
    /// What the training that was left has left: the weights that it was to train on, and its
    /// state.
    left: Option<(Option<Weights<'static>>, Vec<u8>)>,
}

/// What came of trainings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Past {
    /// Draws of rows held out that are over.
    draws: u64,
    /// What they found, all together.
    fit: Option<MachFit>,
    /// Of the present draw what each training on found.
    refined: Vec<Vec<FitStep>>,
}

/// The weights that are packed and trained on.
#[derive(Serialize, Deserialize)]
struct Weights<'a> {
    weights: Cow<'a, [f32]>,
    biases: Cow<'a, [f32]>,
}

impl<'w> Trials<'w> {
    /// Begins, or goes on where `watch` says.
    pub(super) fn begin(watch: &'w mut dyn Watch<Report>) -> Result<Self, TrainError> {
        let mut opening = Opening::default();
        going(watch.begin(&mut opening))?;
        Ok(Self {
            watch,
            past: opening.past,
            left: opening.left,
        })
    }

    /// How many draws are over.
    pub(super) fn draws(&self) -> u64 {
        self.past.draws
    }

    /// What all draws found that are over.
    pub(super) fn fit(&self) -> Option<&MachFit> {
        self.past.fit.as_ref()
    }

    /// A draw is over, and all draws together found this.
    pub(super) fn end_draw(&mut self, fit: MachFit) {
        self.past = Past {
            draws: self.past.draws + 1,
            fit: Some(fit),
            refined: Vec::new(),
        };
    }

    /// The model of a training from begin to end, its weights as they are.
    pub(super) fn trained(
        &mut self,
        mut trainer: Trainer<'_>,
        centroids: Option<Centroids>,
        executor: &Executor,
    ) -> Result<Mach, TrainError> {
        let known = self.left.as_mut().and_then(|(weights, _)| weights.take());
        let weights = match known {
            Some(weights) => weights.restored(&trainer)?,
            None => {
                self.run(&mut trainer, None, executor)?;
                dense(&trainer, true)?
            }
        };
        assemble(&trainer, weights, centroids)
    }

    /// What the training on found that is the `at`th of this draw, if it is over.
    pub(super) fn refined(&self, at: usize) -> Option<&[FitStep]> {
        self.past.refined.get(at).map(Vec::as_slice)
    }

    /// A training on is over.
    pub(super) fn end_refined(&mut self, steps: Vec<FitStep>) {
        self.past.refined.push(steps);
    }

    /// Trains to the end: weights of `whole`, or new ones.
    pub(super) fn run(
        &mut self,
        trainer: &mut Trainer<'_>,
        whole: Option<&HeadWeights>,
        executor: &Executor,
    ) -> Result<(), TrainError> {
        if let Some((_, state)) = self.left.take() {
            trainer.resume(&state).map_err(TrainError::State)?;
        }
        while let Some(report) = trainer.step(executor) {
            let moment = Moment {
                past: &self.past,
                whole,
                trainer,
            };
            going(self.watch.part(report, &moment))?;
        }
        Ok(())
    }
}

impl Weights<'_> {
    fn restored(self, trainer: &Trainer<'_>) -> Result<HeadWeights, TrainError> {
        let shape = shape(trainer);
        let (weights, biases) = (self.weights.into_owned(), self.biases.into_owned());
        let form = Form::Dense(weights.into());
        let (features, heads, buckets) = (shape.features, shape.repetitions, shape.buckets);
        let what = "the weights to train on";
        HeadWeights::from_parts(features, heads, buckets, biases.into(), form)
            .map_err(|_| TrainError::State(StateError::Impossible { what }))
    }
}

/// A part of the work is done: what can be saved here.
struct Moment<'a, 'd> {
    past: &'a Past,
    whole: Option<&'a HeadWeights>,
    trainer: &'a Trainer<'d>,
}

impl Resumable for Moment<'_, '_> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let whole = match self.whole.map(|whole| (whole.form(), whole.biases())) {
            None => None,
            Some((Form::Dense(weights), biases)) => Some(Weights {
                weights: Cow::Borrowed(weights),
                biases: Cow::Borrowed(biases),
            }),
            Some(_) => return Err(StateError::Unwritable),
        };
        write(&(self.past, whole), sink)?;
        self.trainer.save(sink)
    }

    /// What is under way is not set to another moment.
    fn resume(&mut self, _: &[u8]) -> Result<(), StateError> {
        Err(StateError::Unwritable)
    }
}

/// Before the first training: nothing can be saved, but a state taken over.
#[derive(Default)]
struct Opening {
    past: Past,
    left: Option<(Option<Weights<'static>>, Vec<u8>)>,
}

impl Resumable for Opening {
    fn save(&self, _: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        Err(StateError::Unwritable)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let read = postcard::take_from_bytes(bytes);
        let ((past, whole), state): ((Past, Option<Weights<'static>>), _) =
            read.map_err(|_| StateError::Malformed)?;
        let fits = past.fit.iter();
        let tried = fits
            .flat_map(|fit| &fit.tried)
            .chain(past.refined.iter().flatten());
        let shares = |step: &FitStep| {
            let precision = step.precision;
            [precision.at_1, precision.at_3, precision.at_5]
        };
        let mut all = tried.flat_map(shares);
        holds("a precision", all.all(|share| (0.0..=1.0).contains(&share)))?;
        holds("draws", past.fit.is_some() == (past.draws > 0))?;
        holds("trainings on", whole.is_some() || past.refined.is_empty())?;
        self.past = past;
        self.left = Some((whole, state.to_vec()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Resumable, StateError, Watch};
    use crate::{
        executor::Sequential,
        kernels::Portable,
        model::Mach,
        parameters::mach::{MachParameters, Optimizer},
        train::{
            TrainError,
            mach::{
                MachFit, Report,
                tests::{data, parameters},
            },
        },
    };
    use alloc::vec::Vec;
    use core::ops::ControlFlow;

    /// Goes on from a state, keeps that of part `stop` and stops there.
    struct Leaving {
        from: Option<Vec<u8>>,
        stop: usize,
        parts: usize,
        state: Vec<u8>,
    }

    impl Leaving {
        fn new(from: Option<Vec<u8>>, stop: usize) -> Self {
            Self {
                from,
                stop,
                parts: 0,
                state: Vec::new(),
            }
        }
    }

    impl Watch<Report> for Leaving {
        fn begin(&mut self, training: &mut dyn Resumable) -> ControlFlow<()> {
            match self.from.as_ref().map(|bytes| training.resume(bytes)) {
                Some(Err(_)) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }

        fn part(&mut self, _: Report, training: &dyn Resumable) -> ControlFlow<()> {
            self.parts += 1;
            if self.parts < self.stop {
                return ControlFlow::Continue(());
            }
            self.state = training.to_bytes().unwrap();
            ControlFlow::Break(())
        }
    }

    /// Few rows, so that three draws are held out.
    fn train(watch: &mut Leaving) -> Result<(Mach, MachFit), TrainError> {
        let data = data(260, 9, false, 12);
        let p = MachParameters {
            rerank: 5,
            ..parameters(Optimizer::Sgd)
        };
        p.train_within(&data, 1300, &Sequential, &Portable, watch)
    }

    fn told((mach, fit): (Mach, MachFit)) -> (MachFit, Vec<Vec<f32>>, usize) {
        let weights = mach.weights();
        let rows = (0..weights.records()).map(|record| {
            let mut row = Vec::new();
            weights.row_into(record, &mut row);
            row
        });
        (fit, rows.collect(), mach.bytes())
    }

    #[test]
    fn a_training_left_at_any_part_ends_as_one_that_was_not() {
        let mut whole = Leaving::new(None, usize::MAX);
        let expected = told(train(&mut whole).unwrap());
        assert!(expected.0.tried.iter().any(|step| step.refined));
        assert!(whole.parts > 20, "{}", whole.parts);
        for stop in 1..=whole.parts {
            let mut left = Leaving::new(None, stop);
            assert_eq!(train(&mut left).err(), Some(TrainError::Stopped));
            let mut again = Leaving::new(Some(left.state), usize::MAX);
            let found = told(train(&mut again).unwrap());
            assert_eq!(stop + again.parts, whole.parts);
            assert!(found == expected, "left after {stop} parts");
        }
    }

    #[test]
    fn damaged_states_are_errors_or_other_numbers_but_never_a_panic() {
        let mut left = Leaving::new(None, 5);
        assert!(train(&mut left).is_err());
        let bytes = left.state;
        for at in (0..bytes.len()).step_by(bytes.len() / 20) {
            let mut cut = Leaving::new(Some(bytes[..at].to_vec()), usize::MAX);
            assert!(train(&mut cut).is_err());
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let _ = train(&mut Leaving::new(Some(damaged), usize::MAX));
        }
        let longer = [&bytes[..], &[0]].concat();
        let refused = train(&mut Leaving::new(Some(longer), usize::MAX));
        let trailing = StateError::Trailing { bytes: 1 };
        assert_eq!(refused.err(), Some(TrainError::State(trailing)));
    }
}
