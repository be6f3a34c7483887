//! The stored rows themselves, without loss, in few bytes.

use super::neighbor_error::{NeighborError, check_length, filled, reserved};
use crate::{
    array::Array,
    kernels::four_rows::{FourIds, FourRows, FourValues},
    sparse::{SparseRows, SparseView},
};
use alloc::vec::Vec;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Sparse rows, exactly as given: 4 bytes a stored value where there are at most 65,536 features
/// and 65,536 different values, 8 bytes at worst.
#[derive(Clone, Debug, PartialEq)]
pub struct ForwardRows {
    /// Row i is at `offsets[i]..offsets[i + 1]`; n + 1 items.
    pub(super) offsets: Array<u32>,
    pub(super) ids: Ids,
    pub(super) values: Values,
    pub(super) features: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ids {
    Narrow(Array<u16>),
    Wide(Array<u32>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    /// Places in a dictionary of all different values.
    Coded {
        codes: Array<u16>,
        dictionary: Array<f32>,
    },
    Plain(Array<f32>),
}

/// Where a stored row is unpacked.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    indices: Vec<u32>,
    values: Vec<f32>,
}

/// Where each value, as bits, is in the dictionary.
type Codes = HashMap<u32, u16, FixedState>;

/// All different values, sorted, if they fit 16 bits.
fn dictionary(rows: &SparseRows) -> Option<(Vec<f32>, Codes)> {
    let mut seen = Codes::default();
    for row in rows.iter() {
        for value in row.values() {
            seen.entry(value.to_bits()).or_insert(0);
        }
        if seen.len() > 1 << 16 {
            return None;
        }
    }
    let mut values: Vec<f32> = seen.keys().map(|&bits| f32::from_bits(bits)).collect();
    values.sort_unstable_by(f32::total_cmp);
    for (code, value) in values.iter().enumerate() {
        seen.insert(value.to_bits(), code as u16);
    }
    Some((values, seen))
}

impl ForwardRows {
    /// Packs rows. Cost: O(values stored).
    pub(super) fn new(rows: &SparseRows) -> Result<Self, NeighborError> {
        let count = rows
            .nonzeros()
            .max(rows.len())
            .max(rows.features() as usize);
        if count >= u32::MAX as usize {
            return Err(NeighborError::TooLarge { count });
        }
        let mut offsets = reserved(rows.len() + 1)?;
        let mut end = 0u32;
        offsets.push(end);
        for row in rows.iter() {
            end += row.len() as u32;
            offsets.push(end);
        }
        let ids = if rows.features() <= 1 << 16 {
            let mut ids = reserved(rows.nonzeros())?;
            for row in rows.iter() {
                ids.extend(row.indices().iter().map(|&id| id as u16));
            }
            Ids::Narrow(ids.into())
        } else {
            let mut ids = reserved(rows.nonzeros())?;
            for row in rows.iter() {
                ids.extend_from_slice(row.indices());
            }
            Ids::Wide(ids.into())
        };
        Ok(Self {
            offsets: offsets.into(),
            ids,
            values: pack_values(rows)?,
            features: rows.features(),
        })
    }

    /// Number of rows.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of stored values.
    #[must_use]
    pub(crate) fn nonzeros(&self) -> usize {
        self.offsets.last().map_or(0, |&end| end as usize)
    }

