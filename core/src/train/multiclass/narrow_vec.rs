//! Lists of classes, and of places among the weights of a feature, of which there are as many at
//! most: up to 65,536 classes, two bytes are enough for each.

use alloc::{vec, vec::Vec};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// A list of numbers that are below the number of classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Numbers {
    /// Two bytes each.
    Narrow(Vec<u16>),
    /// Four bytes each.
    Wide(Vec<u32>),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl Numbers {
    /// None yet, with room for `count`.
    #[must_use]
    pub(crate) fn with_capacity(count: usize, classes: usize) -> Self {
        if classes <= 1 << 16 {
            Self::Narrow(Vec::with_capacity(count))
        } else {
            Self::Wide(Vec::with_capacity(count))
        }
    }

    /// None yet.
    #[must_use]
    pub(crate) fn new(classes: usize) -> Self {
        Self::with_capacity(0, classes)
    }

    /// As many zeros.
    #[must_use]
    pub(crate) fn zeros(count: usize, classes: usize) -> Self {
        if classes <= 1 << 16 {
            Self::Narrow(vec![0; count])
        } else {
            Self::Wide(vec![0; count])
        }
    }

    /// How many there are.
    #[must_use]
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Narrow(numbers) => numbers.len(),
            Self::Wide(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Narrow(numbers) => numbers.is_empty(),
            Self::Wide(numbers) => numbers.is_empty(),
        }
    }

    /// Whether they have the width that a problem of `classes` classes needs.
    #[must_use]
    pub(crate) fn fits(&self, classes: usize) -> bool {
        matches!(self, Self::Narrow(_)) == (classes <= 1 << 16)
    }

    /// All of them.
    #[must_use]
    pub(crate) fn to_vec(&self) -> Vec<u32> {
        match self {
            Self::Narrow(numbers) => numbers.iter().map(|&number| u32::from(number)).collect(),
            Self::Wide(numbers) => numbers.clone(),
        }
    }

    /// Hands a range of them to `visit`.
    #[inline(always)]
    pub(crate) fn visit_some(&self, range: Range<usize>, mut visit: impl FnMut(u32)) {
        match self {
            Self::Narrow(numbers) => numbers[range]
                .iter()
                .for_each(|&number| visit(u32::from(number))),
            Self::Wide(numbers) => numbers[range].iter().for_each(|&number| visit(number)),
        }
    }

    /// Appends a number.
    #[inline]
    pub(crate) fn push(&mut self, number: u32) {
        match self {
            Self::Narrow(numbers) => numbers.push(number as u16),
            Self::Wide(numbers) => numbers.push(number),
        }
    }

    /// Appends a range of the numbers of `other`, which are of the same width.
    pub(crate) fn extend_from(&mut self, other: &Self, range: Range<usize>) {
        match (self, other) {
            (Self::Narrow(numbers), Self::Narrow(other)) => {
                numbers.extend_from_slice(&other[range]);
            }
            (Self::Wide(numbers), Self::Wide(other)) => numbers.extend_from_slice(&other[range]),
            // There is nothing in the empty numbers that every row begins with.
            _ => {}
        }
    }

    /// Keeps the numbers at whose turn `keep` says so, and no room for more.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut() -> bool) {
        match self {
            Self::Narrow(numbers) => {
                numbers.retain(|_| keep());
                numbers.shrink_to_fit();
            }
            Self::Wide(numbers) => {
                numbers.retain(|_| keep());
                numbers.shrink_to_fit();
            }
        }
    }

    /// Writes numbers over those from `start` on.
    pub(crate) fn write(&mut self, start: usize, new: &[u32]) {
        match self {
            Self::Narrow(numbers) => {
                for (number, &new) in numbers[start..].iter_mut().zip(new) {
                    *number = new as u16;
                }
            }
            Self::Wide(numbers) => numbers[start..start + new.len()].copy_from_slice(new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn wide_numbers_do_what_narrow_ones_do() {
        for (classes, largest) in [(1 << 16, 65_535), ((1 << 16) + 1, 65_536)] {
            let mut some = Numbers::with_capacity(4, classes);
            for number in [1, 2, largest, 4] {
                some.push(number);
            }
            let mut more = Numbers::with_capacity(0, classes);
            more.extend_from(&Numbers::default(), 0..0);
            more.extend_from(&some, 1..3);
            more.write(0, &[7]);
            let mut keep = [true, false].into_iter().cycle();
            some.retain(|| keep.next() == Some(true));
            assert_eq!(
                (more.to_vec(), some.to_vec()),
                ([7, largest].into(), [1, largest].into())
            );
        }
    }
}
