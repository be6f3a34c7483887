//! MACH models to sections and back.

use super::{Container, ContainerWriter, FormatError, SectionId, claims};
use crate::{
    model::mach::{
        Mach, MachParts,
        centroids::Centroids,
        head_weights::{Form, HeadWeights, Packed, WeightsError},
    },
    parameters::mach::{MachParameters, Stored},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What memory is claimed for.
pub(super) const CLAIMED: &str = "bucket codes";

/// What the metadata say of the method. The codes of labels are not stored: they follow from hash,
/// seed and draw, for the labels that have rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachDescription {
    /// As they stand in the file, whose metadata have one encoding.
    parameters: Stored,
    softmax: bool,
    draw: u32,
    /// Bits of a stored weight, which compacting may have made fewer: 32, 8 or 4.
    bits: u32,
    centroids: bool,
}

impl MachDescription {
    pub(super) fn of(mach: &Mach) -> Self {
        Self {
            parameters: mach.parameters().clone().into(),
            softmax: mach.is_softmax(),
            draw: mach.draw(),
            bits: mach.weights().bits(),
            centroids: mach.centroids().is_some(),
        }
    }
}

pub(super) fn write<'w>(mach: &'w Mach, writer: &mut ContainerWriter<'w>) {
    writer.section(SectionId::LABEL_FREQUENCIES, mach.frequencies());
    writer.section(SectionId::HEAD_BIASES, mach.weights().biases());
    match mach.weights().form() {
        Form::Dense(weights) => writer.section(SectionId::HEAD_WEIGHTS, weights),
        Form::Packed(packed) => {
            writer.section(SectionId::RECORD_OFFSETS, &packed.offsets);
            writer.section(SectionId::WEIGHT_RECORDS, &packed.records);
        }
    }
    if let Some(centroids) = mach.centroids() {
        let (offsets, records) = centroids.parts();
        writer.section(SectionId::CENTROID_OFFSETS, offsets);
        writer.section(SectionId::CENTROIDS, records);
    }
}

pub(super) fn read<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    description: MachDescription,
    features: u32,
    labels: u32,
) -> Result<Mach, FormatError> {
    let MachDescription {
        parameters,
        softmax,
        draw,
        bits,
        centroids,
    } = description;
    let parameters = MachParameters::try_from(parameters);
    let parameters = parameters.map_err(|_| FormatError::MetadataInvalid)?;
    let wrong = |_| FormatError::MetadataInvalid;
    parameters.check().map_err(wrong)?;
    let frequencies = container.array_of(SectionId::LABEL_FREQUENCIES, labels as usize)?;
    let seen = frequencies
        .iter()
        .filter(|&&count: &&u32| count > 0)
        .count();
    parameters.check_labels(seen as u32).map_err(wrong)?;
    let heads = parameters.repetitions as usize;
    let buckets = parameters.buckets as usize;
    let claim = claims::of_mach(seen, heads, parameters.buckets, labels);
    claims::check(CLAIMED, claim, container.sizes().map(|(_, bytes)| bytes))?;
    let biases = container.array_of(SectionId::HEAD_BIASES, heads * buckets)?;
    let form = match bits {
        32 => Form::Dense(container.array(SectionId::HEAD_WEIGHTS)?),
        4 | 8 => Form::Packed(Packed {
            bits,
            offsets: container.array(SectionId::RECORD_OFFSETS)?,
            records: container.array(SectionId::WEIGHT_RECORDS)?,
        }),
        _ => return Err(FormatError::MetadataInvalid),
    };
    let weights = HeadWeights::from_parts(features, heads, buckets, biases, form);
    let weights = weights.map_err(|error| invalid(error, bits))?;
    let centroids = if centroids {
        Some(read_centroids(container, seen, features)?)
    } else {
        None
    };
    if draw > 64 {
        return Err(FormatError::MetadataInvalid);
    }
    let codes = parameters.plan(seen as u32).evaluate(draw);
    let codes = codes.map_err(|error| FormatError::OutOfMemory { bytes: error.bytes })?;
    let made = Mach::new(MachParts {
        parameters,
        softmax,
        frequencies,
        codes,
        weights,
        centroids,
    });
    made.map_err(|error| FormatError::OutOfMemory { bytes: error.bytes })
}

fn read_centroids<M: Serialize + DeserializeOwned>(
    container: &mut Container<M>,
    seen: usize,
    features: u32,
) -> Result<Centroids, FormatError> {
    let offsets = container.array_of(SectionId::CENTROID_OFFSETS, seen + 1)?;
    let records = container.array(SectionId::CENTROIDS)?;
    let centroids = Centroids::from_parts(offsets, records, seen, features);
    centroids.ok_or(FormatError::ValueInvalid {
        section: SectionId::CENTROIDS,
        position: 0,
        rule: "centroids must be packed as the format says, features rising and below D",
    })
}

fn invalid(error: WeightsError, bits: u32) -> FormatError {
    let weights = if bits == 32 {
        SectionId::HEAD_WEIGHTS
    } else {
        SectionId::WEIGHT_RECORDS
    };
    let (section, position, rule) = match error {
        WeightsError::NotFinite { at } => (
            weights,
            at,
            "weights and biases must be finite and within 1e15",
        ),
        WeightsError::Offsets { at } => (
            SectionId::RECORD_OFFSETS,
            at,
            "records must follow each other and end where the weights end",
        ),
        WeightsError::Record { record, .. } => (
            weights,
            record,
            "the weights of a feature must be packed as the format says, positions below B R",
        ),
        WeightsError::Lengths => (
            weights,
            0,
            "there must be as many weights as heads and features need",
        ),
    };
    FormatError::ValueInvalid {
        section,
        position: position as u64,
        rule,
    }
}
