//! What the rows of a bundle moved in a meeting, row after row: told to other processes, which move
//! the same weights to the same bits, without a look at any score.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// By how much of a row weights move.
#[derive(Clone, Copy, Debug)]
pub struct Move<'a> {
    /// The place of the row within its bundle.
    pub place: usize,
    /// By how much the sum of the row's duals moves.
    pub total: f64,
    /// What all classes of the bundle that it meets share.
    pub shared: f64,
    /// Classes of that bundle, one by one.
    pub classes: &'a [(u32, f64)],
}

/// Moves in the order in which they happened.
///
/// Memory: 24 bytes a row that moved and 16 a class; sent are about 20 and 10.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Moved {
    /// The place of each row, and how many classes it moved one by one.
    rows: Vec<(u32, u32)>,
    /// By how much the sum of its duals moved, and by how much what all classes share.
    amounts: Vec<(f64, f64)>,
    classes: Vec<(u32, f64)>,
}

impl Moved {
    /// Notes the next move.
    pub(crate) fn note(&mut self, next: Move<'_>) {
        self.rows
            .push((next.place as u32, next.classes.len() as u32));
        self.amounts.push((next.total, next.shared));
        self.classes.extend_from_slice(next.classes);
    }

    /// Whether these can be moves of one of so many rows against a bundle of so many classes.
    #[must_use]
    pub(crate) fn fit(&self, rows: usize, classes: usize) -> bool {
        let counts = self.rows.iter().map(|row| u64::from(row.1));
        self.rows.len() == self.amounts.len()
            && counts.sum::<u64>() == self.classes.len() as u64
            && self.rows.iter().all(|row| (row.0 as usize) < rows)
            && self
                .amounts
                .iter()
                .all(|a| a.0.is_finite() && a.1.is_finite())
            && self
                .classes
                .iter()
                .all(|class| (class.0 as usize) < classes && class.1.is_finite())
    }

    /// The place of the row of a move, by its number.
    #[inline]
    pub(crate) fn place(&self, at: usize) -> Option<usize> {
        self.rows.get(at).map(|row| row.0 as usize)
    }

    /// All moves, in order.
    pub(crate) fn moves(&self) -> impl Iterator<Item = Move<'_>> {
        let mut rest = &self.classes[..];
        let rows = self.rows.iter().zip(&self.amounts);
        rows.map(move |(&(place, count), &(total, shared))| {
            let (classes, later) = rest.split_at(count as usize);
            rest = later;
            Move {
                place: place as usize,
                total,
                shared,
                classes,
            }
        })
    }
}
