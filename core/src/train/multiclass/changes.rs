//! What a lane changed, and how it comes into the weights.

use super::{
    duals::RowDuals,
    problem::{Problem, Row},
};
use crate::train::multiclass::{
    class_weights::Shard,
    narrow_vec::Numbers,
    prefetch::{Memory, fetch_ahead, first_cold},
};
use alloc::vec::Vec;
use hapax_processor::{FETCHES, Loop};

/// Rows whose duals moved, and how.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The row, and where its moves and its duals end in the lists below.
    pub rows: Vec<(u32, u32, u32)>,
    /// Place among the row's own and listed classes, and by how much of the row its weights move.
    pub moves: Vec<(u32, f32)>,
    /// The new duals: of all listed classes, then the shared one, then the sum.
    pub alphas: Vec<f64>,
    /// By how much of the row the background moves.
    pub background: Vec<f32>,
}

impl Changes {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.moves.clear();
        self.alphas.clear();
        self.background.clear();
    }
}

/// Changes of the weights of a shard, as rows moved them.
pub struct ApplyChanges<'a, 'b> {
    /// The weights.
    pub shard: &'a mut Shard<'b>,
    /// What the rows moved.
    pub changes: &'a Changes,
    /// The rows.
    pub problem: &'a Problem,
    /// Their duals.
    pub duals: &'a [RowDuals],
}

impl Loop for ApplyChanges<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            shard,
            changes,
            problem,
            duals,
        } = self;
        let (mut start, rows) = (0, &changes.rows[..]);
        let cold = first_cold(&shard.range, shard.starts);
        for (at, (&(row, end, _), &background)) in rows.iter().zip(&changes.background).enumerate()
        {
            if FETCHES {
                let memory = Memory {
                    problem,
                    duals,
                    weights: shard.weights,
                    starts: shard.starts,
                    background: shard.background,
                    range: shard.range.clone(),
                    cold,
                };
                let later = |turns: usize| rows.get(at + turns).map(|row| row.0);
                fetch_ahead(&memory, later);
            }
            let moves = &changes.moves[start..end as usize];
            start = end as usize;
            let (values, duals) = (problem.row(row as usize), &duals[row as usize]);
            match &duals.places {
                Numbers::Narrow(places) => shard.add(values, moves, background, places),
                Numbers::Wide(places) => shard.add(values, moves, background, places),
            }
        }
    }
}

impl Shard<'_> {
    /// Adds what the row's moves, pairs of a slot and an amount, change in these features.
    #[inline(always)]
    fn add<P: Copy + Into<u32>>(
        &mut self,
        row: Row<'_>,
        moves: &[(u32, f32)],
        background: f32,
        places: &[P],
    ) {
        let width = places.len() / row.features.len().max(1);
        for at in row.places_of(&self.range) {
            let feature = (row.features[at] - self.range.start) as usize;
            let value = row.values[at];
            self.background[feature] += background * value;
            let weights = self.from(feature);
            let places = &places[at * width..(at + 1) * width];
            for &(slot, amount) in moves {
                weights[places[slot as usize].into() as usize] += amount * value;
            }
        }
    }
}
