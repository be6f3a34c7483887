//! The state of a Crammer-Singer or Weston-Watkins training between two epochs.

use super::{Sweeper, Trainer};
use crate::train::{
    multiclass::{
        certificate::Certificate, class_weights::FeatureWeights, duals::RowDuals,
        schedule::Schedule,
    },
    state::{Resumable, StateError, all_below, read, same, write},
};
use alloc::borrow::Cow;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    duals: Cow<'a, [RowDuals]>,
    lists: Cow<'a, [FeatureWeights]>,
    background: Cow<'a, [f32]>,
    sweeper: Option<(u32, f64, f64)>,
    active: Cow<'a, [u32]>,
    schedule: Schedule,
    epochs: u32,
    gap: f64,
    certificate: Option<Certificate>,
    multiple: f64,
    relist: Cow<'a, [u32]>,
}

impl Resumable for Trainer {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let state = &self.state;
        let memory = self.sweeper.as_ref().map(Sweeper::memory);
        let saved = Saved {
            duals: Cow::Borrowed(&state.duals),
            lists: Cow::Owned(state.weights.to_features()),
            background: Cow::Borrowed(&state.weights.background),
            sweeper: memory.or(self.remembered),
            active: Cow::Borrowed(&self.active),
            schedule: self.schedule,
            epochs: self.epochs,
            gap: self.gap,
            certificate: self.certificate,
            multiple: self.multiple,
            relist: Cow::Borrowed(&self.relist),
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved<'_> = read(bytes)?;
        self.check(&saved)?;
        let weights = &mut self.state.weights;
        weights.set_features(&saved.lists, &saved.background);
        self.state.duals = saved.duals.into_owned();
        self.sweeper = None;
        self.remembered = saved.sweeper;
        self.active = saved.active.into_owned();
        (self.schedule, self.epochs) = (saved.schedule, saved.epochs);
        (self.gap, self.multiple) = (saved.gap, saved.multiple);
        self.certificate = saved.certificate;
        self.relist = saved.relist.into_owned();
        Ok(())
    }
}

impl Trainer {
    /// Whether all lengths are those of the problem, all places exist, and all numbers are finite.
    fn check(&self, saved: &Saved<'_>) -> Result<(), StateError> {
        let problem = &self.state.problem;
        let (rows, classes) = (problem.len(), problem.classes());
        let features = problem.features();
        same("rows with duals", saved.duals.len(), rows)?;
        same("features", saved.lists.len(), features)?;
        same(
            "features of the background",
            saved.background.len(),
            features,
        )?;
        all_below("row", saved.active.iter().chain(&*saved.relist), rows)?;
        for list in &*saved.lists {
            if list.is_dense() {
                same("classes of a dense feature", list.weights.len(), classes)?;
                same("classes of a dense feature's list", list.classes.len(), 0)?;
            }
            if !list.classes.fits(classes) {
                return Err(StateError::Malformed);
            }
            all_below("class", &list.classes.to_vec(), classes)?;
        }
        // Places are found in the first epoch.
        let found = saved.epochs > 0 && saved.relist.is_empty();
        let to_find = saved
            .relist
            .iter()
            .enumerate()
            .all(|(row, &listed)| row == listed as usize);
        if !to_find || !(saved.relist.is_empty() || saved.relist.len() == rows) {
            return Err(StateError::Malformed);
        }
        for (row, duals) in saved.duals.iter().enumerate() {
            all_below("class", &duals.classes, classes)?;
            same("duals of a row", duals.alphas.len(), duals.classes.len())?;
            let most = classes - 1;
            if duals.classes.len() > most {
                return Err(StateError::Differs {
                    what: "listed classes",
                    state: duals.classes.len() as u64,
                    training: most as u64,
                });
            }
            let of_row = problem.row(row).features;
            let width = if found { 1 + duals.classes.len() } else { 0 };
            same("places of a row", duals.places.len(), width * of_row.len())?;
            if width == 0 || of_row.is_empty() {
                continue;
            }
            if !duals.places.fits(classes) {
                return Err(StateError::Malformed);
            }
            let places = duals.places.to_vec();
            for (places, &feature) in places.chunks_exact(width).zip(of_row) {
                let weights = &saved.lists[feature as usize].weights;
                all_below("place", places, weights.len())?;
            }
        }
        finite(saved)
    }
}

