//! The weights of one class, and what a row does to them.
//!
//! Features rise, with their weights; behind them is a tail of at most 64 newer ones in the order
//! in which they came, which is merged when it has become longer. Marks tell that most features of
//! a row have no weight without a search.

use super::{
    list::{Beside, due},
    state::State,
};
use alloc::{vec, vec::Vec};

/// The longest tail.
const TAIL: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub features: Vec<u32>,
    pub values: Vec<f32>,
    /// One number a weight, or none at all.
    pub extra: Vec<f32>,
    /// Where the tail begins.
    pub sorted: usize,
    /// A bit for each feature, which several share: where it is not set there is no weight. At
    /// least four bits a weight.
    marks: Vec<u64>,
    /// How far the weights have moved, at most, since a search was told of them; in units of `V`.
    pub moved: f64,
    /// Their length then.
    pub told: f64,
}

impl Row {
    /// Where a feature stands, if it has a weight. Of rising features `from` may be the last
    /// answer's second part.
    #[inline]
    fn find(&self, feature: u32, from: &mut usize) -> Option<usize> {
        let direct = feature as usize;
        if direct < self.sorted && self.features[direct] == feature {
            return Some(direct);
        }
        if !self.is_marked(feature) {
            return None;
        }
        let rest = &self.features[*from..self.sorted];
        *from += rest.partition_point(|&other| other < feature);
        if *from < self.sorted && self.features[*from] == feature {
            return Some(*from);
        }
        let tail = &self.features[self.sorted..];
        let at = tail.iter().position(|&other| other == feature)?;
        Some(self.sorted + at)
    }

    /// Whether it has all features from 0 on, as those of dense rows do.
    fn has_each(&self) -> bool {
        let last = self.sorted.checked_sub(1);
        self.sorted == self.features.len()
            && last.is_some_and(|last| self.features[last] as usize == last)
    }

    #[inline]
    fn is_marked(&self, feature: u32) -> bool {
        let (word, bit) = place_of_mark(self.marks.len(), feature);
        self.marks.get(word).is_some_and(|word| word & bit != 0)
    }

    /// A row of these features, rising, with their weights and what is beside them.
    pub(crate) fn merged(features: Vec<u32>, values: Vec<f32>, extra: Vec<f32>) -> Self {
        let mut row = Self {
            sorted: features.len(),
            features,
            values,
            extra,
            ..Self::default()
        };
        row.mark_all();
        row
    }

    fn mark_all(&mut self) {
        let words = (self.features.len() / 8 + 1).next_power_of_two();
        self.marks = vec![0; words];
        for &feature in &self.features {
            let (word, bit) = place_of_mark(words, feature);
            self.marks[word] |= bit;
        }
    }

    fn mark(&mut self, feature: u32) {
        if 64 * self.marks.len() < 4 * self.features.len() + 64 {
            self.mark_all();
        }
        let (word, bit) = place_of_mark(self.marks.len(), feature);
        self.marks[word] |= bit;
    }

    /// The product with a row, its features rising, in units of `V`.
    pub(crate) fn score(&self, state: &State, class: u32, row: &[(u32, f32)]) -> f32 {
        if state.unpenalized() && self.has_each() && has_each(row) {
            return product(&self.values, row);
        }
        let (mut from, mut sum) = (0, 0.0);
        for &(feature, x) in row {
            if let Some(at) = self.find(feature, &mut from) {
                sum += state.present(class, self.values[at], self.extra.get(at)) * x;
            }
        }
        sum
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.features.capacity() + self.values.capacity() + self.extra.capacity();
        size_of::<Self>() + 4 * numbers + 8 * self.marks.capacity()
    }

    /// Merges the tail into the other weights.
    pub(crate) fn merge(&mut self) {
        let mut tail: Vec<usize> = (self.sorted..self.features.len()).collect();
        tail.sort_unstable_by_key(|&at| self.features[at]);
        let mut order = Vec::with_capacity(self.features.len());
        let mut next = 0;
        for at in tail {
            while next < self.sorted && self.features[next] < self.features[at] {
                order.push(next);
                next += 1;
            }
            order.push(at);
        }
        order.extend(next..self.sorted);
        self.features = order.iter().map(|&at| self.features[at]).collect();
        self.values = order.iter().map(|&at| self.values[at]).collect();
        if !self.extra.is_empty() {
            self.extra = order.iter().map(|&at| self.extra[at]).collect();
        }
        self.sorted = self.features.len();
    }

