//! The arrays of an index: as bytes for a model file, and back, checked, without copying.

use super::{
    ForwardRows, NeighborError, NeighborIndex,
    cut::{GROUPS, MOST_HEADS},
    forward::{Ids, Values, bad},
    index::ABSENT,
    neighbor_error::check_length,
};
use crate::array::Array;
use crate::kernels::{bounds::BLOCK, postings::RANGE};
use bytemuck::cast_slice;
use serde::{Deserialize, Serialize};

/// The numbers of an index that are not arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeighborCounts {
    /// Number of features.
    pub features: u32,
    /// Number of features kept as bits.
    pub heads: u32,
    /// The most features kept as postings of any row.
    pub longest_tail: u32,
    /// Whether there are negative values.
    pub signed: bool,
    /// Whether bounds hold; false where a row is so short that products vanish.
    pub bounded: bool,
}

/// All arrays of an index, for [`NeighborIndex::from_parts`]. Names and order are those of
/// [`NeighborIndex::sections`].
#[derive(Clone, Debug, Default)]
pub struct NeighborParts {
    /// The numbers.
    pub counts: NeighborCounts,
    /// n + 1 offsets of rows.
    pub offsets: Array<u32>,
    /// Feature ids of the rows, where there are at most 65,536 features.
    pub narrow_ids: Array<u16>,
    /// Feature ids of the rows, where there are more.
    pub wide_ids: Array<u32>,
    /// Values of the rows as places in the dictionary.
    pub codes: Array<u16>,
    /// The different values.
    pub dictionary: Array<f32>,
    /// Values of the rows, where there are too many different ones.
    pub values: Array<f32>,
    /// Norms of the rows.
    pub norms: Array<f64>,
    /// Where each feature is kept.
    pub places: Array<u32>,
    /// Bits of head features.
    pub lines: Array<u64>,
    /// Norms of groups of head features.
    pub groups: Array<u8>,
    /// Units of the posted values of each tail feature.
    pub steps: Array<f32>,
    /// Starts of postings.
    pub starts: Array<u32>,
    /// Posted row ids.
    pub posted_rows: Array<u16>,
    /// Posted values.
    pub posted_values: Array<u8>,
}

impl NeighborIndex {
    /// The numbers of the index.
    #[must_use]
    pub(crate) fn counts(&self) -> NeighborCounts {
        NeighborCounts {
            features: self.forward.features,
            heads: self.heads,
            longest_tail: self.longest_tail,
            signed: self.signed,
            bounded: self.bounded,
        }
    }

