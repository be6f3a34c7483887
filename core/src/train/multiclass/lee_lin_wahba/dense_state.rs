//! The state of a Lee-Lin-Wahba training between two epochs.

use super::{LANES, LeeLinWahba, share, shares};
use crate::{
    random::Stream,
    train::{
        multiclass::certificate::Certificate,
        state::{Resumable, Shared, StateError, read, same, write},
    },
};
use alloc::vec::Vec;
use core::ops::Range;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved {
    /// Of each feature, u of each class and their mean.
    sums: Vec<f64>,
    duals: Vec<f64>,
    epochs: u32,
    gap: f64,
    certificate: Option<Certificate>,
}

impl Resumable for LeeLinWahba {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let saved = Saved {
            sums: (0..self.problem.features())
                .flat_map(|feature| self.weights_of(feature, self.kept.clone()))
                .collect(),
            duals: self.flat_duals(),
            epochs: self.epochs,
            gap: self.gap,
            certificate: self.certificate,
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved = read(bytes)?;
        let features = self.problem.features();
        let width = self.kept.len() + 1;
        same("weights", saved.sums.len(), features * width)?;
        same("duals", saved.duals.len(), self.count_duals())?;
        self.check_epochs(saved.epochs)?;
        for (feature, sums) in saved.sums.chunks_exact(width).enumerate() {
            let (sums, mean) = sums.split_at(width - 1);
            self.set_sums(feature, self.kept.clone(), sums);
            self.set_mean(feature, mean[0]);
        }
        self.set_duals(&saved.duals);
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

    /// The classes of a share; nothing if their weights are elsewhere.
    fn held(&self, number: usize) -> Option<Range<usize>> {
        let classes = share(self.problem.classes(), number);
        let here = self.kept.start <= classes.start && classes.end <= self.kept.end;
        here.then_some(classes)
    }

    fn count_duals(&self) -> usize {
        self.problem.len() * self.problem.classes()
    }

    /// The duals without what fills up lanes.
    fn flat_duals(&self) -> Vec<f64> {
        let classes = self.problem.classes();
        let rows = self.duals.chunks_exact(classes.div_ceil(LANES));
        rows.flat_map(|duals| &duals.as_flattened()[..classes])
            .copied()
            .collect()
    }

    fn set_duals(&mut self, flat: &[f64]) {
        let classes = self.problem.classes();
        let rows = self.duals.chunks_exact_mut(classes.div_ceil(LANES));
        for (duals, flat) in rows.zip(flat.chunks_exact(classes)) {
            duals.as_flattened_mut()[..classes].copy_from_slice(flat);
        }
    }

    /// u of a feature and some classes kept here, then its mean.
    fn weights_of(&self, feature: usize, classes: Range<usize>) -> impl Iterator<Item = f64> + '_ {
        let (_, mean) = self.parts[0].feature(feature);
        let sums = self.sums(feature).skip(classes.start - self.kept.start);
        sums.take(classes.len()).chain([mean])
    }

    fn set_sums(&mut self, feature: usize, classes: Range<usize>, sums: &[f64]) {
        for part in &mut self.parts {
            let here = part.classes();
            let both = here.start.max(classes.start)..here.end.min(classes.end);
            if !both.is_empty() {
                let (to, _) = part.feature_mut(feature);
                to[both.start - here.start..both.end - here.start]
                    .copy_from_slice(&sums[both.start - classes.start..both.end - classes.start]);
            }
        }
    }

    fn set_mean(&mut self, feature: usize, mean: f64) {
        for part in &mut self.parts {
            *part.feature_mut(feature).1 = mean;
        }
    }
}

/// Of each feature u of some classes, and its mean; the first share has the duals, which all
/// processes know, too.
#[derive(Serialize, Deserialize)]
struct Share {
    number: u32,
    epochs: u32,
    gap: f64,
    sums: Vec<f64>,
    duals: Option<Vec<f64>>,
}

