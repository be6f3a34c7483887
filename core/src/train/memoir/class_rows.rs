//! The weights class by class: what training works on where a search proposes the classes to score.
//!
//! `W = a V` as in [`super::feature_lists`]. A class is a [`Row`]. A row's product with one class
//! costs O(values of the row log(weights of the class)), and so does a step.
//!
//! Memory: 10 bytes a weight, 4 more where a mean or a penalty is kept, and 150 a class.

mod saved_rows;

pub(super) use saved_rows::SavedRow;

use super::{
    class_row::{Adding, Row},
    list::{Beside, due, soft},
    state::{Shrunk, State},
    step::Steps,
};
use crate::{executor::Executor, float, sparse::SparseVec};
use alloc::{vec, vec::Vec};

/// Classes go round the shards, so that a batch can be added by several threads.
const SHARDS: usize = 16;

/// See the module's text.
#[derive(Clone, Debug)]
pub(super) struct ClassRows {
    shards: Vec<Vec<Row>>,
    classes: usize,
    state: State,
}

fn length(row: &[(u32, f32)]) -> f64 {
    float::sqrt(row.iter().map(|(_, x)| f64::from(*x) * f64::from(*x)).sum())
}

impl ClassRows {
    /// No weights yet. A weight below zero is made only by a step of size `create` or more.
    pub(crate) fn new(classes: usize, create: f32, beside: Beside) -> Self {
        let shard = |at: usize| vec![Row::default(); classes.saturating_sub(at).div_ceil(SHARDS)];
        Self {
            shards: (0..SHARDS).map(shard).collect(),
            classes,
            state: State::new(create, beside),
        }
    }

    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    pub(crate) fn scale(&self) -> f64 {
        self.state.scale
    }

    pub(crate) fn square(&self) -> f64 {
        self.state.square()
    }

    /// How often all weights of `V` have changed by a common factor.
    pub(crate) fn folds(&self) -> u32 {
        self.state.folds
    }

    fn row(&self, class: u32) -> &Row {
        &self.shards[class as usize % SHARDS][class as usize / SHARDS]
    }

    fn row_mut(&mut self, class: u32) -> &mut Row {
        &mut self.shards[class as usize % SHARDS][class as usize / SHARDS]
    }

    /// The product of a row, its features rising, and a class, without the factor
    /// [`ClassRows::scale`].
    pub(crate) fn score(&self, row: &[(u32, f32)], class: u32) -> f32 {
        self.row(class).score(&self.state, class, row)
    }

    /// Multiplies all weights by `factor`, from 0 to 1.
    pub(crate) fn shrink(&mut self, factor: f64) {
        match self.state.shrink(factor) {
            Shrunk::Nothing => {}
            Shrunk::Fold => {
                let mut square = 0.0;
                self.each_row(|_, row, state| {
                    square += state.fold(row.values.iter_mut(), &mut row.extra);
                });
                self.state.folded(square);
            }
            Shrunk::Clear => self.each_row(|_, row, _| *row = Row::default()),
        }
    }

    fn each_row(&mut self, mut change: impl FnMut(u32, &mut Row, &State)) {
        for (shard, rows) in self.shards.iter_mut().enumerate() {
            for (at, row) in rows.iter_mut().enumerate() {
                change((at * SHARDS + shard) as u32, row, &self.state);
            }
        }
    }

    /// Makes all weights so small that their Euclidean length is at most `radius`.
    pub(crate) fn project(&mut self, radius: f64) {
        if let Some(factor) = self.state.too_long(radius) {
            self.shrink(factor);
        }
    }

    /// From here on the mean of the weights is kept, too.
    pub(crate) fn begin_averaging(&mut self) {
        self.state.begin_averaging();
        self.each_row(|_, row, _| row.extra = vec![0.0; row.values.len()]);
    }

    /// Ends a step, as that of the feature lists.
    pub(crate) fn end_step(&mut self, penalty: f64, touched: &[u32]) {
        self.state.end_step(penalty, touched, self.classes);
    }

    /// Adds to each class of a step its part of the row.
    pub(crate) fn add(&mut self, row: &[(u32, f32)], steps: &Steps<'_>) {
        let (factor, length) = (1.0 / self.state.scale, length(row));
        let mut square = 0.0;
        for (at, (&class, amount)) in steps.classes.iter().zip(steps.amounts).enumerate() {
            let adding = Adding {
                state: &self.state,
                class,
                amount: (amount * factor) as f32,
                own: at == 0,
            };
            let own = &mut self.shards[class as usize % SHARDS][class as usize / SHARDS];
            square += own.add(&adding, row, length);
        }
        self.state.square += square;
    }

