//! Learning on: vectors of new labels and features for an embedding whose training rows are gone.
//!
//! # Problem
//! The vectors of features that training saw stay as the model stores them, and so do those of
//! labels without new rows. The others are to make the loss of [`super::joint`] over the new rows
//! small, by the same steps. AdaGrad divides a step by the root of the vector's sum of squared
//! gradients. New labels and features start as in training: at 0 or at random signs, with a sum of
//! 0. Old labels with new rows start where they are, with the sum 1 / pull, and what stays has the
//! sum infinity, so that its steps are 0. With a pull of 0, no old vector moves. A row of old
//! features scores labels that stay as before, to the bit.
//!
//! Cost: that of training on the new rows; nothing where nothing moves. Memory: that of training,
//! and all vectors once more at 4 bytes a number.

use super::{model::joined, space::Space};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::{
        Kernels,
        panels::{LANES, place, square},
    },
    model::embedding::{
        Embedding,
        build::{Form, Vectors, build},
    },
    parameters::{
        embedding::EmbeddingTraining,
        wsabie::{Wsabie, WsabieSteps},
    },
    sparse::SparseView,
    train::{TrainError, Training, error::array},
};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Vectors that stay as they are.
pub(super) struct Known {
    vectors: Vectors,
    /// Of each feature of the model its number in the data; `None` if no row had it.
    places: Vec<Option<u32>>,
    /// The sum of squared gradients that each label of the model starts with; 0 for one that
    /// starts anew.
    sums: Vec<f32>,
}

impl Known {
    /// What `embedding` knows, whose feature f is `places[f]` of `data`.
    fn of(embedding: &Embedding, data: &Dataset, places: &[u32], pull: f64) -> Self {
        let features = embedding.model().parts().features;
        let vectors = embedding.model().vectors().of_all(features);
        let known = |vector: &[f32]| vector.iter().any(|&weight| weight != 0.0);
        let each = vectors.embedding.chunks(vectors.dimensions.max(1));
        let now = data.labels().frequencies();
        let counts = embedding.frequencies().iter().zip(&now);
        let sum = |(&old, &new): (&u32, &u32)| match (old, new) {
            (_, 0) => f32::INFINITY,
            (0, _) => 0.0,
            _ => (1.0 / pull) as f32,
        };
        Self {
            places: each
                .zip(places)
                .map(|(vector, &place)| known(vector).then_some(place))
                .collect(),
            sums: counts.map(sum).collect(),
            vectors,
        }
    }

    /// The features that stay: their numbers in the model and in the data.
    fn features(&self) -> impl Iterator<Item = (usize, usize)> {
        let places = self.places.iter().enumerate();
        places.filter_map(|(before, place)| Some((before, (*place)? as usize)))
    }

    /// The labels that start where they are, with their sums.
    fn labels(&self) -> impl Iterator<Item = (usize, f32)> {
        let sums = self.sums.iter().copied().enumerate();
        sums.filter(|&(_, sum)| sum > 0.0)
    }

    /// Puts the vectors of this model of an ensemble into the start of its training.
    pub(super) fn hold(&self, space: &mut Space, model: u32) {
        let (all, own) = (self.vectors.dimensions, space.dimensions);
        let first = model as usize * own;
        for (before, now) in self.features() {
            let vector = &self.vectors.embedding[before * all + first..][..own];
            space.embedding[now * own..][..own].copy_from_slice(vector);
            space.sums[now] = f32::INFINITY;
        }
        for (label, sum) in self.labels() {
            let vector = &self.vectors.prototypes[label * all + first..][..own];
            let slot = space.slot_of[label] as usize;
            let coordinates = space.panels[place(slot, own)..].iter_mut();
            for (to, &from) in coordinates.step_by(LANES).zip(vector) {
                *to = from;
            }
            if space.euclidean {
                space.offsets[slot] = -square(vector);
            }
            space.class_sums[label] = sum;
        }
    }
}

