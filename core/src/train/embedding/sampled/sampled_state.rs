//! The state of a training by sampled steps between two parts of the work.

use super::{super::sampling::Label, SampledTrainer};
use crate::train::state::{Resumable, StateError, read, same, write};
use alloc::borrow::Cow;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    weights: Cow<'a, [f32]>,
    labels: Cow<'a, [Label]>,
    epoch: u32,
    done: u64,
}

impl Resumable for SampledTrainer<'_> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let saved = Saved {
            weights: Cow::Borrowed(&self.state.weights),
            labels: Cow::Borrowed(&self.state.labels),
            epoch: self.epoch,
            done: self.done as u64,
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved<'_> = read(bytes)?;
        same("weights", saved.weights.len(), self.state.weights.len())?;
        same("labels", saved.labels.len(), self.state.labels.len())?;
        let epochs = self.state.parameters.epochs;
        let beyond = |what, value, limit: u64| match value < limit {
            true => Ok(()),
            false => Err(StateError::Beyond { what, value, limit }),
        };
        beyond("epoch", u64::from(saved.epoch), u64::from(epochs) + 1)?;
        beyond("row of an epoch", saved.done, self.order.len() as u64)?;
        let sound = saved.labels.iter().all(Label::is_sound)
            && saved.weights.iter().all(|weight| weight.is_finite());
        if !sound {
            return Err(StateError::Malformed);
        }
        self.state.weights.copy_from_slice(&saved.weights);
        self.state.labels.copy_from_slice(&saved.labels);
        self.epoch = saved.epoch;
        // The order follows from the epoch; the dice are where they were once all is drawn again.
        self.begin_epoch();
        while (self.done as u64) < saved.done {
            self.done = self.state.draw(&self.order, self.done, &mut self.dice);
        }
        same("rows drawn for", saved.done as usize, self.done)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        executor::Sequential,
        parameters::sampled::{Sampled, SampledDraws},
        train::{Training, embedding::twin::blobs, state::Resumable},
    };

    #[test]
    fn a_training_left_after_any_part_ends_as_one_that_was_not() {
        let data = blobs(90, 8, 6, 2);
        let one = Sampled {
            draws: SampledDraws::Balance(3),
            max_norm: 0.5,
            ..Sampled::one_vs_all()
        };
        for sampled in [one, Sampled::auc()] {
            let new = || sampled.trainer(&data).unwrap();
            let mut left = new();
            let mut whole = new();
            while whole.step(&Sequential).is_some() {}
            let end = whole.to_bytes().unwrap();
            let expected = whole.finish(&Sequential).unwrap().prototypes;
            loop {
                let bytes = left.to_bytes().unwrap();
                let mut again = new();
                again.resume(&bytes).unwrap();
                assert!(again.to_bytes().unwrap() == bytes);
                while again.step(&Sequential).is_some() {}
                assert!(again.finish(&Sequential).unwrap().prototypes == expected);
                assert!(new().resume(&bytes[..bytes.len() - 1]).is_err());
                if left.step(&Sequential).is_none() {
                    break;
                }
            }
            let other = blobs(90, 9, 6, 2);
            assert!(sampled.trainer(&other).unwrap().resume(&end).is_err());
        }
    }
}