    /// Adds `amount` times a row whose length is `length`; the change of the sum of squares.
    pub(crate) fn add(&mut self, adding: &Adding<'_>, row: &[(u32, f32)], length: f64) -> f64 {
        let (state, moving) = (adding.state, adding.state.moving());
        let (mut from, mut square) = (0, 0.0);
        for &(feature, x) in row {
            let delta = adding.amount * x;
            if let Some(at) = self.find(feature, &mut from) {
                let old = state.present(adding.class, self.values[at], self.extra.get(at));
                match &state.beside {
                    Beside::Nothing => {}
                    Beside::Sums { .. } => self.extra[at] += delta * moving.before,
                    beside => self.extra[at] = due(beside, adding.class),
                }
                let new = old + delta;
                self.values[at] = new;
                square += f64::from(new) * f64::from(new) - f64::from(old) * f64::from(old);
                continue;
            }
            let size = (f64::from(delta) * moving.scale).abs() as f32;
            if delta != 0.0 && (adding.own || size >= moving.create) {
                self.mark(feature);
                self.features.push(feature);
                self.values.push(delta);
                match &state.beside {
                    Beside::Nothing => {}
                    Beside::Sums { .. } => self.extra.push(delta * moving.before),
                    beside => self.extra.push(due(beside, adding.class)),
                }
                square += f64::from(delta) * f64::from(delta);
            }
        }
        if self.features.len() - self.sorted > TAIL {
            self.merge();
        }
        self.moved += f64::from(adding.amount.abs()) * length;
        square
    }
}

/// The word and the bit that say whether there may be a weight of a feature, among so many words: a
/// power of two.
#[inline]
fn place_of_mark(words: usize, feature: u32) -> (usize, u64) {
    // Multiplying spreads what neighboring numbers have in common over the upper half.
    let spread = (u64::from(feature).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32;
    let place = spread as usize & (64 * words).wrapping_sub(1);
    (place / 64, 1 << (place % 64))
}

/// What is added to a class.
#[derive(Clone, Copy)]
pub(super) struct Adding<'a> {
    pub state: &'a State,
    pub class: u32,
    pub amount: f32,
    /// Whether it is the row's own class.
    pub own: bool,
}

/// Whether a row has all features from 0 on.
fn has_each(row: &[(u32, f32)]) -> bool {
    row.last()
        .is_some_and(|last| last.0 as usize + 1 == row.len())
}

const LANES: usize = 16;

/// The product of weights and a row that both have all features from 0 on, the shorter with zeros
/// behind.
fn product(weights: &[f32], row: &[(u32, f32)]) -> f32 {
    let both = weights.len().min(row.len());
    let (whole, rest) = weights[..both].as_chunks::<LANES>();
    let (terms, others) = row[..both].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (weights, terms) in whole.iter().zip(terms) {
        for ((sum, weight), term) in sums.iter_mut().zip(weights).zip(terms) {
            *sum += weight * term.1;
        }
    }
    let rest = rest.iter().zip(others).map(|(w, term)| w * term.1);
    sums.into_iter().chain(rest).sum()
}

#[cfg(test)]
mod tests {
    use super::{Adding, Row};
    use crate::{
        random::Stream,
        train::memoir::{list::Beside, state::State},
    };
    use alloc::{collections::BTreeMap, vec::Vec};

    /// A row of all features below `many`, or of some below `wide`.
    fn terms(dice: &mut Stream, many: u32, wide: u64) -> Vec<(u32, f32)> {
        let mut made: BTreeMap<u32, f32> = BTreeMap::new();
        for at in 0..many.max(9) {
            let feature = if many > 0 {
                at
            } else {
                dice.below(wide) as u32
            };
            made.insert(feature, dice.unit() as f32 - 0.5);
        }
        made.into_iter().collect()
    }

    #[test]
    fn products_are_those_of_a_plain_sum_of_rows() {
        for (many, wide) in [(0, 40), (0, 5_000), (45, 0)] {
            let (mut dice, mut row) = (Stream::new(8, u64::from(many)), Row::default());
            let (state, mut plain) = (
                State::new(0.0, Beside::Nothing),
                BTreeMap::<u32, f64>::new(),
            );
            for _ in 0..300 {
                let added = terms(&mut dice, many, wide);
                let adding = Adding {
                    state: &state,
                    class: 0,
                    amount: 0.5,
                    own: true,
                };
                row.add(&adding, &added, 1.0);
                for (feature, x) in added {
                    *plain.entry(feature).or_default() += 0.5 * f64::from(x);
                }
                // One feature more than there are weights of, and one less.
                for (more, less) in [(0, 0), (1, 0), (0, 1)] {
                    let mut query = terms(&mut dice, many + if many > 0 { more } else { 0 }, wide);
                    query.truncate(query.len() - less);
                    let weight = |f: &u32| plain.get(f).copied().unwrap_or(0.0);
                    let expected: f64 = query.iter().map(|(f, x)| weight(f) * f64::from(*x)).sum();
                    let found = f64::from(row.score(&state, 0, &query));
                    assert!((found - expected).abs() < 1e-4, "{found} {expected}");
                }
            }
            assert_eq!(row.features.len(), plain.len());
        }
    }
}
