//! The state of a MEMOIR training between two steps; where an index follows the weights, between
//! two passes.

use super::{Index, MemoirTrainer, Storage};
use crate::{
    parameters::memoir::Average,
    train::{
        memoir::{class_rows::SavedRow, feature_lists::SavedList, state::SavedState},
        state::{Resumable, StateError, holds, read, write},
    },
};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    steps: u64,
    /// Of the stream of balanced draws.
    position: u64,
    state: SavedState<'a>,
    weights: SavedWeights<'a>,
}

#[derive(Serialize, Deserialize)]
enum SavedWeights<'a> {
    Features(Vec<SavedList<'a>>),
    /// The weights, and what the index knows beside them.
    Classes(Vec<SavedRow<'a>>, Cow<'a, [f32]>),
}

impl MemoirTrainer<'_> {
    /// How many of so many steps count in the mean of the weights.
    fn averaged(&self, steps: u64) -> u64 {
        let averages = self.parameters.average == Average::SecondHalf && !self.parameters.is_l1();
        let before = if averages { self.total / 2 } else { steps };
        steps.saturating_sub(before)
    }

    /// Whether some steps end a pass, or training.
    fn ends_pass(&self, steps: u64) -> bool {
        let (batch, length) = (u64::from(self.parameters.batch), self.draws.len() as u64);
        let pass = |steps: u64| steps.saturating_mul(batch) / length;
        steps == self.total || steps == 0 || pass(steps) > pass(steps - 1)
    }
}

impl Resumable for MemoirTrainer<'_> {
    fn can_be_left(&self) -> bool {
        self.index.is_none() || self.between_passes
    }

    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        if !self.can_be_left() {
            return Err(StateError::Unwritable);
        }
        let (state, weights) = match &self.weights.0 {
            Storage::Features(lists) => (lists.state(), SavedWeights::Features(lists.saved())),
            Storage::Classes(rows) => {
                let beside = self.index.as_ref().map_or(&[][..], Index::saved);
                let weights = SavedWeights::Classes(rows.saved(), Cow::Borrowed(beside));
                (rows.state(), weights)
            }
        };
        let saved = Saved {
            steps: self.t,
            position: self.draws.position(),
            state: state.saved(),
            weights,
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved<'_> = read(bytes)?;
        let (steps, state) = (saved.steps, saved.state);
        if steps > self.total {
            return Err(StateError::Beyond {
                what: "step",
                value: steps,
                limit: self.total.saturating_add(1),
            });
        }
        let between_passes = self.ends_pass(steps);
        holds("the steps done", between_passes || self.index.is_none())?;
        let averaged = self.averaged(steps);
        let features = self.rows.features();
        match (&mut self.weights.0, saved.weights) {
            (Storage::Features(own), SavedWeights::Features(lists)) => {
                state.check(own.state(), averaged)?;
                own.restore(lists, state)?;
            }
            (Storage::Classes(own), SavedWeights::Classes(rows, beside)) => {
                state.check(own.state(), averaged)?;
                own.restore(rows, state, features)?;
                let index = self.index.as_mut().ok_or(StateError::Malformed)?;
                index.restore(beside.into_owned(), own)?;
            }
            _ => return Err(StateError::Malformed),
        }
        let batch = u64::from(self.parameters.batch);
        self.draws.go_to(steps.saturating_mul(batch));
        let place = saved.position == self.draws.position();
        holds("the place among the random draws", place)?;
        (self.t, self.between_passes) = (steps, between_passes);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