    /// [`ClassRows::add`] for each of `count` rows in turn, the shards in parallel.
    pub(crate) fn add_all<'s>(
        &mut self,
        count: usize,
        draw: impl Fn(usize, &mut Vec<(u32, f32)>) -> Steps<'s> + Sync,
        executor: &Executor,
    ) {
        let shards = core::mem::take(&mut self.shards);
        let (state, factor) = (&self.state, 1.0 / self.state.scale);
        let added = executor.map_items(shards, |shard, mut rows: Vec<Row>| {
            let (mut terms, mut square) = (Vec::new(), 0.0);
            for number in 0..count {
                terms.clear();
                let steps = draw(number, &mut terms);
                let length = length(&terms);
                for (at, (&class, amount)) in steps.classes.iter().zip(steps.amounts).enumerate() {
                    if class as usize % SHARDS == shard {
                        let adding = Adding {
                            state,
                            class,
                            amount: (amount * factor) as f32,
                            own: at == 0,
                        };
                        square += rows[class as usize / SHARDS].add(&adding, &terms, length);
                    }
                }
            }
            (rows, square)
        });
        for (rows, square) in added {
            self.shards.push(rows);
            self.state.square += square;
        }
    }

    /// Takes off what is due and leaves out what has become zero. For l1.
    pub(crate) fn settle(&mut self) {
        self.each_row(|class, row, state| {
            row.merge();
            let now = due(&state.beside, class);
            let mut kept = 0;
            for at in 0..row.values.len() {
                let value = soft(row.values[at], now - row.extra[at]);
                if value != 0.0 {
                    row.features[kept] = row.features[at];
                    (row.values[kept], row.extra[kept]) = (value, now);
                    kept += 1;
                }
            }
            row.features.truncate(kept);
            row.values.truncate(kept);
            row.extra.truncate(kept);
            row.sorted = kept;
        });
    }

    /// The weights that training ends with, class by class, the features of each rising.
    pub(crate) fn visit(&self, mut visit: impl FnMut(u32, u32, f32)) {
        for class in 0..self.classes as u32 {
            for (feature, weight) in self.ended(class, self.row(class)) {
                visit(feature, class, weight);
            }
        }
    }

    /// The weights of a class that training ends with, its features rising; their row is given
    /// back.
    pub(crate) fn take(&mut self, class: u32) -> Vec<(u32, f32)> {
        let row = core::mem::take(self.row_mut(class));
        self.ended(class, &row)
    }

    fn ended(&self, class: u32, row: &Row) -> Vec<(u32, f32)> {
        let weights = row.features.iter().enumerate().map(|(at, &feature)| {
            let value = self.state.last(class, row.values[at], row.extra.get(at));
            (feature, value)
        });
        let mut weights: Vec<(u32, f32)> = weights.collect();
        weights.sort_by_key(|&(feature, _)| feature);
        weights
    }

    /// Of some classes, rising, those that have weights.
    pub(crate) fn with_weights(&self, classes: &[u32]) -> Vec<u32> {
        let has = |class: &&u32| !self.row(**class).values.is_empty();
        classes.iter().filter(has).copied().collect()
    }

    /// Of some classes, rising, those whose weights have moved by more than `share` of their length
    /// since [`ClassRows::tell`].
    pub(crate) fn moved(&self, classes: &[u32], share: f64) -> Vec<u32> {
        let far = |class: &&u32| {
            let row = self.row(**class);
            !row.values.is_empty() && row.moved > share * row.told
        };
        classes.iter().filter(far).copied().collect()
    }

    /// The weights of a class in `V`, as they count in scores.
    pub(crate) fn vector(&self, class: u32) -> SparseVec {
        let row = self.row(class);
        let value = |at: usize| self.state.present(class, row.values[at], row.extra.get(at));
        let pairs = row.features.iter().enumerate();
        let pairs = pairs.map(|(at, &feature)| (feature, value(at)));
        SparseVec::from_pairs(pairs).unwrap_or_default()
    }

    /// The length of a class's weights in `V`. Not of l1, whose weights are not what is stored.
    pub(crate) fn length(&self, class: u32) -> f64 {
        let values = self.row(class).values.iter();
        float::sqrt(values.map(|v| f64::from(*v) * f64::from(*v)).sum())
    }

    /// Notes that a search was told of a class's weights, whose length in `V` is `length`.
    pub(crate) fn tell(&mut self, class: u32, length: f64) {
        let row = self.row_mut(class);
        (row.moved, row.told) = (0.0, length);
    }

    /// Number of stored weights.
    pub(crate) fn nonzeros(&self) -> usize {
        let rows = self.shards.iter().flatten();
        rows.map(|row| row.values.len()).sum()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let rows = self.shards.iter().flatten();
        rows.map(Row::bytes).sum()
    }
}
