//! Training rows packed for the cache: 4 bytes a value, features numbered by how common they are.
//!
//! A row's values are whole multiples of one unit, a 32,767th of its largest value, so they fit
//! 16 bits. Features are renumbered by falling document frequency: nearly all values of a row
//! then belong to the first 65,536 features, whose ids fit 16 bits and whose weights are one
//! array that any such id is inside of. Values of rarer features are kept apart as the rest.

pub(crate) use crate::sparse::order::FeatureOrder;
use crate::{
    search::Scored,
    sparse::order,
    top::{nth, place},
    train::TrainError,
};
use alloc::vec::Vec;
use hapax_processor::fetch;

/// Features whose ids fit 16 bits: the head.
pub const HEAD_FEATURES: usize = 1 << 16;

/// Eight stored values of the head. A row's last group is filled up with zeros of feature 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Group {
    /// The features.
    pub ids: [u16; 8],
    /// Their values in units of the row.
    pub values: [i16; 8],
}

/// A stored value of a feature outside the head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rare {
    /// The feature, less [`HEAD_FEATURES`].
    pub id: u32,
    /// Its value in units of the row.
    pub value: f32,
}

/// One packed row.
#[derive(Clone, Copy, Debug)]
pub struct PackedRow<'a> {
    /// Values of the head.
    pub groups: &'a [Group],
    /// Values of the rest.
    pub rare: &'a [Rare],
    /// What one unit of value is worth.
    pub unit: f32,
}

impl<'a> PackedRow<'a> {
    /// The stored values, head first: renumbered feature and value.
    pub(crate) fn terms(self) -> impl Iterator<Item = (u32, f32)> + 'a {
        let head = self
            .groups
            .iter()
            .flat_map(|group| group.ids.iter().zip(&group.values));
        head.filter(|(_, value)| **value != 0)
            .map(|(id, value)| (u32::from(*id), f32::from(*value)))
            .chain(
                self.rare
                    .iter()
                    .map(|rare| (rare.id + HEAD_FEATURES as u32, rare.value)),
            )
            .map(move |(id, value)| (id, value * self.unit))
    }
}

/// N packed rows.
#[derive(Clone, Debug, Default)]
pub struct PackedRows {
    groups: Vec<Group>,
    rare: Vec<Rare>,
    /// Where the row's groups and rare values end, its unit and its squared length.
    rows: Vec<RowEnd>,
}

#[derive(Clone, Copy, Debug)]
struct RowEnd {
    groups: usize,
    rare: usize,
    unit: f32,
    square: f64,
}

impl PackedRows {
    /// Packs one row, given as renumbered features and values in any order, and appends it. Only
    /// the `most` values largest in size are kept, of equal ones the more common feature.
    pub(crate) fn push(&mut self, terms: &mut Vec<(u32, f32)>, most: usize) {
        if terms.len() > most {
            let place = |&(id, value): &(u32, f32)| {
                let score = value.abs();
                place(Scored { id, score })
            };
            let mut places: Vec<u64> = terms.iter().map(place).collect();
            let end = nth(&mut places, most);
            terms.retain(|term| place(term) < end);
        }
        order::by_id(terms);
        let largest = terms.iter().map(|t| t.1.abs()).fold(0f32, f32::max);
        let unit = largest / f32::from(i16::MAX);
        // A row of values too small to divide by counts as empty.
        let usable = if unit.is_normal() { &terms[..] } else { &[] };
        let head = usable.partition_point(|&(id, _)| (id as usize) < HEAD_FEATURES);
        let mut square = 0f64;
        for part in usable[..head].chunks(8) {
            let mut group = Group::default();
            for (at, &(id, value)) in part.iter().enumerate() {
                let units = to_units(value, unit);
                group.ids[at] = id as u16;
                group.values[at] = units;
                square += f64::from(units) * f64::from(units);
            }
            self.groups.push(group);
        }
        for &(id, value) in &usable[head..] {
            let value = f32::from(to_units(value, unit));
            square += f64::from(value) * f64::from(value);
            self.rare.push(Rare {
                id: id - HEAD_FEATURES as u32,
                value,
            });
        }
        self.rows.push(RowEnd {
            groups: self.groups.len(),
            rare: self.rare.len(),
            unit,
            square: square * f64::from(unit) * f64::from(unit),
        });
    }

