//! From trained vectors to a model of 32, 8 or 4 bits a weight.

use crate::kernels::{
    panels::{LANES, panels_for},
    prototype_weights::{MOST, Weights, pair, round},
};
use crate::{array::Array, model::ModelError, parameters::RowTransform};
use crate::{
    kernels::label_scan::Prototypes,
    model::embedding::arrays::{EmbeddingModel, EmbeddingParts, Table},
};
use alloc::vec::Vec;

/// Trained vectors, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vectors {
    /// M of the vectors.
    pub dimensions: usize,
    /// The embedding by feature, M numbers each; empty if rows are not embedded.
    pub embedding: Vec<f32>,
    /// The features of these vectors, rising; `None` where all have one.
    pub features: Option<Vec<u32>>,
    /// The prototypes by label, M numbers each.
    pub prototypes: Vec<f32>,
}

impl Vectors {
    /// The same without vectors of features that are 0, if there are such.
    #[must_use]
    pub(crate) fn without_zeros(self) -> Self {
        let dimensions = self.dimensions.max(1);
        if self.features.is_some() {
            return self;
        }
        let (mut features, mut embedding) = (Vec::new(), Vec::new());
        for (feature, vector) in (0..).zip(self.embedding.chunks_exact(dimensions)) {
            if vector.iter().any(|&weight| weight != 0.0) {
                features.push(feature);
                embedding.extend_from_slice(vector);
            }
        }
        if features.is_empty() || embedding.len() == self.embedding.len() {
            return self;
        }
        Self {
            embedding,
            features: Some(features),
            ..self
        }
    }

    /// The same with a vector for each of so many features.
    #[must_use]
    pub(crate) fn of_all(self, features: u32) -> Self {
        let Some(kept) = &self.features else {
            return self;
        };
        let dimensions = self.dimensions;
        let mut embedding = alloc::vec![0.0; features as usize * dimensions];
        for (&feature, vector) in kept.iter().zip(self.embedding.chunks(dimensions.max(1))) {
            embedding[feature as usize * dimensions..][..dimensions].copy_from_slice(vector);
        }
        Self {
            embedding,
            features: None,
            ..self
        }
    }
}

/// How a model answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    /// What happens to rows first.
    pub transform: RowTransform,
    /// Whether distances count.
    pub euclidean: bool,
    /// D.
    pub features: u32,
    /// Bits of a weight: 32, 8 or 4.
    pub bits: u32,
}

/// Makes a model of trained vectors.
///
/// # Errors
/// [`ModelError::NotFinite`] if a number is not finite or beyond all use.
pub fn build(vectors: &Vectors, form: &Form) -> Result<EmbeddingModel, ModelError> {
    let numbers = || vectors.embedding.iter().chain(&vectors.prototypes);
    if !numbers().all(|v| v.abs() <= MOST) {
        return Err(ModelError::NotFinite);
    }
    let dimensions = vectors.dimensions.max(1);
    let embedding = (!vectors.embedding.is_empty()).then(|| table(vectors, form.bits));
    let parts = EmbeddingParts {
        transform: form.transform,
        euclidean: form.euclidean,
        features: form.features,
        labels: (vectors.prototypes.len() / dimensions) as u32,
        dimensions: dimensions as u32,
        embedding,
        prototypes: prototypes(&vectors.prototypes, dimensions, form),
    };
    EmbeddingModel::from_parts(parts).map_err(|_| ModelError::NotFinite)
}

/// The largest whole number of a rounded weight.
fn most(bits: u32) -> f32 {
    if bits == 4 { 7.0 } else { 127.0 }
}

