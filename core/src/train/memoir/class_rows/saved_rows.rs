//! The weights as a state holds them, class by class, where all that is newer has been merged.

use super::{ClassRows, Row};
use crate::train::{
    memoir::state::{SavedState, State},
    state::{StateError, all_below, same},
};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(in super::super) struct SavedRow<'a> {
    pub features: Cow<'a, [u32]>,
    pub values: Cow<'a, [f32]>,
    pub extra: Cow<'a, [f32]>,
}

impl<'a> SavedRow<'a> {
    fn of(row: &'a Row) -> Self {
        Self {
            features: Cow::Borrowed(&row.features),
            values: Cow::Borrowed(&row.values),
            extra: Cow::Borrowed(&row.extra),
        }
    }

    /// Whether the row can be that of `class` in training on `features` features; the sum of its
    /// squares.
    fn check(
        &self,
        state: &SavedState<'_>,
        class: u32,
        features: usize,
    ) -> Result<f64, StateError> {
        same("weights", self.values.len(), self.features.len())?;
        all_below("feature", &*self.features, features)?;
        if !self.features.is_sorted_by(|a, b| a < b) {
            let what = "the features of a class";
            return Err(StateError::Disordered { what });
        }
        let weights = self.values.iter().map(|&value| (class, value));
        state.check_weights(weights, &self.extra)
    }
}

impl ClassRows {
    pub(in super::super) fn state(&self) -> &State {
        &self.state
    }

    /// Merges what is newer into the other weights, class by class.
    pub(in super::super) fn merge(&mut self) {
        self.each_row(|_, row, _| row.merge());
    }

    /// All weights, which [`ClassRows::merge`] has merged.
    pub(in super::super) fn saved(&self) -> Vec<SavedRow<'_>> {
        let classes = 0..self.classes as u32;
        classes.map(|class| SavedRow::of(self.row(class))).collect()
    }

    /// The weights of a state that was checked, of `features` features.
    pub(in super::super) fn restore(
        &mut self,
        saved: Vec<SavedRow<'_>>,
        state: SavedState<'_>,
        features: usize,
    ) -> Result<(), StateError> {
        same("classes", saved.len(), self.classes)?;
        let mut square = 0.0;
        for (class, row) in (0..).zip(saved) {
            square += row.check(&state, class, features)?;
            *self.row_mut(class) = Row::merged(
                row.features.into_owned(),
                row.values.into_owned(),
                row.extra.into_owned(),
            );
        }
        self.state.restore(state, square)
    }
}
