//! The labels whose prototypes are nearest to that of a label: what the model confuses it with.

use crate::model::embedding::arrays::EmbeddingModel;
use crate::{
    float,
    search::{Scored, Top},
};
use alloc::vec::Vec;

/// A label near another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The label.
    pub id: u32,
    /// The cosine of the two prototypes.
    pub cosine: f32,
    /// The distance of the two prototypes.
    pub distance: f32,
}

impl EmbeddingModel {
    /// The `k` labels nearest to `label`, nearest first: by distance in a model of distances, else
    /// by cosine. Cost: M a label.
    #[must_use]
    pub fn neighbors(&self, label: u32, k: usize) -> Vec<Neighbor> {
        let labels = self.parts.labels;
        let mut top = Top::new(k.min(labels as usize));
        let (mut own, mut other) = (Vec::new(), Vec::new());
        self.prototype(label, &mut own);
        let mut measure = |id: u32| {
            other.clear();
            self.prototype(id, &mut other);
            let (mut product, mut length, mut own_length, mut square) = (0f64, 0f64, 0f64, 0f64);
            for (&a, &b) in own.iter().zip(&other) {
                let (a, b) = (f64::from(a), f64::from(b));
                product += a * b;
                own_length += a * a;
                length += b * b;
                square += (a - b) * (a - b);
            }
            let scale = float::sqrt(own_length * length);
            let cosine = if scale > 0.0 { product / scale } else { 0.0 };
            (cosine as f32, float::sqrt(square) as f32)
        };
        for id in (0..labels).filter(|&id| id != label) {
            let (cosine, distance) = measure(id);
            let score = if self.parts.euclidean {
                -distance
            } else {
                cosine
            };
            top.push(Scored { id, score });
        }
        let near: Vec<u32> = top.sorted().iter().map(|scored| scored.id).collect();
        near.into_iter()
            .map(|id| {
                let (cosine, distance) = measure(id);
                Neighbor {
                    id,
                    cosine,
                    distance,
                }
            })
            .collect()
    }
}