impl Shared for LeeLinWahba {
    fn shares(&self) -> usize {
        shares(self.problem.classes())
    }

    fn here(&self) -> Vec<usize> {
        let all = 0..self.shares();
        all.filter(|&share| self.held(share).is_some()).collect()
    }

    fn save_share(&self, number: usize, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let held = (number < self.shares()).then(|| self.held(number));
        let Some(held) = held.flatten().filter(|_| self.certificate.is_none()) else {
            return Err(StateError::Unwritable);
        };
        let features = 0..self.problem.features();
        let sums = features.flat_map(|feature| self.weights_of(feature, held.clone()));
        let saved = Share {
            number: number as u32,
            epochs: self.epochs,
            gap: self.gap,
            sums: sums.collect(),
            duals: (number == 0).then(|| self.flat_duals()),
        };
        write(&saved, sink)
    }

    fn resume_share(&mut self, number: usize, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Share = read(bytes)?;
        same("as its number", saved.number as usize, number)?;
        self.check_epochs(saved.epochs)?;
        if self.epochs > 0 {
            same("epochs", saved.epochs as usize, self.epochs as usize)?;
        }
        let width = share(self.problem.classes(), number).len() + 1;
        let features = self.problem.features();
        same("weights", saved.sums.len(), features * width)?;
        same(
            "records of all",
            usize::from(saved.duals.is_some()),
            usize::from(number == 0),
        )?;
        let cost = self.parameters.cost;
        let mut numbers = saved.sums.iter().chain([&saved.gap]);
        let mut sound = numbers.all(|number| number.is_finite());
        if let Some(duals) = &saved.duals {
            same("duals", duals.len(), self.count_duals())?;
            sound &= duals.iter().all(|dual| (0.0..=cost).contains(dual));
        }
        if !sound {
            return Err(StateError::Malformed);
        }
        let held = self.held(number);
        for (feature, sums) in saved.sums.chunks_exact(width).enumerate() {
            let (sums, mean) = sums.split_at(width - 1);
            if let Some(classes) = &held {
                self.set_sums(feature, classes.clone(), sums);
            }
            self.set_mean(feature, mean[0]);
        }
        if let Some(duals) = &saved.duals {
            self.set_duals(duals);
        }
        self.go_to(saved.epochs);
        self.gap = saved.gap;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::LeeLinWahba;
    use crate::{
        executor::Sequential,
        parameters::multiclass::{MultiClassLoss, MultiClassSvm},
        train::{multiclass::problem::tests::random, state::Resumable},
    };
    use hapax_processor::Processor;

    #[test]
    fn a_training_left_after_any_epoch_ends_as_one_that_was_not() {
        let parameters = MultiClassSvm {
            gap: 1e-6,
            cost: 3.0,
            ..MultiClassSvm::new(MultiClassLoss::LeeLinWahba)
        };
        let new = || {
            LeeLinWahba::new(
                &parameters,
                random(60, 20, 5, 3),
                &Sequential,
                Processor::portable(),
            )
            .unwrap()
        };
        let mut whole = new();
        let proof = whole.run(&Sequential, Processor::portable());
        assert!(proof.epochs > 4, "{proof:?}");
        let expected = whole.to_bytes().unwrap();
        let mut left = new();
        for epoch in 0..=proof.epochs {
            let bytes = left.to_bytes().unwrap();
            let mut again = new();
            again.resume(&bytes).unwrap();
            again.run(&Sequential, Processor::portable());
            assert!(again.to_bytes().unwrap() == expected, "left after {epoch}");
            assert!(new().resume(&bytes[..bytes.len() - 1]).is_err());
            left.epoch(&Sequential, Processor::portable());
        }
        let mut other = LeeLinWahba::new(
            &parameters,
            random(61, 20, 5, 3),
            &Sequential,
            Processor::portable(),
        )
        .unwrap();
        assert!(other.resume(&expected).is_err());
    }
}
