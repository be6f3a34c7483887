//! Weights of some features as bytes for other processes, and one by one for states.

use super::{ClassWeights, FeatureWeights, Lists};
use crate::train::exact::numbers::{Numbers, little_endian};
use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

/// How many parcels hold the weights of some features.
pub const PARCELS: usize = 4;

/// What stands for the number of weights of a dense feature.
const DENSE: u32 = u32::MAX;

fn numbers(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let (places, _) = bytes.as_chunks::<4>();
    places.iter().map(|place| f32::from_le_bytes(*place))
}

impl ClassWeights {
    /// The weights of some features in parcels, as [`ClassWeights::set_parcels`] takes them: how many each feature has; their
    /// classes, of features that are not dense; the weights; the background.
    #[must_use]
    pub fn parcels(&self, features: Range<u32>) -> [Cow<'_, [u8]>; PARCELS] {
        let (range, (weights, lists)) = (usizes(&features), self.ranges(&features));
        let shapes = range.clone().flat_map(|feature| {
            let shape = if self.is_dense(feature) {
                DENSE
            } else {
                self.listed(feature) as u32
            };
            shape.to_le_bytes()
        });
        [
            Cow::Owned(shapes.collect()),
            self.lists.classes.bytes_of(lists),
            little_endian(&self.weights[weights], f32::to_le_bytes),
            little_endian(&self.background[range], f32::to_le_bytes),
        ]
    }

    /// Sets the weights of some features; whether the parcels can be those of such features. If not, none has been set.
    #[must_use]
    pub fn set_parcels(&mut self, features: Range<u32>, parcels: [&[u8]; PARCELS]) -> bool {
        let (range, all) = (usizes(&features), self.classes);
        let [shapes, classes, weights, background] = parcels;
        let (shapes, rest) = shapes.as_chunks::<4>();
        if shapes.len() != range.len() || !rest.is_empty() {
            return false;
        }
        let shapes = shapes.iter().map(|shape| u32::from_le_bytes(*shape));
        let shapes: Vec<u32> = shapes.collect();
        let (mut listed, mut held) = (0usize, 0usize);
        for &shape in &shapes {
            let of_list = if shape == DENSE { 0 } else { shape as usize };
            listed = listed.saturating_add(of_list);
            held = held.saturating_add(if shape == DENSE { all } else { of_list });
        }
        let mut numbers_of_classes = Numbers::new(all);
        if classes.len() != listed.saturating_mul(Numbers::width(all))
            || weights.len() != held.saturating_mul(4)
            || background.len() != 4 * range.len()
            || !numbers_of_classes.set_bytes(classes, all)
        {
            return false;
        }
        let own = self.background[range].iter_mut();
        own.zip(numbers(background))
            .for_each(|(own, new)| *own = new);
        let shapes = shapes.iter().map(|&shape| {
            if shape == DENSE {
                (all, 0)
            } else {
                (shape as usize, shape as usize)
            }
        });
        self.replace(features, shapes, numbers(weights), &numbers_of_classes);
        true
    }

    /// The weights of some features, one by one.
    #[must_use]
    pub fn features_of(&self, features: Range<u32>) -> Vec<FeatureWeights> {
        let of = |feature: usize| {
            let mut classes = Numbers::new(self.classes);
            classes.extend_from(&self.lists.classes, self.list(feature));
            FeatureWeights {
                classes,
                weights: self.of(feature).to_vec(),
            }
        };
        usizes(&features).map(of).collect()
    }

    /// Sets the weights of some features; lists are of the width of these classes.
    pub fn set_features(&mut self, features: Range<u32>, new: &[FeatureWeights]) {
        let mut classes = Numbers::new(self.classes);
        for feature in new {
            classes.extend_from(&feature.classes, 0..feature.classes.len());
        }
        let shapes = new
            .iter()
            .map(|feature| (feature.weights.len(), feature.classes.len()));
        let weights = new
            .iter()
            .flat_map(|feature| feature.weights.iter().copied());
        self.replace(features, shapes, weights, &classes);
    }

