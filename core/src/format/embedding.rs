//! Models of prototypes to sections and back.

use super::{Container, ContainerWriter, FormatError, SectionId};
use crate::{
    array::Array,
    kernels::{label_scan::Prototypes, prototype_weights::Weights},
    model::{
        embedding::{Embedding, EmbeddingError, EmbeddingModel, EmbeddingParts, Table},
        linear::fused_embedding::{FusedEmbedding, LEARNED},
    },
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
    write_vectors(embedding, &TRAINED, writer);
    writer.section(SectionId::LABEL_FREQUENCIES, embedding.frequencies());
}

/// The sections of a model of prototypes, but for the labels' frequencies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sections {
    vectors: SectionId,
    scales: SectionId,
    /// Which features have vectors, where not all have one.
    features: SectionId,
    prototypes: SectionId,
    prototype_scales: SectionId,
    /// There is none for prototypes over given vectors, which have no offsets.
    offsets: Option<SectionId>,
}

/// Those of a model on its own, or of the learned one beside a linear model.
pub(super) const TRAINED: Sections = Sections {
    vectors: SectionId::EMBEDDING,
    scales: SectionId::EMBEDDING_SCALES,
    features: SectionId::EMBEDDING_FEATURES,
    prototypes: SectionId::PROTOTYPES,
    prototype_scales: SectionId::PROTOTYPE_SCALES,
    offsets: Some(SectionId::PROTOTYPE_OFFSETS),
};

/// Those of prototypes over vectors that were given.
const GIVEN: Sections = Sections {
    vectors: SectionId::VECTORS,
    scales: SectionId::VECTOR_SCALES,
    features: SectionId::VECTOR_FEATURES,
    prototypes: SectionId::VECTOR_PROTOTYPES,
    prototype_scales: SectionId::VECTOR_PROTOTYPE_SCALES,
    offsets: None,
};

/// All but the labels' frequencies.
fn write_vectors<'w>(
    embedding: &'w Embedding,
    sections: &Sections,
    writer: &mut ContainerWriter<'w>,
) {
    let parts = embedding.model().parts();
    if let Some(table) = &parts.embedding {
        write_weights(&table.weights, sections.vectors, writer);
        writer.section(sections.scales, &table.scales);
        if let Some(features) = table.features() {
            writer.section(sections.features, features);
        }
    }
    let prototypes = &parts.prototypes;
    write_weights(&prototypes.weights, sections.prototypes, writer);
    writer.section(sections.prototype_scales, &prototypes.scales);
    if let Some(offsets) = sections.offsets {
        writer.section(offsets, &prototypes.offsets);
    }
}

/// Writes an embedding beside a linear model; of one over given vectors how often its scores count,
/// too, which the description of the linear model has of the other.
pub(super) fn write_fused<'w>(fused: &'w FusedEmbedding, writer: &mut ContainerWriter<'w>) {
    let sections = match fused.place() {
        LEARNED => &TRAINED,
        _ => {
            writer.section(SectionId::VECTOR_WEIGHT, fused.weight_stored());
            &GIVEN
        }
    };
    write_vectors(fused.embedding(), sections, writer);
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
    read_vectors(
        container,
        description,
        &TRAINED,
        (features, labels),
        frequencies,
    )
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
            Some(offsets) => container.array(offsets)?,
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

/// Prototypes over given vectors as [`write_fused`] wrote them, if they are there.
pub(super) fn read_given<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    sizes: (u32, u32),
    frequencies: &Array<u32>,
) -> Result<Option<FusedEmbedding>, FormatError> {
    let Some(weight) = container.optional::<f32>(SectionId::VECTOR_WEIGHT)? else {
        return Ok(None);
    };
    let vectors = container.array::<f32>(GIVEN.scales)?.len();
    let codes = container.array::<u8>(GIVEN.vectors)?.len();
    let description = EmbeddingDescription {
        training: EmbeddingTraining::GivenVectors { seed: 0 },
        dimensions: (codes / vectors.max(1)) as u32,
        embedded: true,
        euclidean: false,
        bits: 8,
    };
    let own = frequencies.clone();
    let embedding = read_vectors(container, description, &GIVEN, sizes, own)?;
    let fused = match weight[..] {
        [weight] => FusedEmbedding::new(embedding, weight),
        _ => None,
    };
    fused.map(Some).ok_or(FormatError::MetadataInvalid)
}

fn invalid(error: EmbeddingError, sections: &Sections) -> FormatError {
    let weights = |prototypes| match prototypes {
        true => sections.prototypes,
        false => sections.vectors,
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
        EmbeddingError::Feature { position } => (
            sections.features,
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