    /// The bytes (little-endian) of all arrays, in the order of [`NeighborParts`].
    #[must_use]
    pub(crate) fn sections(&self) -> [(&'static str, &[u8]); 14] {
        let (narrow, wide): (&[u16], &[u32]) = match &self.forward.ids {
            Ids::Narrow(ids) => (ids, &[]),
            Ids::Wide(ids) => (&[], ids),
        };
        let (codes, dictionary, values): (&[u16], &[f32], &[f32]) = match &self.forward.values {
            Values::Coded { codes, dictionary } => (codes, dictionary, &[]),
            Values::Plain(values) => (&[], &[], values),
        };
        [
            ("offsets", cast_slice(&self.forward.offsets)),
            ("narrow_ids", cast_slice(narrow)),
            ("wide_ids", cast_slice(wide)),
            ("codes", cast_slice(codes)),
            ("dictionary", cast_slice(dictionary)),
            ("values", cast_slice(values)),
            ("norms", cast_slice(&self.norms)),
            ("places", cast_slice(&self.places)),
            ("lines", cast_slice(&self.lines)),
            ("groups", &self.groups),
            ("steps", cast_slice(&self.steps)),
            ("starts", cast_slice(&self.starts)),
            ("posted_rows", cast_slice(&self.posted_rows)),
            ("posted_values", &self.posted_values),
        ]
    }

    /// An index from its parts, which are checked so that no search can fail on them; the
    /// answers are right if the parts came from [`NeighborIndex::build`].
    ///
    /// # Errors
    /// If a length, an offset, an id or a value breaks its rule.
    pub(crate) fn from_parts(parts: NeighborParts) -> Result<Self, NeighborError> {
        let counts = parts.counts;
        let ids = if counts.features <= 1 << 16 {
            check_length("wide_ids", parts.wide_ids.len(), 0)?;
            Ids::Narrow(parts.narrow_ids)
        } else {
            check_length("narrow_ids", parts.narrow_ids.len(), 0)?;
            Ids::Wide(parts.wide_ids)
        };
        let values = if parts.values.is_empty() {
            Values::Coded {
                codes: parts.codes,
                dictionary: parts.dictionary,
            }
        } else {
            check_length("codes", parts.codes.len(), 0)?;
            check_length("dictionary", parts.dictionary.len(), 0)?;
            Values::Plain(parts.values)
        };
        let index = Self {
            forward: ForwardRows {
                offsets: parts.offsets,
                ids,
                values,
                features: counts.features,
            },
            norms: parts.norms,
            places: parts.places,
            lines: parts.lines,
            groups: parts.groups,
            steps: parts.steps,
            starts: parts.starts,
            posted_rows: parts.posted_rows,
            posted_values: parts.posted_values,
            heads: counts.heads,
            longest_tail: counts.longest_tail,
            signed: counts.signed,
            bounded: counts.bounded,
        };
        index.check()?;
        Ok(index)
    }

    fn check(&self) -> Result<(), NeighborError> {
        check_length("places", self.places.len(), self.features() as usize)?;
        self.forward.check()?;
        let (rows, heads) = (self.len(), self.heads as usize);
        check_length("norms", self.norms.len(), rows)?;
        let is_norm = |row: usize, norm: f64| {
            norm.is_finite() && (norm > 0.0) == (self.forward.row_length(row) > 0)
        };
        let wrong = |(row, &norm): (usize, &f64)| !is_norm(row, norm);
        if let Some(at) = self.norms.iter().enumerate().position(wrong) {
            let rule = "a norm must be finite, and 0 only for an empty row";
            return Err(bad("norms", at, rule));
        }
        if heads > MOST_HEADS {
            return Err(bad("heads", heads, "too many head features"));
        }
        let known = heads as u64 + self.steps.len() as u64;
        let is_place = |&place: &u32| place == ABSENT || u64::from(place) < known;
        if let Some(at) = self.places.iter().position(|place| !is_place(place)) {
            return Err(bad("places", at, "there is no such place"));
        }
        let blocks = rows.div_ceil(BLOCK);
        check_length("lines", self.lines.len(), blocks * self.line_stride())?;
        let group_bytes = blocks * GROUPS.min(heads) * BLOCK;
        check_length("groups", self.groups.len(), group_bytes)?;
        if let Some(at) = self
            .steps
            .iter()
            .position(|step| !(0.0..=1.0).contains(step))
        {
            return Err(bad("steps", at, "a step must be from 0 to 1"));
        }
        self.check_postings()
    }

    fn check_postings(&self) -> Result<(), NeighborError> {
        let (rows, tails) = (self.len(), self.steps.len());
        let lists = rows.div_ceil(RANGE).checked_mul(tails);
        check_length(
            "starts",
            self.starts.len(),
            lists.unwrap_or(usize::MAX).saturating_add(1),
        )?;
        let end = self.starts.last().map_or(0, |&end| end as usize);
        check_length("posted_rows", self.posted_rows.len(), end)?;
        check_length("posted_values", self.posted_values.len(), end)?;
        for (list, pair) in self.starts.windows(2).enumerate() {
            let span = pair[0] as usize..pair[1] as usize;
            let Some(posted) = self.posted_rows.get(span) else {
                return Err(bad("starts", list + 1, "starts must not fall"));
            };
            let limit = rows - list / tails * RANGE;
            let mut next = 0;
            for &row in posted {
                let row = usize::from(row);
                if row < next || row >= limit {
                    let rule = "row ids must rise and stay below the number of rows";
                    return Err(bad("posted_rows", pair[0] as usize, rule));
                }
                next = row + 1;
            }
        }
        match self.starts.first() {
            Some(0) => Ok(()),
            _ => Err(bad("starts", 0, "the first start must be 0")),
        }
    }
}
