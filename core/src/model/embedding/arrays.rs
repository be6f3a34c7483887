//! What an embedding model is made of, and the rules its parts keep.

use crate::kernels::{
    panels::{LANES, panels_for},
    prototype_weights::{MOST, Weights},
};
use crate::{array::Array, kernels::label_scan::Prototypes, parameters::RowTransform};

/// Scores of L labels for rows of D features; see the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingModel {
    pub(super) parts: EmbeddingParts,
}

/// The vectors of features.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// M weights for each feature that has a vector.
    pub weights: Weights,
    /// What a weight of 1 is worth, by vector; empty for weights as trained.
    pub scales: Array<f32>,
    /// Which features have vectors, rising; `None` where all D have one.
    pub features: Option<Array<u32>>,
}

impl Table {
    /// How many vectors there are, of `all` features.
    pub(super) fn vectors(&self, all: usize) -> usize {
        self.features().map_or(all, <[u32]>::len)
    }

    /// The features that have vectors; `None` where all have one.
    pub(crate) fn features(&self) -> Option<&[u32]> {
        self.features.as_deref()
    }

    /// Which vector is that of a feature, if it has one.
    pub(super) fn place(&self, feature: u32) -> Option<usize> {
        match self.features() {
            None => Some(feature as usize),
            Some(features) => features.binary_search(&feature).ok(),
        }
    }
}

/// What an embedding model is made of, as a file holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingParts {
    /// What happens to rows first.
    pub transform: RowTransform,
    /// Whether scores are negative squared distances.
    pub euclidean: bool,
    /// D.
    pub features: u32,
    /// L.
    pub labels: u32,
    /// M; D if there is no embedding.
    pub dimensions: u32,
    /// The embedding, if rows are embedded.
    pub embedding: Option<Table>,
    /// The prototypes.
    pub prototypes: Prototypes,
}

/// Which part of an embedding model breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The transform's exponent is not a finite number from 0 to 4, or there are no dimensions or
    /// labels, or M is not D without an embedding.
    Sizes,
    /// There is not a number for each weight.
    Length {
        /// Of the prototypes, and not of the embedding.
        prototypes: bool,
    },
    /// A weight is not finite or a code that rounding does not make.
    Weight {
        /// Of the prototypes, and not of the embedding.
        prototypes: bool,
        /// Where.
        position: usize,
    },
    /// A scale is negative or beyond its limit, or there is not one for each vector.
    Scale {
        /// Of the prototypes, and not of the embedding.
        prototypes: bool,
        /// Where.
        position: usize,
    },
    /// An offset is not finite, or there is not one for each label.
    Offset {
        /// Where.
        position: usize,
    },
    /// Features with vectors do not rise, or are not among the model's.
    Feature {
        /// Where.
        position: usize,
    },
}

fn check_vectors(
    weights: &Weights,
    scales: &[f32],
    (stored, vectors): (usize, usize),
    length: usize,
    prototypes: bool,
) -> Result<(), EmbeddingError> {
    let bits = weights.bits();
    // Prototypes come in whole panels, whose lines have an even number of lanes.
    let items = if prototypes && bits == 4 {
        Weights::items(8, stored / 2, length)
    } else {
        Weights::items(bits, stored, length)
    };
    let there = match weights {
        Weights::Plain(values) => values.len(),
        Weights::Bytes(codes) | Weights::Nibbles(codes) => codes.len(),
    };
    if items != Some(there) {
        return Err(EmbeddingError::Length { prototypes });
    }
    if let Some(position) = weights.first_invalid() {
        return Err(EmbeddingError::Weight {
            prototypes,
            position,
        });
    }
    let expected = if bits == 32 { 0 } else { vectors };
    if scales.len() != expected {
        let position = scales.len().min(expected);
        return Err(EmbeddingError::Scale {
            prototypes,
            position,
        });
    }
    match scales
        .iter()
        .position(|scale| !(0.0..=MOST).contains(scale))
    {
        Some(position) => Err(EmbeddingError::Scale {
            prototypes,
            position,
        }),
        None => Ok(()),
    }
}

impl EmbeddingModel {
    /// Checks the parts.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(crate) fn from_parts(parts: EmbeddingParts) -> Result<Self, EmbeddingError> {
        let (features, labels) = (parts.features as usize, parts.labels as usize);
        let dimensions = parts.dimensions as usize;
        let direct = parts.embedding.is_none();
        if !(0.0..=4.0).contains(&parts.transform.exponent)
            || dimensions == 0
            || labels == 0
            || (direct && dimensions != features)
        {
            return Err(EmbeddingError::Sizes);
        }
        if let Some(table) = &parts.embedding {
            let vectors = table.vectors(features);
            check_vectors(
                &table.weights,
                &table.scales,
                (vectors, vectors),
                dimensions,
                false,
            )?;
            if let Some(of) = table.features() {
                let rises = |at: usize| at == 0 || of[at - 1] < of[at];
                let wrong = |&at: &usize| !rises(at) || of[at] >= parts.features;
                if let Some(position) = (0..of.len()).find(wrong) {
                    return Err(EmbeddingError::Feature { position });
                }
            }
        }
        let prototypes = &parts.prototypes;
        let slots = panels_for(labels) * LANES;
        check_vectors(
            &prototypes.weights,
            &prototypes.scales,
            (slots, labels),
            dimensions,
            true,
        )?;
        let offsets = if parts.euclidean { labels } else { 0 };
        if prototypes.offsets.len() != offsets {
            let position = prototypes.offsets.len().min(offsets);
            return Err(EmbeddingError::Offset { position });
        }
        match prototypes
            .offsets
            .iter()
            .position(|offset| !offset.is_finite())
        {
            Some(position) => Err(EmbeddingError::Offset { position }),
            None => Ok(Self { parts }),
        }
    }

    /// The parts.
    #[must_use]
    pub fn parts(&self) -> &EmbeddingParts {
        &self.parts
    }

    /// The prototype of a label: M numbers behind those in `out`.
    pub(crate) fn prototype(&self, label: u32, out: &mut alloc::vec::Vec<f32>) {
        let prototypes = &self.parts.prototypes;
        let scale = prototypes
            .scales
            .get(label as usize)
            .copied()
            .unwrap_or(1.0);
        let dimensions = self.parts.dimensions as usize;
        let weight = |at| scale * prototypes.weights.of_class(label as usize, at, dimensions);
        out.extend((0..dimensions).map(weight));
    }
}
