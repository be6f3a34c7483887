//! Nearest neighbors to sections and back.

use super::{Container, ContainerWriter, FormatError, SectionId};
use crate::{
    array::Array,
    executor::Sequential,
    model::nearest::{Index, Nearest, NearestParameters},
    search::compact::{CompactIndex, CompactLabels, CompactLabelsParts, CompactParts},
    sparse::SparseRows,
};
use alloc::{vec, vec::Vec};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What the metadata say of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct NearestDescription {
    parameters: NearestParameters,
    rows: u32,
    next_id: u32,
    index: IndexDescription,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum IndexDescription {
    Exact,
    Compact {
        features: u32,
        bits: u8,
        query_features: u16,
    },
}

/// The arrays that a model's sections are written from.
pub(super) struct NearestArrays {
    description: NearestDescription,
    labels: CompactLabelsParts,
    ids: Array<u32>,
    index: IndexArrays,
}

enum IndexArrays {
    Exact(Vec<u64>, Vec<u32>, Vec<f32>),
    Compact(CompactParts),
}

impl NearestArrays {
    pub(super) fn of(nearest: &Nearest) -> Self {
        let (index, labels, ids, next_id) = nearest.stored();
        let (described, arrays) = match index {
            Index::Exact(_) => {
                let rows = index.to_rows().unwrap_or_else(|_| SparseRows::new(0));
                let mut offsets = vec![0u64];
                let (mut indices, mut values) = (Vec::new(), Vec::new());
                for row in rows.iter() {
                    indices.extend_from_slice(row.indices());
                    values.extend_from_slice(row.values());
                    offsets.push(indices.len() as u64);
                }
                (
                    IndexDescription::Exact,
                    IndexArrays::Exact(offsets, indices, values),
                )
            }
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
        self.description.clone()
    }

    pub(super) fn write<'a>(&'a self, writer: &mut ContainerWriter<'a>) {
        writer.section(SectionId::ROW_LABEL_OFFSETS, &self.labels.offsets);
        writer.section(SectionId::ROW_LABELS, &self.labels.packed);
        writer.section(SectionId::ROW_IDS, &self.ids);
        match &self.index {
            IndexArrays::Exact(offsets, indices, values) => {
                writer.section(SectionId(100), offsets);
                writer.section(SectionId(101), indices);
                writer.section(SectionId(102), values);
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
    description: &NearestDescription,
    features: u32,
    labels: u32,
) -> Result<Nearest, FormatError> {
    let NearestDescription {
        parameters,
        rows,
        next_id,
        index,
    } = description.clone();
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
        IndexDescription::Exact => {
            let offsets: Array<u64> = container.array(SectionId(100))?;
            let indices: Array<u32> = container.array(SectionId(101))?;
            let values: Array<f32> = container.array(SectionId(102))?;
            let offsets = offsets.iter().map(|&o| o as usize).collect();
            let rows = SparseRows::from_parts(offsets, indices.to_vec(), values.to_vec(), features)
                .map_err(|_| invalid(SectionId(102), LABELS))?;
            Index::exact(&rows, &Sequential).map_err(|_| invalid(SectionId(102), LABELS))?
        }
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

const LABELS: &str = "labels of rows must be packed as the format says, rising and below L";
const POSTINGS: &str = "levels, counts and postings must fit each other, and rows of a list rise";

fn invalid(section: SectionId, rule: &'static str) -> FormatError {
    FormatError::ValueInvalid {
        section,
        position: 0,
        rule,
    }
}
