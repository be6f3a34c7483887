//! The state of a Lee-Lin-Wahba training between two epochs.

use super::{LeeLinWahba, share, shares};
use crate::{
    random::Stream,
    train::{
        exact::certificate::Certificate,
        state::{Resumable, Shared, StateError, read, same, write},
    },
};
use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;
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
        self.check_epochs(saved.epochs)?;
        self.sums.copy_from_slice(&saved.sums);
        self.means.copy_from_slice(&saved.means);
        self.duals.copy_from_slice(&saved.duals);
        self.go_to(saved.epochs);
        self.gap = saved.gap;
        self.certificate = saved.certificate;
        Ok(())
    }
}

impl LeeLinWahba {
    fn check_epochs(&self, epochs: u32) -> Result<(), StateError> {
        let most = self.parameters.max_epochs;
        if epochs <= most {
            return Ok(());
        }
        Err(StateError::Beyond {
            what: "epoch",
            value: u64::from(epochs),
            limit: u64::from(most) + 1,
        })
    }

    /// Brings the order of rows to where it is after so many epochs.
    fn go_to(&mut self, epochs: u32) {
        // The first epoch only looks; each later one shuffles the order of the one before.
        for epoch in self.epochs.max(1) + 1..=epochs {
            Stream::new(self.parameters.seed, u64::from(epoch)).shuffle(&mut self.order);
        }
        self.epochs = epochs;
    }

    /// Where the sums of a share's classes are among those of a feature kept here; nothing if they are elsewhere.
    fn place(&self, number: usize) -> Option<Range<usize>> {
        let classes = share(self.problem.classes(), number);
        let here = self.kept.start <= classes.start && classes.end <= self.kept.end;
        here.then(|| classes.start - self.kept.start..classes.end - self.kept.start)
    }
}

/// The weights of some classes, by feature and class; the first share has what all processes know, too.
#[derive(Serialize, Deserialize)]
struct Share<'a> {
    number: u32,
    epochs: u32,
    gap: f64,
    sums: Vec<f64>,
    known: Option<Known<'a>>,
}

/// What all processes know: the means and the duals.
type Known<'a> = (Cow<'a, [f64]>, Cow<'a, [f64]>);

impl Shared for LeeLinWahba {
    fn shares(&self) -> usize {
        shares(self.problem.classes())
    }

    fn here(&self) -> Vec<usize> {
        let all = 0..self.shares();
        all.filter(|&share| self.place(share).is_some()).collect()
    }

    fn save_share(&self, number: usize, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let place = (number < self.shares()).then(|| self.place(number));
        let Some(place) = place.flatten().filter(|_| self.certificate.is_none()) else {
            return Err(StateError::Unwritable);
        };
        let features = self.sums.chunks_exact(self.kept.len());
        let sums = features.flat_map(|sums| &sums[place.clone()]);
        let known = || (Cow::Borrowed(&*self.means), Cow::Borrowed(&*self.duals));
        let saved = Share {
            number: number as u32,
            epochs: self.epochs,
            gap: self.gap,
            sums: sums.copied().collect(),
            known: (number == 0).then(known),
        };
        write(&saved, sink)
    }

    fn resume_share(&mut self, number: usize, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Share<'_> = read(bytes)?;
        same("as its number", saved.number as usize, number)?;
        self.check_epochs(saved.epochs)?;
        if self.epochs > 0 {
            same("epochs", saved.epochs as usize, self.epochs as usize)?;
        }
        let width = share(self.problem.classes(), number).len();
        let features = self.problem.features();
        same("weights", saved.sums.len(), features * width)?;
        same(
            "records of all",
            usize::from(saved.known.is_some()),
            usize::from(number == 0),
        )?;
        let cost = self.parameters.cost;
        let mut numbers = saved.sums.iter().chain([&saved.gap]);
        let mut sound = numbers.all(|number| number.is_finite());
        if let Some((means, duals)) = &saved.known {
            same("means", means.len(), self.means.len())?;
            same("duals", duals.len(), self.duals.len())?;
            sound &= means.iter().all(|mean| mean.is_finite());
            sound &= duals.iter().all(|dual| (0.0..=cost).contains(dual));
        }
        if !sound {
            return Err(StateError::Malformed);
        }
        if let Some(place) = self.place(number) {
            let kept = self.kept.len();
            let here = self.sums.chunks_exact_mut(kept);
            for (here, sums) in here.zip(saved.sums.chunks_exact(width)) {
                here[place.clone()].copy_from_slice(sums);
            }
        }
        if let Some((means, duals)) = &saved.known {
            self.means.copy_from_slice(means);
            self.duals.copy_from_slice(duals);
        }
        self.go_to(saved.epochs);
        self.gap = saved.gap;
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