impl Embedding {
    /// The embedding with the rows of `data` learned, whose labels are those of the model and
    /// others behind them; `places` has the number of each feature of the model in `data`, rising.
    /// `pull`, at least 0, says how far old labels move.
    ///
    /// # Errors
    /// [`TrainError::CannotLearn`] if training did not make steps that can be 0 for some vectors
    /// only, or the model holds other vectors than it makes; otherwise as [`Embedding::train`].
    pub(in crate::train) fn learn_on(
        &self,
        data: &Dataset,
        (places, pull): (&[u32], f64),
        executor: &Executor,
        kernels: &dyn Kernels,
    ) -> Result<Self, TrainError> {
        let Some(training) = self.goes_on() else {
            return Err(TrainError::CannotLearn);
        };
        let (features, labels) = (data.rows().features(), data.labels().labels());
        let parts = self.model().parts();
        let known = Known::of(self, data, places, pull);
        let kept_features: Vec<(usize, usize)> = known.features().collect();
        let stay = known.labels().filter(|(_, sum)| sum.is_infinite());
        let kept_labels: Vec<usize> = stay.map(|(label, _)| label).collect();
        let mut kept = array(features as usize, false)?;
        kept_features.iter().for_each(|&(_, now)| kept[now] = true);
        let met = |row: SparseView<'_>| row.indices().iter().all(|&id| kept[id as usize]);
        let nothing_new = features == parts.features
            && kept_labels.len() == labels as usize
            && data.rows().iter().all(met);
        if nothing_new {
            return Ok(self.with_rows(self.model().clone(), data));
        }
        let trainer = training.trainer_from(data, kernels, Some(known))?;
        let spaces = trainer.train(executor, &mut |_| ControlFlow::Continue(()))?;
        let vectors = joined(&spaces, data, |feature| kept[feature])?;
        let form = Form {
            transform: parts.transform,
            euclidean: parts.euclidean,
            features,
            bits: parts.prototypes.weights.bits(),
        };
        let mut model = build(&vectors, &form)?;
        model.keep_scales(
            self.model(),
            kept_features.into_iter(),
            kept_labels.into_iter(),
        );
        Ok(self.with_rows(model, data))
    }

    /// The training, if its steps can be 0 for vectors that stay, and its vectors are the model's.
    pub(in crate::train) fn goes_on(&self) -> Option<&Wsabie> {
        let EmbeddingTraining::Wsabie(training) = self.training() else {
            return None;
        };
        let parts = self.model().parts();
        let fits = training.steps == WsabieSteps::AdaGradByFeature
            && training.max_norm == 0.0
            && training.is_euclidean() == parts.euclidean
            && training.dimensions * training.models == parts.dimensions
            && parts.embedding.is_some();
        fits.then_some(training)
    }
}