    /// Bytes of all arrays.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let ids = match &self.ids {
            Ids::Narrow(ids) => ids.len() * 2,
            Ids::Wide(ids) => ids.len() * 4,
        };
        let values = match &self.values {
            Values::Coded { codes, dictionary } => codes.len() * 2 + dictionary.len() * 4,
            Values::Plain(values) => values.len() * 4,
        };
        self.offsets.len() * 4 + ids + values
    }

    #[inline]
    fn span(&self, row: usize) -> core::ops::Range<usize> {
        match self.offsets.get(row..row + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// Stored features of row `row`; 0 if there is no such row.
    pub(super) fn row_length(&self, row: usize) -> usize {
        self.span(row).len()
    }

    /// Row `row` as it was given; an empty one if there is no such row.
    pub(crate) fn row<'b>(&self, row: usize, buffer: &'b mut RowBuffer) -> SparseView<'b> {
        let span = self.span(row);
        buffer.indices.clear();
        buffer.values.clear();
        match &self.ids {
            Ids::Narrow(ids) => buffer
                .indices
                .extend(ids[span.clone()].iter().map(|&id| u32::from(id))),
            Ids::Wide(ids) => buffer.indices.extend_from_slice(&ids[span.clone()]),
        }
        match &self.values {
            Values::Coded { codes, dictionary } => buffer.values.extend(
                codes[span]
                    .iter()
                    .map(|&code| dictionary[usize::from(code)]),
            ),
            Values::Plain(values) => buffer.values.extend_from_slice(&values[span]),
        }
        SparseView::from_checked(&buffer.indices, &buffer.values)
    }

    /// Four rows for their products with a query.
    pub(super) fn four(&self, rows: [u32; 4]) -> FourRows<'_> {
        let spans = rows.map(|row| self.span(row as usize));
        let ids = match &self.ids {
            Ids::Narrow(ids) => FourIds::Narrow(spans.clone().map(|span| &ids[span])),
            Ids::Wide(ids) => FourIds::Wide(spans.clone().map(|span| &ids[span])),
        };
        let values = match &self.values {
            Values::Coded { codes, dictionary } => {
                FourValues::Coded(spans.map(|span| &codes[span]), dictionary)
            }
            Values::Plain(values) => FourValues::Plain(spans.map(|span| &values[span])),
        };
        FourRows { ids, values }
    }

    /// Checks arrays from outside: lengths, order, range and finiteness.
    pub(super) fn check(&self) -> Result<(), NeighborError> {
        let offsets = &*self.offsets;
        if offsets.first() != Some(&0) {
            return Err(bad("row offsets", 0, "the first offset must be 0"));
        }
        if let Some(at) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(bad("row offsets", at + 1, "offsets must not fall"));
        }
        let nonzeros = self.nonzeros();
        match &self.ids {
            Ids::Narrow(ids) => self.check_ids(ids, nonzeros)?,
            Ids::Wide(ids) => self.check_ids(ids, nonzeros)?,
        }
        let values = match &self.values {
            Values::Coded { codes, dictionary } => {
                check_length("value codes", codes.len(), nonzeros)?;
                let known = dictionary.len();
                if let Some(at) = codes.iter().position(|&code| usize::from(code) >= known) {
                    return Err(bad("value codes", at, "the code is not in the dictionary"));
                }
                dictionary
            }
            Values::Plain(values) => {
                check_length("values", values.len(), nonzeros)?;
                values
            }
        };
        match values.iter().position(|v| !v.is_finite() || *v == 0.0) {
            Some(at) => Err(bad("values", at, "a value must be finite and not zero")),
            None => Ok(()),
        }
    }

    fn check_ids<I: Copy + Into<u32>>(
        &self,
        ids: &[I],
        nonzeros: usize,
    ) -> Result<(), NeighborError> {
        check_length("feature ids", ids.len(), nonzeros)?;
        for row in 0..self.len() {
            let span = self.span(row);
            let (start, mut next) = (span.start, 0);
            for (at, &id) in ids[span].iter().enumerate() {
                if id.into() < next || id.into() >= self.features {
                    let rule = "ids must rise within a row and stay below the number of features";
                    return Err(bad("feature ids", start + at, rule));
                }
                next = id.into() + 1;
            }
        }
        Ok(())
    }
}

pub(super) fn bad(part: &'static str, position: usize, rule: &'static str) -> NeighborError {
    NeighborError::BadItem {
        part,
        position,
        rule,
    }
}

fn pack_values(rows: &SparseRows) -> Result<Values, NeighborError> {
    if let Some((dictionary, codes_of)) = dictionary(rows) {
        let mut codes = filled(0u16, rows.nonzeros())?;
        let values = rows.iter().flat_map(|row| row.values().iter());
        for (code, value) in codes.iter_mut().zip(values) {
            *code = codes_of.get(&value.to_bits()).copied().unwrap_or(0);
        }
        Ok(Values::Coded {
            codes: codes.into(),
            dictionary: dictionary.into(),
        })
    } else {
        let mut values = reserved(rows.nonzeros())?;
        for row in rows.iter() {
            values.extend_from_slice(row.values());
        }
        Ok(Values::Plain(values.into()))
    }
}
