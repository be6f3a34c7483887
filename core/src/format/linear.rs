//! Linear models to sections and back.

use super::{
    Container, ContainerWriter, FormatError, SectionId,
    embedding::{self, EmbeddingDescription, GIVEN, TRAINED},
    nearest::{self, NearestArrays, NearestDescription},
};
use crate::{
    model::linear::{
        Linear, LinearError, LinearModel, LinearParts, fused::FusedNearest,
        fused_embedding::FusedEmbedding,
    },
    parameters::linear::LinearTraining,
};
use alloc::boxed::Box;
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
    /// Prototypes over given vectors, and what else there is.
    Vectors(Box<WithVectors>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct WithVectors {
    vectors: (EmbeddingDescription, f32),
    nearest: Option<(NearestDescription, f32)>,
    embedding: Option<(EmbeddingDescription, f32)>,
}

/// What describes an embedding beside a linear model.
fn described(fused: &FusedEmbedding) -> (EmbeddingDescription, f32) {
    (EmbeddingDescription::of(fused.embedding()), fused.weight())
}

impl LinearDescription {
    /// What describes `linear`, whose neighbors, if it has any, have these arrays.
    pub(super) fn of(linear: &Linear, nearest: Option<&NearestArrays<'_>>) -> Self {
        let parts = linear.model().parts();
        Self {
            parameters: linear.parameters().clone(),
            bits: parts.bits,
            bias: parts.bias,
            beside: Beside::of(linear, nearest),
        }
    }
}

impl Beside {
    fn of(linear: &Linear, nearest: Option<&NearestArrays<'_>>) -> Self {
        let arrays = nearest.zip(linear.nearest());
        let near = arrays.map(|(arrays, fused)| (arrays.description(), fused.weight()));
        let embedded = linear.embedding().map(described);
        match (linear.vectors().map(described), near, embedded) {
            (Some(vectors), nearest, embedding) => Self::Vectors(Box::new(WithVectors {
                vectors,
                nearest,
                embedding,
            })),
            (None, None, None) => Self::Nothing,
            (None, Some((near, votes)), None) => Self::Nearest(near, votes),
            (None, None, Some((embedding, weight))) => Self::Embedding(embedding, weight),
            (None, Some((near, votes)), Some((embedding, weight))) => {
                Self::Both(near, votes, embedding, weight)
            }
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
    if let Some(fused) = linear.embedding() {
        embedding::write_vectors(fused.embedding(), &TRAINED, writer);
    }
    if let Some(fused) = linear.vectors() {
        embedding::write_vectors(fused.embedding(), &GIVEN, writer);
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
    let (near, embedded, given) = match beside {
        Beside::Nothing => (None, None, None),
        Beside::Nearest(near, votes) => (Some((near, votes)), None, None),
        Beside::Embedding(described, weight) => (None, Some((described, weight)), None),
        Beside::Both(near, votes, described, weight) => {
            (Some((near, votes)), Some((described, weight)), None)
        }
        Beside::Vectors(of) => (of.nearest, of.embedding, Some(of.vectors)),
    };
    let nearest = match near {
        None => None,
        Some((described, weight)) => {
            let nearest = nearest::read(container, described, labels)?;
            Some(FusedNearest::new(nearest, weight).ok_or(FormatError::MetadataInvalid)?)
        }
    };
    let sizes = (features, labels);
    let mut read = |of: Option<(EmbeddingDescription, f32)>, sections| {
        let Some((described, weight)) = of else {
            return Ok(None);
        };
        let own = frequencies.clone();
        let embedding = embedding::read_vectors(container, described, sections, sizes, own)?;
        let fused = FusedEmbedding::new(embedding, weight);
        fused.map(Some).ok_or(FormatError::MetadataInvalid)
    };
    let (embedding, vectors) = (read(embedded, &TRAINED)?, read(given, &GIVEN)?);
    Ok(linear.with(nearest, embedding).with_vectors(vectors))
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
