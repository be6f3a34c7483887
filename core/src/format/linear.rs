//! Linear models to sections and back.

use super::{
    Container, ContainerWriter, FormatError, SectionId,
    embedding::{self, EmbeddingDescription, TRAINED},
    nearest::{self, NearestArrays, NearestDescription},
};
use crate::{
    model::linear::{
        Linear, LinearError, LinearModel, LinearParts, fused::FusedNearest,
        fused_embedding::FusedEmbedding,
    },
    parameters::linear::LinearTraining,
};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What the metadata say of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinearDescription {
    parameters: LinearTraining,
    /// Bits of a stored weight, which compacting may have made fewer.
    bits: u32,
    /// The bias of all labels, where none are stored.
    bias: f32,
    beside: Beside,
}

/// What answers beside the linear model, with its weight: its sections are those of a model of its
/// own, but for the labels' frequencies. A variant may follow, none may change: files of before had
/// an option of the second in this place, with the same bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Beside {
    Nothing,
    Nearest(NearestDescription, f32),
    Embedding(EmbeddingDescription, f32),
    Both(NearestDescription, f32, EmbeddingDescription, f32),
}

impl LinearDescription {
    /// What describes `linear`, whose neighbors, if it has any, have these arrays.
    pub(super) fn of(linear: &Linear, nearest: Option<&NearestArrays<'_>>) -> Self {
        let parts = linear.model().parts();
        Self {
            parameters: linear.parameters().clone(),
            bits: parts.bits,
            bias: parts.bias,
            beside: match (
                nearest
                    .map(NearestArrays::description)
                    .zip(linear.nearest()),
                linear.embedding(),
            ) {
                (None, None) => Beside::Nothing,
                (Some((near, fused)), None) => Beside::Nearest(near, fused.weight()),
                (None, Some(fused)) => {
                    let described = EmbeddingDescription::of(fused.embedding());
                    Beside::Embedding(described, fused.weight())
                }
                (Some((near, votes)), Some(fused)) => {
                    let described = EmbeddingDescription::of(fused.embedding());
                    Beside::Both(near, votes.weight(), described, fused.weight())
                }
            },
        }
    }
}

pub(super) fn write<'w>(linear: &'w Linear, writer: &mut ContainerWriter<'w>) {
    let parts = linear.model().parts();
    writer.section(SectionId::LABEL_SCALES, &parts.scales);
    writer.section(SectionId::LABEL_BIASES, &parts.biases);
    writer.section(SectionId::WEIGHT_OFFSETS, &parts.offsets);
    writer.section(SectionId::WEIGHTS, &parts.records);
    writer.section(SectionId::LABEL_FREQUENCIES, linear.frequencies());
    for fused in linear.embeddings() {
        embedding::write_fused(fused, writer);
    }
}

pub(super) fn read<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    description: LinearDescription,
    features: u32,
    labels: u32,
) -> Result<Linear, FormatError> {
    let LinearDescription {
        parameters,
        bits,
        bias,
        beside,
    } = description;
    let parts = LinearParts {
        transform: parameters.transform(),
        bits,
        bias,
        scales: container.array_of(SectionId::LABEL_SCALES, labels as usize)?,
        biases: container.array(SectionId::LABEL_BIASES)?,
        offsets: container.array_of(SectionId::WEIGHT_OFFSETS, features as usize + 1)?,
        records: container.array(SectionId::WEIGHTS)?,
    };
    let frequencies = container.array_of(SectionId::LABEL_FREQUENCIES, labels as usize)?;
    let model = LinearModel::from_parts(parts).map_err(invalid)?;
    let linear = Linear::from_stored(model, frequencies.clone(), parameters)
        .ok_or(FormatError::MetadataInvalid)?;
    let (near, embedded) = match beside {
        Beside::Nothing => (None, None),
        Beside::Nearest(near, votes) => (Some((near, votes)), None),
        Beside::Embedding(described, weight) => (None, Some((described, weight))),
        Beside::Both(near, votes, described, weight) => {
            (Some((near, votes)), Some((described, weight)))
        }
    };
    let nearest = match near {
        None => None,
        Some((described, weight)) => {
            let nearest = nearest::read(container, described, labels)?;
            Some(FusedNearest::new(nearest, weight).ok_or(FormatError::MetadataInvalid)?)
        }
    };
    let (sizes, mut embeddings) = ((features, labels), Vec::new());
    if let Some((described, weight)) = embedded {
        let own = frequencies.clone();
        let embedding = embedding::read_vectors(container, described, &TRAINED, sizes, own)?;
        embeddings
            .push(FusedEmbedding::new(embedding, weight).ok_or(FormatError::MetadataInvalid)?);
    }
    embeddings.extend(embedding::read_given(container, sizes, &frequencies)?);
    Ok(linear.with(nearest, embeddings))
}

fn invalid(error: LinearError) -> FormatError {
    let (section, position, rule) = match error {
        LinearError::BiasesDiffer { biases, .. } => (
            SectionId::LABEL_BIASES,
            biases,
            "there must be none, or one for each label",
        ),
        LinearError::NotFinite { label, .. } => (
            SectionId::LABEL_SCALES,
            label,
            "scales and biases must be finite and within their limits",
        ),
        LinearError::Offsets { feature } => (
            SectionId::WEIGHT_OFFSETS,
            feature,
            "records must follow each other and end where the weights end",
        ),
        LinearError::Record { feature, .. } => (
            SectionId::WEIGHTS,
            feature,
            "the weights of a feature must be packed as the format says, labels rising and below L",
        ),
        LinearError::UnseenLabel { feature, .. } => (
            SectionId::WEIGHTS,
            feature,
            "labels with scale 0 must have no weights",
        ),
        _ => return FormatError::MetadataInvalid,
    };
    FormatError::ValueInvalid {
        section,
        position: position as u64,
        rule,
    }
}
