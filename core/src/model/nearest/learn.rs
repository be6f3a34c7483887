//! Learning and forgetting single rows.

use super::{Changes, CompactLabels, Nearest, condition};
use crate::{
    data::LabelLists,
    model::ModelError,
    sparse::{SparseRows, SparseVec, SparseView},
};
use alloc::vec::Vec;

/// How many features beyond those of the index a row that is learned may have.
pub(crate) const MORE_FEATURES: u32 = 1 << 16;

impl Nearest {
    /// Adds a row with its labels, in any order, and returns its id; it is found by the next query.
    /// Its features may be up to 65,536 beyond those of the index, whose arrays hold 4
    /// bytes for each, stored or not.
    ///
    /// # Errors
    /// If there are 2^32 - 1 rows already, a feature is further away, or the row has no features:
    /// it would never be found.
    pub(crate) fn learn(&mut self, row: SparseView<'_>, labels: &[u32]) -> Result<u32, ModelError> {
        if row.is_empty() {
            return Err(ModelError::NoFeatures);
        }
        if labels.is_empty() {
            return Err(ModelError::NoLabels);
        }
        let needed = row.indices().last().map_or(0, |&last| u64::from(last) + 1);
        let limit = u64::from(self.index.features().saturating_add(MORE_FEATURES));
        if needed > limit {
            return Err(ModelError::TooLarge {
                what: "features, by the largest index of the row",
                value: needed,
                limit,
            });
        }
        let mut own = SparseVec::default();
        condition(row, self.parameters.exponent, &mut own);
        let mut labels = labels.to_vec();
        labels.sort_unstable();
        labels.dedup();
        let limit = u64::from(u32::MAX);
        self.changes.add(own, labels).ok_or(ModelError::TooLarge {
            what: "rows",
            value: limit + 1,
            limit,
        })
    }

    /// The same rows over `features` features, of which feature f is now `places[f]`; places rise.
    /// Rows learned or forgotten since the index was built are folded into it.
    ///
    /// # Errors
    /// If no row is left or memory is lacking.
    pub(crate) fn renumbered(&self, places: &[u32], features: u32) -> Result<Self, ModelError> {
        let folded = self.folded()?;
        let before = folded.index.to_rows()?;
        let mut rows = SparseRows::new(features);
        let mut indices = Vec::new();
        for row in before.iter() {
            indices.clear();
            indices.extend(row.indices().iter().map(|&id| places[id as usize]));
            let moved = SparseView::new(&indices, row.values());
            let pushed = moved.and_then(|moved| rows.push(moved));
            pushed.map_err(|_| ModelError::NoFeatures)?;
        }
        Ok(Self {
            index: folded.index.rebuilt(&rows)?,
            ..folded
        })
    }

    /// Removes the row with this id; whether there was one.
    pub(crate) fn forget(&mut self, id: u32) -> bool {
        let position = if self.ids.is_empty() {
            Some(id as usize).filter(|&position| position < self.index.len())
        } else {
            self.ids.binary_search(&id).ok()
        };
        match position {
            Some(position) => self.changes.remove_indexed(position),
            None => self.changes.remove_added(id),
        }
    }

    /// Whether rows were learned or forgotten since the index was built.
    #[must_use]
    pub(crate) fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The same model with an index over all its rows, so that those learned cost no comparison
    /// each and those forgotten no memory. Ids stay as they are.
    ///
    /// # Errors
    /// If no row is left or memory is lacking.
    pub(crate) fn folded(&self) -> Result<Self, ModelError> {
        if !self.has_changes() {
            return Ok(self.clone());
        }
        let indexed = 0..self.index.len();
        let mut slots: Vec<u32> = Vec::new();
        slots.extend(
            indexed
                .filter(|&p| !self.changes.is_removed(p))
                .map(|p| p as u32),
        );
        slots.extend((0..self.changes.added().len()).map(|at| (self.index.len() + at) as u32));
        if slots.is_empty() {
            return Err(ModelError::NoRows);
        }
        let kept = self.index.to_rows()?;
        let mut rows = SparseRows::new(kept.features());
        // A label stays, though all its rows are forgotten: ids of labels do not change.
        let mut labels = LabelLists::new(self.labels.labels().max(self.changes.labels()));
        for &slot in &slots {
            let row = match self.place(slot) {
                Ok(position) => kept.row(position),
                Err(at) => self.changes.added()[at].row.view(),
            };
            rows.widen(
                row.indices()
                    .last()
                    .map_or(0, |&last| last.saturating_add(1)),
            );
            let limit = u64::from(u32::MAX);
            rows.push(row).map_err(|_| ModelError::TooLarge {
                what: "features",
                value: limit + 1,
                limit,
            })?;
            labels.push(self.row_labels(slot));
        }
        let ids: Vec<u32> = slots.iter().map(|&slot| self.id(slot)).collect();
        let plain = ids
            .iter()
            .enumerate()
            .all(|(position, &id)| position == id as usize);
        Ok(Self {
            parameters: self.parameters,
            similarity: self.similarity,
            index: self.index.rebuilt(&rows)?,
            labels: CompactLabels::new(&labels)?,
            ids: if plain { Vec::new() } else { ids }.into(),
            changes: Changes::new(self.changes.next_id()),
        })
    }
}
