//! Nearest neighbors to sections and back.

use super::{Container, ContainerWriter, FormatError, SectionId};
use crate::{
    array::Array,
    executor::Sequential,
    model::nearest::{Index, Nearest, NearestParameters},
    search::compact::{CompactError, CompactLabels, CompactLabelsParts},
    sparse::SparseRows,
};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What the metadata say of the method.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct NearestDescription {
    parameters: NearestParameters,
    rows: u32,
    next_id: u32,
}

/// The arrays of a model, borrowed or small, that its sections are written from.
pub(super) struct NearestArrays {
    description: NearestDescription,
    labels: CompactLabelsParts,
    ids: Array<u32>,
    offsets: Vec<u64>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl NearestArrays {
    pub(super) fn of(nearest: &Nearest) -> Self {
        let (index, labels, ids, next_id) = nearest.stored();
        let Index::Exact { rows, .. } = index else {
            todo!()
        };
        let mut offsets = alloc::vec![0u64];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for row in rows.iter() {
            indices.extend_from_slice(row.indices());
            values.extend_from_slice(row.values());
            offsets.push(indices.len() as u64);
        }
        let rows = rows.len() as u32;
        let description = NearestDescription {
            parameters: nearest.parameters(),
            rows,
            next_id,
        };
        Self {
            description,
            labels: labels.parts(),
            ids: ids.clone(),
            offsets,
            indices,
            values,
        }
    }

    pub(super) fn description(&self) -> NearestDescription {
        self.description
    }

    pub(super) fn write<'a>(&'a self, writer: &mut ContainerWriter<'a>) {
        writer.section(SectionId::ROW_LABEL_OFFSETS, &self.labels.offsets);
        writer.section(SectionId::ROW_LABELS, &self.labels.packed);
        writer.section(SectionId::ROW_IDS, &self.ids);
        writer.section(SectionId(100), &self.offsets);
        writer.section(SectionId(101), &self.indices);
        writer.section(SectionId(102), &self.values);
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
    } = *description;
    let parts = CompactLabelsParts {
        labels,
        rows,
        offsets: container.array(SectionId::ROW_LABEL_OFFSETS)?,
        packed: container.array(SectionId::ROW_LABELS)?,
    };
    let labels = CompactLabels::from_parts(parts)
        .map_err(|_: CompactError| invalid(SectionId::ROW_LABELS))?;
    let ids: Array<u32> = container.array(SectionId::ROW_IDS)?;
    let offsets: Array<u64> = container.array(SectionId(100))?;
    let indices: Array<u32> = container.array(SectionId(101))?;
    let values: Array<f32> = container.array(SectionId(102))?;
    let rows = SparseRows::from_parts(
        offsets.iter().map(|&o| o as usize).collect(),
        indices.to_vec(),
        values.to_vec(),
        features,
    )
    .map_err(|_| invalid(SectionId(102)))?;
    let index = Index::exact(rows, &Sequential).map_err(|_| invalid(SectionId(102)))?;
    Nearest::from_stored(parameters, index, labels, ids, next_id)
        .ok_or(FormatError::MetadataInvalid)
}

fn invalid(section: SectionId) -> FormatError {
    FormatError::ValueInvalid {
        section,
        position: 0,
        rule: "invalid",
    }
}