#[cfg(test)]
mod tests {
    use super::Known;
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        model::embedding::{Embedding, EmbeddingScratch, build::Vectors},
        parameters::{embedding::EmbeddingTraining, wsabie::Wsabie},
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::{TrainError, Training},
    };
    use alloc::{vec, vec::Vec};
    use core::ops::ControlFlow;

    /// Rows of two of the three features of their label and a random one, over `features`; label l
    /// owns the features from 3 l on, moved up by one from `gap` on.
    fn rows(seed: u64, labels: &[u32], of: (u32, u32), gap: u32) -> Dataset {
        let mut stream = Stream::new(seed, 1);
        let (mut all, mut lists) = (SparseRows::new(of.0), LabelLists::new(of.1));
        let place = |feature: u32| feature + u32::from(feature >= gap);
        for _ in 0..60 {
            for &label in labels {
                let skipped = stream.below(3) as u32;
                let own = (0..3).filter(|&at| at != skipped).map(|at| 3 * label + at);
                let noise = stream.below(u64::from(3 * of.1)) as u32;
                let pairs = own.map(|id| (place(id), 1.0)).chain([(place(noise), 0.2)]);
                all.push(SparseVec::from_pairs(pairs).unwrap().view())
                    .unwrap();
                lists.push([label]);
            }
        }
        Dataset::new(all, lists, None).unwrap()
    }

    fn training(bits: u32) -> Wsabie {
        Wsabie {
            dimensions: 6,
            bits,
            ..Wsabie::distances()
        }
    }

    fn trained(training: Wsabie, data: &Dataset) -> Embedding {
        let training = EmbeddingTraining::Wsabie(training);
        let mut go_on = |_| ControlFlow::Continue(());
        Embedding::train(&training, None, data, &Sequential, &Portable, &mut go_on).unwrap()
    }

    /// The share of rows whose first answer is right.
    fn right(embedding: &Embedding, data: &Dataset) -> f64 {
        let mut scratch = EmbeddingScratch::default();
        let rows = data.rows().iter().zip(data.labels().iter());
        let hits = rows.filter(|(row, labels)| {
            labels.contains(&embedding.model().predict(*row, 1, &mut scratch)[0].id)
        });
        hits.count() as f64 / data.len() as f64
    }

    /// Labels 0 to 7 and features without number 9 come first; then label 8, whose features are
    /// new, and new rows of labels 0 to 3.
    #[test]
    fn what_stays_keeps_every_bit_and_what_is_new_is_learned() {
        let old = rows(1, &[0, 1, 2, 3, 4, 5, 6, 7], (27, 8), u32::MAX);
        let more = rows(2, &[0, 1, 2, 3, 8], (28, 9), 9);
        let places: Vec<u32> = (0..27).map(|id| id + u32::from(id >= 9)).collect();
        for bits in [32, 8, 4] {
            let before = trained(training(bits), &old);
            for (pull, moving) in [(0.0, false), (1.0, true)] {
                let learned = before.learn_on(&more, (&places, pull), &Sequential, &Portable);
                let after = learned.unwrap();
                let (a, b) = (before.model().vectors(), after.model().vectors());
                for (feature, &place) in places.iter().enumerate().take(24) {
                    let of =
                        |vectors: &Vectors, at: usize| vectors.embedding[at * 12..][..12].to_vec();
                    assert_eq!(of(&a, feature), of(&b, place as usize), "{feature}");
                }
                let (own, other) = (before.model().parts(), after.model().parts());
                for label in 0..8 {
                    let of = |vectors: &Vectors| vectors.prototypes[label * 12..][..12].to_vec();
                    let stays = !moving || label > 3;
                    assert_eq!(of(&a) == of(&b), stays, "{label} of {bits} bits");
                    if stays {
                        let offsets = [own, other].map(|parts| parts.prototypes.offsets[label]);
                        assert_eq!(offsets[0], offsets[1]);
                    }
                }
                assert!(right(&after, &more) > 0.9, "{}", right(&after, &more));
                assert_eq!(
                    after.frequencies()[..],
                    [120, 120, 120, 120, 60, 60, 60, 60, 60]
                );
            }
        }
    }

    /// The twin: with nothing known, learning on is training.
    #[test]
    fn with_nothing_known_it_is_training() {
        let data = rows(3, &[0, 1, 2, 3], (12, 4), u32::MAX);
        let nothing = Known {
            vectors: Vectors {
                dimensions: 12,
                ..Vectors::default()
            },
            places: Vec::new(),
            sums: vec![0.0; 4],
        };
        let made = [None, Some(nothing)].map(|known| {
            let trainer = training(32).trainer_from(&data, &Portable, known).unwrap();
            let mut hearing = |_| ControlFlow::Continue(());
            let spaces = trainer.train(&Sequential, &mut hearing).unwrap();
            super::joined(&spaces, &data, |_| false).unwrap()
        });
        assert_eq!(made[0], made[1]);
    }

    #[test]
    fn rows_of_known_features_and_labels_change_nothing_without_a_pull() {
        let data = rows(3, &[0, 1, 2, 3], (12, 4), u32::MAX);
        let before = trained(training(4), &data);
        let places: Vec<u32> = (0..12).collect();
        let more = rows(4, &[1, 2], (12, 4), u32::MAX);
        let learned = before.learn_on(&more, (&places, 0.0), &Sequential, &Portable);
        assert_eq!(learned.unwrap().model(), before.model());
    }

    #[test]
    fn steps_that_cannot_leave_vectors_alone_are_refused() {
        let data = rows(3, &[0, 1, 2, 3], (12, 4), u32::MAX);
        let places: Vec<u32> = (0..12).collect();
        let published = [Wsabie::published(), Wsabie::plus_plus()];
        for training in published {
            let few = Wsabie {
                epochs: 1,
                ..training
            };
            let made = trained(few, &data).learn_on(&data, (&places, 0.0), &Sequential, &Portable);
            assert_eq!(made.unwrap_err(), TrainError::CannotLearn);
        }
    }
}
