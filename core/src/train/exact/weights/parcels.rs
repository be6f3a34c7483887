//! Weights of some features as bytes for other processes, and one by one for states.

use super::{ClassWeights, FeatureWeights, Lists};
use crate::train::exact::numbers::Numbers;
use alloc::vec::Vec;
use core::ops::Range;

/// What stands for the number of weights of a dense feature.
const DENSE: u32 = u32::MAX;

/// Appends numbers, four bytes each, the lowest first.
pub fn push_numbers(bytes: &mut Vec<u8>, numbers: &[f32]) {
    if cfg!(target_endian = "little") {
        bytes.extend_from_slice(bytemuck::cast_slice(numbers));
    } else {
        numbers
            .iter()
            .for_each(|number| bytes.extend(number.to_le_bytes()));
    }
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let (places, _) = bytes.as_chunks::<4>();
    places.iter().map(|place| f32::from_le_bytes(*place))
}

impl ClassWeights {
    /// The weights of some features, as [`ClassWeights::set_bytes`] takes them: how many each feature has; their
    /// classes, of features that are not dense; the weights; the background.
    #[must_use]
    pub fn to_bytes(&self, features: Range<u32>) -> Vec<u8> {
        let (range, (weights, lists)) = (usizes(&features), self.ranges(&features));
        let mut bytes = Vec::with_capacity(8 * weights.len() + 8 * range.len());
        let shapes = range.clone().map(|feature| {
            if self.is_dense(feature) {
                DENSE
            } else {
                self.listed(feature) as u32
            }
        });
        let shapes = Numbers::Wide(shapes.collect());
        shapes.push_some_to(0..range.len(), &mut bytes);
        self.lists.classes.push_some_to(lists, &mut bytes);
        push_numbers(&mut bytes, &self.weights[weights]);
        push_numbers(&mut bytes, &self.background[range]);
        bytes
    }

    /// Sets the weights of some features; whether the bytes can be those of such features. If not, none has been set.
    #[must_use]
    pub fn set_bytes(&mut self, features: Range<u32>, bytes: &[u8]) -> bool {
        let (range, all) = (usizes(&features), self.classes);
        let Some((shapes, rest)) = bytes.split_at_checked(4 * range.len()) else {
            return false;
        };
        let shapes = shapes.as_chunks::<4>().0.iter();
        let shapes: Vec<u32> = shapes.map(|shape| u32::from_le_bytes(*shape)).collect();
        let (mut listed, mut held) = (0usize, 0usize);
        for &shape in &shapes {
            let of_list = if shape == DENSE { 0 } else { shape as usize };
            listed = listed.saturating_add(of_list);
            held = held.saturating_add(if shape == DENSE { all } else { of_list });
        }
        let Some((classes, rest)) =
            rest.split_at_checked(listed.saturating_mul(Numbers::width(all)))
        else {
            return false;
        };
        let Some((weights, background)) = rest.split_at_checked(held.saturating_mul(4)) else {
            return false;
        };
        let mut numbers_of_classes = Numbers::new(all);
        if background.len() != 4 * range.len() || !numbers_of_classes.set_bytes(classes, all) {
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
    use super::super::{ClassWeights, growth::tests::lists_of};
    use crate::executor::Sequential;

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

    #[test]
    fn bytes_of_some_features_set_these_and_no_others() {
        let weights = some();
        let bytes = weights.to_bytes(1..4);
        let mut other = ClassWeights::new(5, 9);
        assert!(other.set_bytes(1..4, &bytes));
        assert_eq!(other.to_bytes(1..4), bytes);
        assert!(other.is_dense(2));
        assert_eq!(other.of(2), weights.of(2));
        assert_eq!(other.to_bytes(0..1), ClassWeights::new(5, 9).to_bytes(0..1));
        assert_eq!(other.background[1..4], weights.background[1..4]);
    }

    #[test]
    fn bytes_that_are_cut_or_too_many_or_name_classes_that_are_not_there_are_refused() {
        let bytes = some().to_bytes(0..5);
        for cut in 0..bytes.len() {
            assert!(!some().set_bytes(0..5, &bytes[..cut]), "{cut}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(!some().set_bytes(0..5, &longer));
        assert!(!some().set_bytes(0..4, &bytes));
        // The first class of the first list stands after the five numbers of weights.
        let mut changed = bytes.clone();
        changed[20] = 9;
        assert!(!some().set_bytes(0..5, &changed));
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
