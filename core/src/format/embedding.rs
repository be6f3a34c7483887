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

fn write_weights<'w>(weights: &'w Weights, section: SectionId, writer: &mut ContainerWriter<'w>) {
    match weights {
        Weights::Plain(values) => writer.section(section, values),
        Weights::Bytes(codes) | Weights::Nibbles(codes) => writer.section(section, codes),
    }
}

pub(super) fn write<'w>(embedding: &'w Embedding, writer: &mut ContainerWriter<'w>) {
    write_vectors(embedding, writer);
    writer.section(SectionId::LABEL_FREQUENCIES, embedding.frequencies());
}

/// All but the labels' frequencies.
pub(super) fn write_vectors<'w>(embedding: &'w Embedding, writer: &mut ContainerWriter<'w>) {
    let parts = embedding.model().parts();
    if let Some(table) = &parts.embedding {
        write_weights(&table.weights, SectionId::EMBEDDING, writer);
        writer.section(SectionId::EMBEDDING_SCALES, &table.scales);
        if let Some(features) = table.features() {
            writer.section(SectionId::EMBEDDING_FEATURES, features);
        }
    }
    write_weights(&parts.prototypes.weights, SectionId::PROTOTYPES, writer);
    writer.section(SectionId::PROTOTYPE_SCALES, &parts.prototypes.scales);
    writer.section(SectionId::PROTOTYPE_OFFSETS, &parts.prototypes.offsets);
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
    read_vectors(container, description, (features, labels), frequencies)
}

/// What [`write_vectors`] wrote, with the labels' frequencies.
pub(super) fn read_vectors<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    description: EmbeddingDescription,
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
            weights: read_weights(container, SectionId::EMBEDDING, bits)?,
            scales: container.array(SectionId::EMBEDDING_SCALES)?,
            features: match cfg!(feature = "given-vectors") {
                true => container.optional(SectionId::EMBEDDING_FEATURES)?,
                false => None,
            },
        })
    } else {
        None
    };
    let prototypes = Prototypes {
        weights: read_weights(container, SectionId::PROTOTYPES, bits)?,
        scales: container.array(SectionId::PROTOTYPE_SCALES)?,
        offsets: container.array(SectionId::PROTOTYPE_OFFSETS)?,
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
    .map_err(|error| invalid(error, &TRAINED))?;
    Embedding::from_stored(model, frequencies, training).ok_or(FormatError::MetadataInvalid)
}

/// Sections of vectors, their scales and features, of prototypes and their scales.
type Sections = [SectionId; 5];

/// Those of a model of prototypes, or of one beside a linear model.
const TRAINED: Sections = [
    SectionId::EMBEDDING,
    SectionId::EMBEDDING_SCALES,
    SectionId::EMBEDDING_FEATURES,
    SectionId::PROTOTYPES,
    SectionId::PROTOTYPE_SCALES,
];

/// Those of prototypes over vectors that were given.
const GIVEN: Sections = [
    SectionId::VECTORS,
    SectionId::VECTOR_SCALES,
    SectionId::VECTOR_FEATURES,
    SectionId::VECTOR_PROTOTYPES,
    SectionId::VECTOR_PROTOTYPE_SCALES,
];

/// Writes prototypes over given vectors, whose scores count `weight` times.
pub(super) fn write_given<'w>(
    embedding: &'w Embedding,
    weight: &'w f32,
    writer: &mut ContainerWriter<'w>,
) {
    let parts = embedding.model().parts();
    let [vectors, scales, features, prototypes, prototype_scales] = GIVEN;
    if let Some(table) = &parts.embedding {
        write_weights(&table.weights, vectors, writer);
        writer.section(scales, &table.scales);
        if let Some(of) = table.features() {
            writer.section(features, of);
        }
    }
    write_weights(&parts.prototypes.weights, prototypes, writer);
    writer.section(prototype_scales, &parts.prototypes.scales);
    writer.section(SectionId::VECTOR_WEIGHT, core::slice::from_ref(weight));
}

/// What [`write_given`] wrote, if it is there, with its weight.
pub(super) fn read_given<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    (features, labels): (u32, u32),
    frequencies: &Array<u32>,
) -> Result<Option<(Embedding, f32)>, FormatError> {
    let Some(weight) = container.optional::<f32>(SectionId::VECTOR_WEIGHT)? else {
        return Ok(None);
    };
    let [vectors, scales, of, prototypes, prototype_scales] = GIVEN;
    let training = EmbeddingTraining::GivenVectors { seed: 0 };
    let (weights, scales) = (container.array::<u8>(vectors)?, container.array(scales)?);
    let model = EmbeddingModel::from_parts(EmbeddingParts {
        transform: training.transform(),
        euclidean: false,
        features,
        labels,
        dimensions: (weights.len() / scales.len().max(1)) as u32,
        embedding: Some(Table {
            weights: Weights::Bytes(weights),
            scales,
            features: Some(container.array(of)?),
        }),
        prototypes: Prototypes {
            weights: Weights::Bytes(container.array(prototypes)?),
            scales: container.array(prototype_scales)?,
            offsets: Array::default(),
        },
    });
    let model = model.map_err(|error| invalid(error, &GIVEN))?;
    let embedding = Embedding::from_stored(model, frequencies.clone(), training);
    let given = embedding.zip(weight.first().copied());
    given.map(Some).ok_or(FormatError::MetadataInvalid)
}

fn invalid(error: EmbeddingError, sections: &Sections) -> FormatError {
    let [vectors, scales, features, own, own_scales] = *sections;
    let weights = |prototypes| if prototypes { own } else { vectors };
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
        } => (own_scales, position, SCALES),
        EmbeddingError::Scale { position, .. } => (scales, position, SCALES),
        EmbeddingError::Feature { position } => (
            features,
            position,
            "features with vectors must rise, and be features of the model",
        ),
        EmbeddingError::Offset { position } => (
            SectionId::PROTOTYPE_OFFSETS,
            position,
            "there must be a finite number for each label, or none for inner products",
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