/// Whether all numbers are finite: steps from others could have no end.
fn finite(saved: &Saved<'_>) -> Result<(), StateError> {
    let duals = saved.duals.iter().all(|duals| {
        let both = duals.shared.is_finite() && duals.total.is_finite();
        both && duals.alphas.iter().all(|alpha| alpha.is_finite())
    });
    let lists = saved.lists.iter().flat_map(|list| &list.weights);
    let weights = lists
        .chain(&*saved.background)
        .all(|weight| weight.is_finite());
    let goals = saved.schedule.is_sound() && saved.gap.is_finite() && saved.multiple.is_finite();
    // The dual objective is minus infinity until it is known.
    let sweeper = saved
        .sweeper
        .is_none_or(|(_, moving, dual)| moving.is_finite() && !dual.is_nan());
    if duals && weights && sweeper && goals {
        Ok(())
    } else {
        Err(StateError::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::Trainer;
    use crate::{
        executor::Sequential,
        parameters::multiclass::{MultiClassLoss, MultiClassSvm},
        train::{multiclass::problem::tests::random, state::Resumable},
    };
    use alloc::vec::Vec;
    use hapax_processor::Processor;

    fn new(loss: MultiClassLoss, rows: usize) -> Trainer {
        let parameters = MultiClassSvm {
            gap: 1e-5,
            ..MultiClassSvm::new(loss)
        };
        Trainer::new(&parameters, random(rows, 30, 12, 7))
    }

    fn ended(trainer: &mut Trainer) -> Vec<u8> {
        trainer.run(&Sequential, Processor::portable());
        trainer.to_bytes().unwrap()
    }

    #[test]
    fn a_training_left_after_any_epoch_ends_as_one_that_was_not() {
        use MultiClassLoss::{CrammerSinger, WestonWatkins};
        // With 4,200 rows there are several lanes, whose number is part of the state.
        for (loss, rows) in [
            (CrammerSinger, 90),
            (WestonWatkins, 90),
            (WestonWatkins, 4200),
        ] {
            let expected = ended(&mut new(loss, rows));
            let mut left = new(loss, rows);
            for epoch in 0..40 {
                let mut again = new(loss, rows);
                again.resume(&left.to_bytes().unwrap()).unwrap();
                if rows < 100 || epoch % 8 == 3 {
                    assert!(ended(&mut again) == expected, "{loss:?} left after {epoch}");
                }
                if left.epoch(&Sequential, Processor::portable()).is_none() {
                    break;
                }
            }
        }
    }

    #[test]
    fn damaged_states_are_errors_or_other_numbers_but_never_a_panic() {
        let mut left = new(MultiClassLoss::CrammerSinger, 40);
        for _ in 0..3 {
            left.epoch(&Sequential, Processor::portable());
        }
        let bytes = left.to_bytes().unwrap();
        let mut refused = 0;
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            let mut again = new(MultiClassLoss::CrammerSinger, 40);
            if again.resume(&damaged).is_err() {
                refused += 1;
            } else if at % 7 == 0 {
                again.epoch(&Sequential, Processor::portable());
            }
            if at % 50 == 0 {
                let mut cut = new(MultiClassLoss::CrammerSinger, 40);
                assert!(cut.resume(&bytes[..at]).is_err());
            }
        }
        assert!(refused > bytes.len() / 20, "{refused} of {}", bytes.len());
        let mut other = new(MultiClassLoss::CrammerSinger, 41);
        assert!(other.resume(&bytes).is_err());
    }
}