fn table(vectors: &Vectors, bits: u32) -> Table {
    let features = vectors.features.clone().map(Array::from);
    let (dimensions, vectors) = (vectors.dimensions.max(1), &vectors.embedding);
    if bits == 32 {
        let weights = Weights::Plain(vectors.clone().into());
        return Table {
            weights,
            scales: Vec::new().into(),
            features,
        };
    }
    let (mut bytes, mut scales, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    for vector in vectors.chunks(dimensions) {
        scales.push(round(vector.iter().copied(), most(bits), &mut codes));
        if bits == 4 {
            let pairs = codes.chunks(2);
            bytes.extend(pairs.map(|two| pair(two[0], two.get(1).copied().unwrap_or(0))));
        } else {
            bytes.extend(codes.iter().map(|&code| code as u8));
        }
    }
    let weights = if bits == 4 {
        Weights::Nibbles(bytes.into())
    } else {
        Weights::Bytes(bytes.into())
    };
    Table {
        weights,
        scales: scales.into(),
        features,
    }
}

fn prototypes(vectors: &[f32], dimensions: usize, form: &Form) -> Prototypes {
    let labels = vectors.len() / dimensions;
    let places = panels_for(labels) * LANES * dimensions;
    let place = |label: usize, at: usize| (label / LANES * dimensions + at) * LANES + label % LANES;
    let square = |vector: &mut dyn Iterator<Item = f32>| -> f32 {
        let mut sum = 0f64;
        vector.for_each(|v| sum += f64::from(v) * f64::from(v));
        -sum as f32
    };
    let mut offsets = Vec::new();
    let (mut scales, mut codes) = (Vec::new(), Vec::new());
    let weights = if form.bits == 32 {
        let mut panels = alloc::vec![0f32; places];
        for (label, vector) in vectors.chunks_exact(dimensions).enumerate() {
            for (at, &value) in vector.iter().enumerate() {
                panels[place(label, at)] = value;
            }
            offsets.push(square(&mut vector.iter().copied()));
        }
        Weights::Plain(panels.into())
    } else {
        let mut panels = alloc::vec![0i8; places];
        for (label, vector) in vectors.chunks_exact(dimensions).enumerate() {
            let scale = round(vector.iter().copied(), most(form.bits), &mut codes);
            for (at, &code) in codes.iter().enumerate() {
                panels[place(label, at)] = code;
            }
            offsets.push(square(
                &mut codes.iter().map(|&code| f32::from(code) * scale),
            ));
            scales.push(scale);
        }
        let lines = panels.chunks_exact(LANES);
        if form.bits == 4 {
            let half = LANES / 2;
            let halves = lines.flat_map(|line| (0..half).map(|at| pair(line[at], line[at + half])));
            Weights::Nibbles(halves.collect::<Vec<u8>>().into())
        } else {
            Weights::Bytes(
                panels
                    .iter()
                    .map(|&code| code as u8)
                    .collect::<Vec<u8>>()
                    .into(),
            )
        }
    };
    if !form.euclidean {
        offsets = Vec::new();
    }
    Prototypes {
        weights,
        scales: scales.into(),
        offsets: offsets.into(),
    }
}

impl EmbeddingModel {
    /// The vectors of the model, as its weights say.
    #[must_use]
    pub fn vectors(&self) -> Vectors {
        let parts = &self.parts;
        let dimensions = parts.dimensions as usize;
        let mut prototypes = Vec::new();
        (0..parts.labels).for_each(|label| self.prototype(label, &mut prototypes));
        let (mut embedding, mut features) = (Vec::new(), None);
        if let Some(table) = &parts.embedding {
            let vectors = table.vectors(parts.features as usize);
            embedding.resize(vectors * dimensions, 0.0);
            for (at, vector) in embedding.chunks_mut(dimensions).enumerate() {
                let scale = table.scales.get(at).copied().unwrap_or(1.0);
                table.weights.add(at, scale, vector);
            }
            features = table.features().map(<[u32]>::to_vec);
        }
        Vectors {
            dimensions,
            embedding,
            features,
            prototypes,
        }
    }

    /// The scales of the vectors of all features.
    fn scales_of_all(&self) -> Vec<f32> {
        let Some(table) = &self.parts.embedding else {
            return Vec::new();
        };
        let Some(features) = table.features() else {
            return table.scales.to_vec();
        };
        let mut scales = alloc::vec![0.0; self.parts.features as usize];
        for (&feature, &scale) in features.iter().zip(table.scales.iter()) {
            scales[feature as usize] = scale;
        }
        scales
    }

    /// Takes the scales and offsets that vectors had in an earlier model, whose rounding made them
    /// other in the last place: of `features`, by their numbers before and now, and of `labels`.
    pub(crate) fn keep_scales(
        &mut self,
        before: &Self,
        features: impl Iterator<Item = (usize, usize)>,
        labels: impl Iterator<Item = usize>,
    ) {
        let (parts, old_scales, old) = (&mut self.parts, before.scales_of_all(), &before.parts);
        if let Some(table) = &mut parts.embedding {
            let mut scales = table.scales.to_vec();
            for (before, now) in features {
                if let (Some(to), Some(&from)) = (scales.get_mut(now), old_scales.get(before)) {
                    *to = from;
                }
            }
            table.scales = scales.into();
        }
        let (own, old) = (&mut parts.prototypes, &old.prototypes);
        let (mut scales, mut offsets) = (own.scales.to_vec(), own.offsets.to_vec());
        for label in labels {
            for (to, from) in [(&mut scales, &old.scales), (&mut offsets, &old.offsets)] {
                if let (Some(to), Some(&from)) = (to.get_mut(label), from.get(label)) {
                    *to = from;
                }
            }
        }
        (own.scales, own.offsets) = (scales.into(), offsets.into());
    }

    /// The model with weights of so many bits (32, 8 or 4), and the sum of the squared differences
    /// of weights as a share of that of the weights. The model as it is if it has no more bits than
    /// that.
    #[must_use]
    pub(crate) fn with_bits(&self, bits: u32) -> (Self, f64) {
        if bits >= self.parts.prototypes.weights.bits() {
            return (self.clone(), 0.0);
        }
        let form = Form {
            transform: self.parts.transform,
            euclidean: self.parts.euclidean,
            features: self.parts.features,
            bits,
        };
        let before = self.vectors();
        // Rounding never makes weights larger, so they keep their limits.
        let Ok(model) = build(&before, &form) else {
            return (self.clone(), 0.0);
        };
        let after = model.vectors();
        let old = before.embedding.iter().chain(&before.prototypes);
        let (mut lost, mut all) = (0f64, 0f64);
        for (&old, &new) in old.zip(after.embedding.iter().chain(&after.prototypes)) {
            let (old, new) = (f64::from(old), f64::from(new));
            lost += (old - new) * (old - new);
            all += old * old;
        }
        (model, lost / f64::max(all, f64::MIN_POSITIVE))
    }
}
