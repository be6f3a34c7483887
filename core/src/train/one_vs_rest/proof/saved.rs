//! The state of proven one-vs-rest between two parts of the labels: the weights of those that are
//! done.

use super::{Certificate, LabelWeights, Proving};
use crate::train::state::{Resumable, StateError, read, write};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    weights: Cow<'a, [LabelWeights]>,
    whole: Certificate,
    stored_primal: f64,
}

impl Resumable for Proving<'_> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let saved = Saved {
            weights: Cow::Borrowed(&self.weights),
            whole: self.whole,
            stored_primal: self.stored_primal,
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved<'_> = read(bytes)?;
        let (done, labels) = (saved.weights.len(), self.labels);
        if done > labels {
            return Err(StateError::Beyond {
                what: "label",
                value: done as u64,
                limit: labels as u64 + 1,
            });
        }
        let weights: Vec<LabelWeights> = saved.weights.into_owned();
        for label in &weights {
            label.check(self.task.features, self.parameters.bits)?;
        }
        let numbers = [saved.whole.primal, saved.whole.dual, saved.stored_primal];
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(StateError::Malformed);
        }
        (self.weights, self.whole) = (weights, saved.whole);
        self.stored_primal = saved.stored_primal;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        executor::Sequential,
        kernels::Portable,
        parameters::one_vs_rest::{Negatives, OneVsRest},
        train::{Training, multiclass::problem::tests::random_data, state::Resumable},
    };

    #[test]
    fn a_training_left_after_any_part_ends_as_one_that_was_not() {
        let data = random_data(700, 12, 600, 2);
        let parameters = OneVsRest {
            negatives: Negatives::All,
            ..OneVsRest::default()
        };
        let new = || parameters.proving(&data, 1e-2, &Portable).unwrap();
        let mut whole = new();
        while whole.step(&Sequential).is_some() {}
        let expected = whole.finish(&Sequential).unwrap();
        let (mut left, mut parts) = (new(), 0);
        loop {
            let bytes = left.to_bytes().unwrap();
            let mut again = new();
            again.resume(&bytes).unwrap();
            while again.step(&Sequential).is_some() {}
            let made = again.finish(&Sequential).unwrap();
            assert_eq!(made.certificate, expected.certificate);
            assert_eq!(made.stored_primal, expected.stored_primal);
            assert!(made.model == expected.model);
            assert!(new().resume(&bytes[..bytes.len() - 1]).is_err());
            if left.step(&Sequential).is_none() {
                break;
            }
            parts += 1;
        }
        assert_eq!(parts, 3);
        let few = random_data(300, 3, 20, 2);
        let other = parameters
            .proving(&few, 1e-2, &Portable)
            .unwrap()
            .resume(&left.to_bytes().unwrap());
        assert!(other.is_err());
    }
}
