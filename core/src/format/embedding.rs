//! Models of prototypes to sections and back.

use super::{Container, ContainerWriter, FormatError, SectionId};
use crate::{
    array::Array,
    kernels::{label_scan::Prototypes, prototype_weights::Weights},
    model::embedding::{Embedding, EmbeddingError, EmbeddingModel, EmbeddingParts, Table},
    parameters::embedding::EmbeddingTraining,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What the metadata say of the method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EmbeddingDescription {
    training: EmbeddingTraining,
    dimensions: u32,
    /// Whether rows are embedded; else prototypes have a coordinate for each feature.
    embedded: bool,
    euclidean: bool,
    /// Bits of a stored weight, which compacting may have made fewer.
    bits: u32,
}

impl EmbeddingDescription {
    pub(super) fn of(embedding: &Embedding) -> Self {
        let parts = embedding.model().parts();
        Self {
            training: embedding.training().clone(),
            dimensions: parts.dimensions,
            embedded: parts.embedding.is_some(),
            euclidean: parts.euclidean,
            bits: parts.prototypes.weights.bits(),
        }
    }
}

/// Which sections hold the arrays of an embedding.
pub(super) struct Sections {
    vectors: SectionId,
    scales: SectionId,
    /// The features with vectors; absent where all have one.
    features: SectionId,
    prototypes: SectionId,
    prototype_scales: SectionId,
    /// `None` where inner products need no offsets.
    offsets: Option<SectionId>,
}

/// Those of a model of prototypes, or of one beside a linear model.
pub(super) const TRAINED: Sections = Sections {
    vectors: SectionId::EMBEDDING,
    scales: SectionId::EMBEDDING_SCALES,
    features: SectionId::EMBEDDING_FEATURES,
    prototypes: SectionId::PROTOTYPES,
    prototype_scales: SectionId::PROTOTYPE_SCALES,
    offsets: Some(SectionId::PROTOTYPE_OFFSETS),
};

/// Those of prototypes over vectors that were given.
pub(super) const GIVEN: Sections = Sections {
    vectors: SectionId::VECTORS,
    scales: SectionId::VECTOR_SCALES,
    features: SectionId::VECTOR_FEATURES,
    prototypes: SectionId::VECTOR_PROTOTYPES,
    prototype_scales: SectionId::VECTOR_PROTOTYPE_SCALES,
    offsets: None,
};

fn write_weights<'w>(weights: &'w Weights, section: SectionId, writer: &mut ContainerWriter<'w>) {
    match weights {
        Weights::Plain(values) => writer.section(section, values),
        Weights::Bytes(codes) | Weights::Nibbles(codes) => writer.section(section, codes),
    }
}

pub(super) fn write<'w>(embedding: &'w Embedding, writer: &mut ContainerWriter<'w>) {
    write_vectors(embedding, &TRAINED, writer);
    writer.section(SectionId::LABEL_FREQUENCIES, embedding.frequencies());
}

/// All but the labels' frequencies.
pub(super) fn write_vectors<'w>(
    embedding: &'w Embedding,
    sections: &Sections,
    writer: &mut ContainerWriter<'w>,
) {
    let parts = embedding.model().parts();
    if let Some(table) = &parts.embedding {
        write_weights(&table.weights, sections.vectors, writer);
        writer.section(sections.scales, &table.scales);
        if let Some(features) = &table.features {
            writer.section(sections.features, features);
        }
    }
    write_weights(&parts.prototypes.weights, sections.prototypes, writer);
    writer.section(sections.prototype_scales, &parts.prototypes.scales);
    if let Some(section) = sections.offsets {
        writer.section(section, &parts.prototypes.offsets);
    }
}

fn read_weights<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    section: SectionId,
    bits: u32,
) -> Result<Weights, FormatError> {
    Ok(match bits {
        32 => Weights::Plain(container.array(section)?),
        8 => Weights::Bytes(container.array(section)?),
        4 => Weights::Nibbles(container.array(section)?),
        _ => return Err(FormatError::MetadataInvalid),
    })
}

pub(super) fn read<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    description: EmbeddingDescription,
    features: u32,
    labels: u32,
) -> Result<Embedding, FormatError> {
    let frequencies = container.array_of(SectionId::LABEL_FREQUENCIES, labels as usize)?;
    let sizes = (features, labels);
    read_vectors(container, description, &TRAINED, sizes, frequencies)
}

/// What [`write_vectors`] wrote, with the labels' frequencies.
pub(super) fn read_vectors<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    description: EmbeddingDescription,
    sections: &Sections,
    (features, labels): (u32, u32),
    frequencies: Array<u32>,
) -> Result<Embedding, FormatError> {
    let EmbeddingDescription {
        training,
        dimensions,
        embedded,
        euclidean,
        bits,
    } = description;
    let embedding = if embedded {
        Some(Table {
            weights: read_weights(container, sections.vectors, bits)?,
            scales: container.array(sections.scales)?,
            features: container.optional(sections.features)?,
        })
    } else {
        None
    };
    let prototypes = Prototypes {
        weights: read_weights(container, sections.prototypes, bits)?,
        scales: container.array(sections.prototype_scales)?,
        offsets: match sections.offsets {
            Some(section) => container.array(section)?,
            None => Array::default(),
        },
    };
    let model = EmbeddingModel::from_parts(EmbeddingParts {
        transform: training.transform(),
        euclidean,
        features,
        labels,
        dimensions,
        embedding,
        prototypes,
    })
    .map_err(|error| invalid(error, sections))?;
    Embedding::from_stored(model, frequencies, training).ok_or(FormatError::MetadataInvalid)
}

fn invalid(error: EmbeddingError, sections: &Sections) -> FormatError {
    let weights = |prototypes| {
        if prototypes {
            sections.prototypes
        } else {
            sections.vectors
        }
    };
    let (section, position, rule) = match error {
        EmbeddingError::Length { prototypes } => (
            weights(prototypes),
            0,
            "there must be a number for each weight",
        ),
        EmbeddingError::Weight {
            prototypes,
            position,
        } => (
            weights(prototypes),
            position,
            "weights must be finite, and codes no smaller than minus the largest",
        ),
        EmbeddingError::Scale {
            prototypes: true,
            position,
        } => (sections.prototype_scales, position, SCALES),
        EmbeddingError::Scale { position, .. } => (sections.scales, position, SCALES),
        EmbeddingError::Offset { position } => (
            SectionId::PROTOTYPE_OFFSETS,
            position,
            "there must be a finite number for each label, or none for inner products",
        ),
        EmbeddingError::Feature { position } => (
            sections.features,
            position,
            "features with vectors must rise, and be features of the model",
        ),
        _ => return FormatError::MetadataInvalid,
    };
    FormatError::ValueInvalid {
        section,
        position: position as u64,
        rule,
    }
}

const SCALES: &str = "there must be a number from 0 to 1e12 for each vector, or none for 32 bits";