    /// Makes room for rows of these lengths, were all their features in the head.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn reserve(
        &mut self,
        lengths: impl Iterator<Item = usize>,
    ) -> Result<(), TrainError> {
        let (mut groups, mut rows) = (0, 0);
        for length in lengths {
            groups += length.div_ceil(8);
            rows += 1;
        }
        let lacking = |bytes: usize| TrainError::OutOfMemory {
            bytes: bytes as u64,
        };
        let reserved = self.groups.try_reserve_exact(groups);
        reserved.map_err(|_| lacking(groups.saturating_mul(size_of::<Group>())))?;
        let reserved = self.rows.try_reserve_exact(rows);
        reserved.map_err(|_| lacking(rows.saturating_mul(size_of::<RowEnd>())))
    }

    /// Appends the rows of `other`.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn append(&mut self, other: &Self) -> Result<(), TrainError> {
        let (groups, rare) = (self.groups.len(), self.rare.len());
        let reserved = self
            .groups
            .try_reserve(other.groups.len())
            .and_then(|()| self.rare.try_reserve(other.rare.len()))
            .and_then(|()| self.rows.try_reserve(other.rows.len()));
        reserved.map_err(|_| TrainError::OutOfMemory {
            bytes: other.bytes() as u64,
        })?;
        self.groups.extend_from_slice(&other.groups);
        self.rare.extend_from_slice(&other.rare);
        self.rows.extend(other.rows.iter().map(|end| RowEnd {
            groups: groups + end.groups,
            rare: rare + end.rare,
            ..*end
        }));
        Ok(())
    }

    /// Row `row`.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> PackedRow<'_> {
        let end = self.rows[row];
        let (groups, rare) = match row.checked_sub(1) {
            Some(before) => (self.rows[before].groups, self.rows[before].rare),
            None => (0, 0),
        };
        PackedRow {
            groups: &self.groups[groups..end.groups],
            rare: &self.rare[rare..end.rare],
            unit: end.unit,
        }
    }

    /// Asks for the memory that says where row `row` stands, some rows before
    /// [`PackedRows::fetch_values`] needs it.
    #[inline(always)]
    pub(crate) fn fetch_place(&self, row: usize) {
        if let Some(before) = self.rows.get(row.saturating_sub(1)) {
            fetch(before);
        }
        if let Some(end) = self.rows.get(row) {
            fetch(&end.square);
        }
    }

    /// Asks for the first lines of the values of row `row`; the processor follows from there by
    /// itself.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub(crate) fn fetch_values(&self, row: usize) {
        const LINE: usize = 64;
        let row = self.row(row);
        let groups = row.groups.iter().step_by(LINE / size_of::<Group>());
        for group in groups.take(16) {
            fetch(group);
        }
        let rare = row.rare.iter().step_by(LINE / size_of::<Rare>());
        for rare in rare.take(4) {
            fetch(rare);
        }
    }

    /// Squared Euclidean length of row `row`.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub(crate) fn square(&self, row: usize) -> f64 {
        self.rows[row].square
    }

    /// Number of rows.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes held.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
            + self.rare.capacity() * size_of::<Rare>()
            + self.rows.capacity() * size_of::<RowEnd>()
    }
}

/// `value / unit`, rounded to the nearest whole number.
fn to_units(value: f32, unit: f32) -> i16 {
    let units = value / unit;
    (units + 0.5f32.copysign(units)) as i16
}

#[cfg(test)]
mod tests {
    use super::{FeatureOrder, HEAD_FEATURES, PackedRows};
    use crate::sparse::{SparseRows, SparseView};
    use alloc::{vec, vec::Vec};

    #[test]
    fn packed_values_differ_by_less_than_half_a_unit() {
        let far = HEAD_FEATURES as u32 + 5;
        let mut terms: Vec<(u32, f32)> = (0..19).map(|i| (i * 3, 0.013 * i as f32 - 0.1)).collect();
        terms.push((far, -0.7));
        let given = terms.clone();
        let mut rows = PackedRows::default();
        rows.push(&mut terms, usize::MAX);
        let row = rows.row(0);
        assert_eq!(row.groups.len(), 3);
        for (id, value) in row.terms() {
            let original = given.iter().find(|t| t.0 == id).unwrap().1;
            assert!((value - original).abs() <= 0.51 * row.unit, "{id}");
        }
        let square: f64 = row.terms().map(|t| f64::from(t.1).powi(2)).sum();
        assert!((square - rows.square(0)).abs() < 1e-6);
    }

    #[test]
    fn short_rows_keep_the_largest_values() {
        let mut rows = PackedRows::default();
        rows.push(&mut vec![(0, 0.5), (4, -2.0), (2, 1.0), (9, 0.5)], 3);
        let ids: Vec<u32> = rows.row(0).terms().map(|t| t.0).collect();
        assert_eq!(ids, [0, 2, 4]);
        rows.push(&mut vec![], 3);
        assert_eq!((rows.row(1).groups.len(), rows.square(1)), (0, 0.0));
    }

    #[test]
    fn common_features_come_first() {
        let mut rows = SparseRows::new(3);
        for indices in [&[1u32, 2][..], &[2], &[0, 1]] {
            let values = vec![1.0; indices.len()];
            rows.push(SparseView::new(indices, &values).unwrap())
                .unwrap();
        }
        assert_eq!(FeatureOrder::new(&rows).unwrap().feature, [1, 2, 0]);
        assert_eq!(FeatureOrder::new(&rows).unwrap().rank, [2, 0, 1]);
    }
}