    /// Replaces the weights of some features, of each of which it is told how many weights and listed classes there are.
    fn replace(
        &mut self,
        features: Range<u32>,
        shapes: impl Iterator<Item = (usize, usize)>,
        new: impl Iterator<Item = f32>,
        classes: &Numbers,
    ) {
        let (range, (weights, lists)) = (usizes(&features), self.ranges(&features));
        let (mut end, mut list_end) = (weights.start, lists.start);
        for (feature, (held, listed)) in range.clone().zip(shapes) {
            (self.starts[feature], self.lists.starts[feature]) = (end, list_end);
            (end, list_end) = (end + held, list_end + listed);
        }
        if end == weights.end {
            let old = self.weights[weights].iter_mut();
            old.zip(new).for_each(|(old, new)| *old = new);
        } else {
            move_starts(&mut self.starts[range.end..], weights.end, end);
            self.weights.splice(weights, new);
        }
        move_starts(&mut self.lists.starts[range.end..], lists.end, list_end);
        self.lists.classes.replace(lists, classes);
    }

    /// Where the weights and the lists of some features are.
    fn ranges(&self, features: &Range<u32>) -> (Range<usize>, Range<usize>) {
        let range = usizes(features);
        let Lists { starts, .. } = &self.lists;
        (
            self.starts[range.start]..self.starts[range.end],
            starts[range.start]..starts[range.end],
        )
    }
}

fn usizes(features: &Range<u32>) -> Range<usize> {
    features.start as usize..features.end as usize
}

/// Moves all starts by as much as the first one, from `old` to `new`.
fn move_starts(starts: &mut [usize], old: usize, new: usize) {
    for start in starts {
        *start = *start - old + new;
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{ClassWeights, growth::tests::lists_of},
        PARCELS,
    };
    use crate::executor::Sequential;
    use alloc::{borrow::Cow, vec::Vec};
    use core::ops::Range;

    /// Weights of 5 features, of which the third is dense and the last has none.
    fn some() -> ClassWeights {
        let mut weights = ClassWeights::new(5, 9);
        let dense = weights.append(0, &[2, 1, 4, 2], &[3, 8, 0, 1, 2, 4, 5, 7, 2], &Sequential);
        assert_eq!(dense, [2]);
        for mut shard in weights.shards(&[0, 2, 5]) {
            for (at, feature) in shard.range.clone().enumerate() {
                let own = shard.of(at).iter_mut().enumerate();
                own.for_each(|(place, weight)| *weight = feature as f32 - 0.25 * place as f32);
                shard.background[at] = 0.5 - feature as f32;
            }
        }
        weights
    }

    type Parcels = [Vec<u8>; PARCELS];

    fn parcels(weights: &ClassWeights, features: Range<u32>) -> Parcels {
        weights.parcels(features).map(Cow::into_owned)
    }

    fn set(weights: &mut ClassWeights, features: Range<u32>, parcels: &Parcels) -> bool {
        weights.set_parcels(features, parcels.each_ref().map(Vec::as_slice))
    }

    #[test]
    fn parcels_of_some_features_set_these_and_no_others() {
        let weights = some();
        let sent = parcels(&weights, 1..4);
        let mut other = ClassWeights::new(5, 9);
        assert!(set(&mut other, 1..4, &sent));
        assert_eq!(parcels(&other, 1..4), sent);
        assert!(other.is_dense(2));
        assert_eq!(other.of(2), weights.of(2));
        let none = ClassWeights::new(5, 9);
        assert_eq!(parcels(&other, 0..1), parcels(&none, 0..1));
        assert_eq!(other.background[1..4], weights.background[1..4]);
    }

    #[test]
    fn parcels_that_are_cut_or_too_long_or_name_classes_that_are_not_there_are_refused() {
        let sent = parcels(&some(), 0..5);
        for part in 0..PARCELS {
            for cut in 0..sent[part].len() {
                let mut changed = sent.clone();
                changed[part].truncate(cut);
                assert!(!set(&mut some(), 0..5, &changed), "{part} {cut}");
            }
            let mut longer = sent.clone();
            longer[part].push(0);
            assert!(!set(&mut some(), 0..5, &longer), "{part}");
        }
        assert!(!set(&mut some(), 0..4, &sent));
        let mut changed = sent;
        changed[1][0] = 9;
        assert!(!set(&mut some(), 0..5, &changed));
    }

    #[test]
    fn features_on_their_own_make_up_the_same_weights() {
        let weights = some();
        let mut other = ClassWeights::new(5, 9);
        other.set_features(2..5, &weights.features_of(2..5));
        other.set_features(0..2, &weights.features_of(0..2));
        assert_eq!(lists_of(&other), lists_of(&weights));
    }
}
