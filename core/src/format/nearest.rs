//! Nearest neighbors to sections and back.

use super::{Container, ContainerWriter, FormatError, SectionId};
use crate::{
    array::Array,
    model::nearest::{Index, Nearest},
    parameters::NearestParameters,
    search::{
        compact::{CompactIndex, CompactLabels, CompactLabelsParts, CompactParts},
        neighbors::{NeighborCounts, NeighborError, NeighborIndex, NeighborParts},
    },
};
use alloc::boxed::Box;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What the metadata say of the method.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct NearestDescription {
    parameters: NearestParameters,
    rows: u32,
    next_id: u32,
    index: IndexDescription,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum IndexDescription {
    Exact(NeighborCounts),
    Compact {
        features: u32,
        bits: u8,
        query_features: u16,
    },
}

/// The arrays that a model's sections are written from.
pub(super) struct NearestArrays<'a> {
    description: NearestDescription,
    labels: CompactLabelsParts,
    ids: Array<u32>,
    index: IndexArrays<'a>,
}

enum IndexArrays<'a> {
    Exact(&'a NeighborIndex),
    Compact(CompactParts),
}

/// The sections of an exact index, in the order of [`NeighborIndex::sections`].
const EXACT: [SectionId; 14] = [
    SectionId::ROW_OFFSETS,
    SectionId::NARROW_IDS,
    SectionId::WIDE_IDS,
    SectionId::VALUE_CODES,
    SectionId::VALUE_DICTIONARY,
    SectionId::VALUES,
    SectionId::NORMS,
    SectionId::PLACES,
    SectionId::HEAD_LINES,
    SectionId::HEAD_GROUPS,
    SectionId::TAIL_STEPS,
    SectionId::TAIL_STARTS,
    SectionId::TAIL_ROWS,
    SectionId::TAIL_VALUES,
];

impl<'a> NearestArrays<'a> {
    pub(super) fn of(nearest: &'a Nearest) -> Self {
        let (index, labels, ids, next_id) = nearest.stored();
        let (described, arrays) = match index {
            Index::Exact(index) => (
                IndexDescription::Exact(index.counts()),
                IndexArrays::Exact(index),
            ),
            Index::Compact(index) => {
                let parts = index.parts();
                let CompactParts {
                    features,
                    bits,
                    query_features,
                    ..
                } = parts;
                let described = IndexDescription::Compact {
                    features,
                    bits,
                    query_features,
                };
                (described, IndexArrays::Compact(parts))
            }
        };
        let description = NearestDescription {
            parameters: nearest.parameters(),
            rows: labels.rows() as u32,
            next_id,
            index: described,
        };
        Self {
            description,
            labels: labels.parts(),
            ids: ids.clone(),
            index: arrays,
        }
    }

    pub(super) fn description(&self) -> NearestDescription {
        self.description
    }

    pub(super) fn write<'w>(&'w self, writer: &mut ContainerWriter<'w>) {
        writer.section(SectionId::ROW_LABEL_OFFSETS, &self.labels.offsets);
        writer.section(SectionId::ROW_LABELS, &self.labels.packed);
        writer.section(SectionId::ROW_IDS, &self.ids);
        match &self.index {
            IndexArrays::Exact(index) => {
                for (id, (_, bytes)) in EXACT.into_iter().zip(index.sections()) {
                    writer.section(id, bytes);
                }
            }
            IndexArrays::Compact(parts) => {
                writer.section(SectionId::COMPACT_LEVELS, &parts.levels);
                writer.section(SectionId::COMPACT_COUNTS, &parts.counts);
                writer.section(SectionId::COMPACT_OFFSETS, &parts.offsets);
                writer.section(SectionId::COMPACT_POSTINGS, &parts.postings);
            }
        }
    }
}

pub(super) fn read<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    description: NearestDescription,
    labels: u32,
) -> Result<Nearest, FormatError> {
    let NearestDescription {
        parameters,
        rows,
        next_id,
        index,
    } = description;
    let parts = CompactLabelsParts {
        labels,
        rows,
        offsets: container.array(SectionId::ROW_LABEL_OFFSETS)?,
        packed: container.array(SectionId::ROW_LABELS)?,
    };
    let labels =
        CompactLabels::from_parts(parts).map_err(|_| invalid(SectionId::ROW_LABELS, LABELS))?;
    let ids: Array<u32> = container.array(SectionId::ROW_IDS)?;
    let index = match index {
        IndexDescription::Exact(counts) => Index::Exact(Box::new(read_exact(container, counts)?)),
        IndexDescription::Compact {
            features,
            bits,
            query_features,
        } => {
            let parts = CompactParts {
                features,
                bits,
                query_features,
                levels: container.array(SectionId::COMPACT_LEVELS)?,
                counts: container.array_of(SectionId::COMPACT_COUNTS, rows as usize)?,
                offsets: container.array(SectionId::COMPACT_OFFSETS)?,
                postings: container.array(SectionId::COMPACT_POSTINGS)?,
            };
            let index = CompactIndex::from_parts(parts);
            Index::Compact(index.map_err(|_| invalid(SectionId::COMPACT_POSTINGS, POSTINGS))?)
        }
    };
    Nearest::from_stored(parameters, index, labels, ids, next_id)
        .ok_or(FormatError::MetadataInvalid)
}

fn read_exact<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    counts: NeighborCounts,
) -> Result<NeighborIndex, FormatError> {
    let parts = NeighborParts {
        counts,
        offsets: container.array(SectionId::ROW_OFFSETS)?,
        narrow_ids: container.array(SectionId::NARROW_IDS)?,
        wide_ids: container.array(SectionId::WIDE_IDS)?,
        codes: container.array(SectionId::VALUE_CODES)?,
        dictionary: container.array(SectionId::VALUE_DICTIONARY)?,
        values: container.array(SectionId::VALUES)?,
        norms: container.array(SectionId::NORMS)?,
        places: container.array(SectionId::PLACES)?,
        lines: container.array(SectionId::HEAD_LINES)?,
        groups: container.array(SectionId::HEAD_GROUPS)?,
        steps: container.array(SectionId::TAIL_STEPS)?,
        starts: container.array(SectionId::TAIL_STARTS)?,
        posted_rows: container.array(SectionId::TAIL_ROWS)?,
        posted_values: container.array(SectionId::TAIL_VALUES)?,
    };
    NeighborIndex::from_parts(parts).map_err(|error| match error {
        NeighborError::BadItem { position, rule, .. } => FormatError::ValueInvalid {
            section: SectionId::ROW_OFFSETS,
            position: position as u64,
            rule,
        },
        NeighborError::OutOfMemory { bytes } => FormatError::OutOfMemory {
            bytes: bytes as u64,
        },
        _ => invalid(SectionId::ROW_OFFSETS, ROWS),
    })
}

const LABELS: &str = "labels of rows must be packed as the format says, rising and below L";
const POSTINGS: &str = "levels, counts and postings must fit each other, and rows of a list rise";
const ROWS: &str = "the arrays of rows and postings must fit each other";

fn invalid(section: SectionId, rule: &'static str) -> FormatError {
    FormatError::ValueInvalid {
        section,
        position: 0,
        rule,
    }
}
