//! The weights of all classes, by feature: what a row's scores are made of.
//!
//! The weights of class c are `w_c = u + r_c` with one background u for all classes. As the weights of
//! all classes add up to 0, `u = -(r_1 + … + r_L) / L`, and differences of scores, which is all that
//! losses and answers are made of, do not depend on it.

use super::numbers::Numbers;
use alloc::{vec, vec::Vec};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// The weights `r_c` of one feature: a list of classes and weights that only grows at its end, so that a
/// place in it stays what it is; or, from L/4 classes on, the weights of all classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeatureWeights {
    /// The class of each place; empty if the weights are those of all classes.
    pub classes: Numbers,
    /// The weights.
    pub weights: Vec<f32>,
}

impl FeatureWeights {
    /// None yet, of so many classes.
    #[must_use]
    pub fn none(classes: usize) -> Self {
        Self {
            classes: Numbers::new(classes),
            weights: Vec::new(),
        }
    }

    /// Whether there is a place for every class.
    #[must_use]
    #[inline]
    pub fn is_dense(&self) -> bool {
        self.classes.len() != self.weights.len()
    }

    /// Makes a place for every class if a quarter of them have one; whether it did.
    fn make_dense(&mut self, classes: usize) -> bool {
        if self.is_dense() || self.classes.len() * 4 < classes || self.classes.is_empty() {
            return false;
        }
        let mut dense = vec![0f32; classes];
        self.visit(|class, weight| dense[class as usize] = weight);
        // A single class would look like a list: there are always two or more.
        self.classes = Numbers::new(classes);
        self.weights = dense;
        true
    }

    /// Appends weights of 0 for classes that have no place.
    pub fn append(&mut self, classes: &[u32]) {
        if classes.is_empty() {
            return;
        }
        // Lists grow a few times only, but most of the memory is theirs.
        self.classes.extend(classes);
        self.weights.reserve_exact(classes.len());
        self.weights.resize(self.weights.len() + classes.len(), 0.0);
    }

    /// Hands every class that has a place, and its weight, to `visit`.
    pub fn visit(&self, mut visit: impl FnMut(u32, f32)) {
        if self.is_dense() {
            for (class, &weight) in self.weights.iter().enumerate() {
                visit(class as u32, weight);
            }
        } else {
            let mut weights = self.weights.iter();
            self.classes
                .visit(|class| weights.next().into_iter().for_each(|&w| visit(class, w)));
        }
    }

    /// How many weights there are, or [`DENSE`].
    fn shape(&self) -> u32 {
        if self.is_dense() {
            DENSE
        } else {
            self.classes.len() as u32
        }
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        self.classes.bytes() + 4 * self.weights.capacity()
    }
}

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

/// The weights of L classes over D features.
///
/// Memory: 6 bytes a weight of a list, 8 from 65,537 classes on, and 4 of a dense feature, 60 bytes a feature.
#[derive(Clone, Debug)]
pub struct ClassWeights {
    /// By feature.
    pub lists: Vec<FeatureWeights>,
    /// The background u.
    pub background: Vec<f32>,
    /// Number of classes L.
    pub classes: usize,
}

/// The weights of a range of features, to change.
#[derive(Debug)]
pub struct Shard<'a> {
    /// Which features.
    pub range: Range<u32>,
    /// Their lists.
    pub lists: &'a mut [FeatureWeights],
    /// Their background.
    pub background: &'a mut [f32],
}

impl ClassWeights {
    /// No weights yet.
    #[must_use]
    pub fn new(features: usize, classes: usize) -> Self {
        Self {
            lists: vec![FeatureWeights::none(classes); features],
            background: vec![0.0; features],
            classes,
        }
    }

