//! The state of a Lee-Lin-Wahba training between two epochs.

use super::LeeLinWahba;
use crate::{
    random::Stream,
    train::{
        exact::certificate::Certificate,
        state::{Resumable, StateError, read, same, write},
    },
};
use alloc::borrow::Cow;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    sums: Cow<'a, [f64]>,
    means: Cow<'a, [f64]>,
    duals: Cow<'a, [f64]>,
    epochs: u32,
    gap: f64,
    certificate: Option<Certificate>,
}

impl Resumable for LeeLinWahba {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let saved = Saved {
            sums: Cow::Borrowed(&self.sums),
            means: Cow::Borrowed(&self.means),
            duals: Cow::Borrowed(&self.duals),
            epochs: self.epochs,
            gap: self.gap,
            certificate: self.certificate,
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved<'_> = read(bytes)?;
        same("weights", saved.sums.len(), self.sums.len())?;
        same("means", saved.means.len(), self.means.len())?;
        same("duals", saved.duals.len(), self.duals.len())?;
        let most = self.parameters.max_epochs;
        if saved.epochs > most {
            return Err(StateError::Beyond {
                what: "epoch",
                value: u64::from(saved.epochs),
                limit: u64::from(most) + 1,
            });
        }
        self.sums.copy_from_slice(&saved.sums);
        self.means.copy_from_slice(&saved.means);
        self.duals.copy_from_slice(&saved.duals);
        // The first epoch only looks; each later one shuffles the order of the one before.
        for epoch in self.epochs.max(1) + 1..=saved.epochs {
            Stream::new(self.parameters.seed, u64::from(epoch)).shuffle(&mut self.order);
        }
        (self.epochs, self.gap) = (saved.epochs, saved.gap);
        self.certificate = saved.certificate;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::LeeLinWahba;
    use crate::train::{
        exact::{
            parameters::{MultiClassLoss, MultiClassSvm},
            problem::tests::random,
        },
        state::Resumable,
    };

    #[test]
    fn a_training_left_after_any_epoch_ends_as_one_that_was_not() {
        let parameters = MultiClassSvm {
            gap: 1e-6,
            cost: 3.0,
            ..MultiClassSvm::new(MultiClassLoss::LeeLinWahba)
        };
        let new = || LeeLinWahba::new(&parameters, random(60, 20, 5, 3)).unwrap();
        let mut whole = new();
        let proof = whole.run();
        assert!(proof.epochs > 4, "{proof:?}");
        let expected = whole.to_bytes().unwrap();
        let mut left = new();
        for epoch in 0..=proof.epochs {
            let bytes = left.to_bytes().unwrap();
            let mut again = new();
            again.resume(&bytes).unwrap();
            again.run();
            assert!(again.to_bytes().unwrap() == expected, "left after {epoch}");
            assert!(new().resume(&bytes[..bytes.len() - 1]).is_err());
            left.epoch();
        }
        let mut other = LeeLinWahba::new(&parameters, random(61, 20, 5, 3)).unwrap();
        assert!(other.resume(&expected).is_err());
    }
}