    /// The weights of the ranges of features between borders.
    pub fn shards<'a>(&'a mut self, borders: &[u32]) -> Vec<Shard<'a>> {
        let (mut start, ends) = match borders {
            [] => return Vec::new(),
            [start, ends @ ..] => (*start, ends),
        };
        let mut lists = &mut self.lists[start as usize..];
        let mut background = &mut self.background[start as usize..];
        let mut shards = Vec::with_capacity(ends.len());
        for &end in ends {
            let (own, rest) = lists.split_at_mut((end - start) as usize);
            let (own_background, rest_background) = background.split_at_mut((end - start) as usize);
            shards.push(Shard {
                range: start..end,
                lists: own,
                background: own_background,
            });
            (lists, background, start) = (rest, rest_background, end);
        }
        shards
    }

    /// Makes those of these features dense that have many classes; which ones, rising.
    pub fn make_dense(&mut self, features: Range<u32>) -> Vec<u32> {
        let classes = self.classes;
        let lists = &mut self.lists[features.start as usize..features.end as usize];
        let lists = features.zip(lists);
        lists
            .filter_map(|(feature, list)| list.make_dense(classes).then_some(feature))
            .collect()
    }

    /// The weights of some features, as [`ClassWeights::set_bytes`] takes them: how many each feature has; their
    /// classes, of features that are not dense; the weights; the background.
    #[must_use]
    pub fn to_bytes(&self, features: Range<u32>) -> Vec<u8> {
        let range = features.start as usize..features.end as usize;
        let lists = &self.lists[range.clone()];
        let held = |list: &FeatureWeights| list.classes.stored() + 4 * list.weights.len();
        let size = lists.iter().map(held).sum::<usize>() + 8 * lists.len();
        let mut bytes = Vec::with_capacity(size);
        let shapes = lists.iter().map(FeatureWeights::shape).collect();
        Numbers::Wide(shapes).push_to(&mut bytes);
        lists
            .iter()
            .for_each(|list| list.classes.push_to(&mut bytes));
        lists
            .iter()
            .for_each(|list| push_numbers(&mut bytes, &list.weights));
        push_numbers(&mut bytes, &self.background[range]);
        bytes
    }

    /// Sets the weights of some features; whether the bytes can be those of such features. If not, some of them may have
    /// been set.
    #[must_use]
    pub fn set_bytes(&mut self, features: Range<u32>, bytes: &[u8]) -> bool {
        let all = self.classes;
        let range = features.start as usize..features.end as usize;
        let Some((shapes, mut rest)) = bytes.split_at_checked(4 * range.len()) else {
            return false;
        };
        let shapes = shapes.as_chunks::<4>().0.iter();
        let shapes: Vec<u32> = shapes.map(|shape| u32::from_le_bytes(*shape)).collect();
        let mut take = |count: usize| {
            let (taken, later) = rest.split_at_checked(count)?;
            rest = later;
            Some(taken)
        };
        for (list, &shape) in self.lists[range.clone()].iter_mut().zip(&shapes) {
            let listed = if shape == DENSE { 0 } else { shape as usize };
            let classes = take(listed * Numbers::width(all));
            if !classes.is_some_and(|classes| list.classes.set_bytes(classes, all)) {
                return false;
            }
        }
        for (list, &shape) in self.lists[range.clone()].iter_mut().zip(&shapes) {
            let count = if shape == DENSE { all } else { shape as usize };
            let Some(weights) = take(4 * count) else {
                return false;
            };
            list.weights.clear();
            list.weights.extend(numbers(weights));
        }
        let Some(background) = take(4 * range.len()) else {
            return false;
        };
        for (own, number) in self.background[range].iter_mut().zip(numbers(background)) {
            *own = number;
        }
        rest.is_empty()
    }

    /// Multiplies all weights.
    pub fn multiply(&mut self, factor: f32) {
        let lists = self.lists.iter_mut().flat_map(|list| &mut list.weights);
        lists
            .chain(&mut self.background)
            .for_each(|weight| *weight *= factor);
    }

    /// Weights that are not 0.
    #[must_use]
    pub fn nonzeros(&self) -> u64 {
        let lists = self.lists.iter();
        lists
            .map(|list| list.weights.iter().filter(|&&w| w != 0.0).count() as u64)
            .sum()
    }

    /// The sum of squares of all `w_c`, with u such that they add up to 0.
    #[must_use]
    pub fn square(&self) -> f64 {
        let of = |list: &FeatureWeights| {
            let (mut sum, mut square) = (0.0, 0.0);
            for &weight in &list.weights {
                sum += f64::from(weight);
                square += f64::from(weight) * f64::from(weight);
            }
            square - sum * sum / self.classes as f64
        };
        self.lists.iter().map(of).sum()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lists: usize = self.lists.iter().map(FeatureWeights::bytes).sum();
        lists + 60 * self.lists.len()
    }
}

#[cfg(test)]
mod tests {
    use super::ClassWeights;

    /// Weights of 5 features, of which the third is dense and the last has none.
    fn some() -> ClassWeights {
        let mut weights = ClassWeights::new(5, 9);
        for (feature, classes) in [&[3, 8][..], &[0], &[1, 2, 4, 5], &[7, 2]]
            .iter()
            .enumerate()
        {
            weights.lists[feature].append(classes);
            for (place, weight) in weights.lists[feature].weights.iter_mut().enumerate() {
                *weight = feature as f32 - 0.25 * place as f32;
            }
            weights.background[feature] = 0.5 - feature as f32;
        }
        assert_eq!(weights.make_dense(2..3), [2]);
        weights
    }

    #[test]
    fn bytes_of_some_features_set_these_and_no_others() {
        let weights = some();
        let bytes = weights.to_bytes(1..4);
        let mut other = ClassWeights::new(5, 9);
        assert!(other.set_bytes(1..4, &bytes));
        assert_eq!(other.to_bytes(1..4), bytes);
        assert!(other.lists[2].is_dense());
        assert_eq!(other.lists[2].weights, weights.lists[2].weights);
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
}
