//! The best labels of a row: an exact scan of all prototypes.

use crate::kernels::panels::{LANES, panels_for};
use crate::model::embedding::arrays::EmbeddingModel;
use crate::{
    kernels::label_scan::LabelScan,
    kernels::{Kernels, Portable},
    search::{Scored, Top},
    sparse::SparseView,
};
use alloc::vec::Vec;

/// Panels scored at a time: 256 labels.
const PANELS: usize = 8;

/// Memory for queries, used again.
pub struct EmbeddingScratch {
    kernels: &'static dyn Kernels,
    values: Vec<f32>,
    dimensions: Vec<u32>,
    point: Vec<f32>,
    scores: Vec<f32>,
    top: Top,
}

impl core::fmt::Debug for EmbeddingScratch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("EmbeddingScratch")
            .field("kernels", &self.kernels.processor().name())
            .finish_non_exhaustive()
    }
}

impl EmbeddingScratch {
    /// Memory whose scans run these kernels.
    #[must_use]
    pub(crate) fn new(kernels: &'static dyn Kernels) -> Self {
        Self {
            kernels,
            values: Vec::new(),
            dimensions: Vec::new(),
            point: Vec::new(),
            scores: Vec::new(),
            top: Top::default(),
        }
    }
}

impl Default for EmbeddingScratch {
    fn default() -> Self {
        Self::new(&Portable)
    }
}

impl EmbeddingModel {
    /// The `k` best labels of a row, best first. Features the model does not know count nothing.
    pub(crate) fn predict<'s>(
        &self,
        row: SparseView<'_>,
        k: usize,
        scratch: &'s mut EmbeddingScratch,
    ) -> &'s [Scored] {
        let mut top = core::mem::take(&mut scratch.top);
        top.reset(k.min(self.parts.labels as usize));
        self.scan(row, scratch, |start, scores| {
            let least = |top: &Top| {
                top.threshold()
                    .map_or(f32::NEG_INFINITY, |worst| worst.score)
            };
            let mut worst = least(&top);
            for (id, &score) in (start..).zip(scores) {
                if score >= worst || score.is_nan() {
                    let score = finite(score);
                    top.push(Scored { id, score });
                    worst = least(&top);
                }
            }
        });
        scratch.top = top;
        scratch.top.sorted()
    }

    /// Adds so many times the score of each label to `sums`, one for each label.
    pub(crate) fn add_scores(
        &self,
        row: SparseView<'_>,
        weight: f32,
        sums: &mut [f32],
        scratch: &mut EmbeddingScratch,
    ) {
        self.scan(row, scratch, |start, scores| {
            for (sum, &score) in sums[start as usize..].iter_mut().zip(scores) {
                *sum = (*sum + weight * finite(score)).clamp(f32::MIN, f32::MAX);
            }
        });
    }

    /// Hands the scores of all labels to `take`, block by block, with the first label of each.
    fn scan(
        &self,
        row: SparseView<'_>,
        scratch: &mut EmbeddingScratch,
        mut take: impl FnMut(u32, &[f32]),
    ) {
        let parts = &self.parts;
        let labels = parts.labels as usize;
        let panels = panels_for(labels);
        let direct = self.embed(row, scratch);
        let EmbeddingScratch {
            kernels,
            values,
            dimensions,
            point,
            scores,
            ..
        } = scratch;
        let (places, at) = if direct {
            (Some(&dimensions[..]), &values[..])
        } else {
            (None, &point[..])
        };
        let mut shift = 0f64;
        if parts.euclidean {
            at.iter()
                .for_each(|&v| shift -= f64::from(v) * f64::from(v));
        }
        for first in (0..panels).step_by(PANELS) {
            let count = PANELS.min(panels - first);
            scores.clear();
            scores.resize(count * LANES, 0.0);
            kernels.score_labels(&mut LabelScan {
                prototypes: &parts.prototypes,
                dimensions: parts.dimensions as usize,
                first,
                places,
                values: at,
                double: parts.euclidean,
                shift: shift as f32,
                scores,
            });
            let start = first * LANES;
            take(start as u32, &scores[..(labels - start).min(scores.len())]);
        }
    }

    /// The point of a row in the space of an embedding; nothing if rows are not embedded.
    pub(crate) fn point<'s>(
        &self,
        row: SparseView<'_>,
        scratch: &'s mut EmbeddingScratch,
    ) -> &'s [f32] {
        match self.embed(row, scratch) {
            true => &[],
            false => &scratch.point,
        }
    }

    /// Puts the row's point into `scratch`; whether it is the row itself.
    fn embed(&self, row: SparseView<'_>, scratch: &mut EmbeddingScratch) -> bool {
        let parts = &self.parts;
        let known = row.indices().partition_point(|&id| id < parts.features);
        scratch.values.clear();
        parts.transform.apply(row, &mut scratch.values);
        scratch.values.truncate(known);
        // Beyond this size squares and sums would not be finite.
        scratch
            .values
            .iter_mut()
            .for_each(|value| *value = value.clamp(-1e6, 1e6));
        scratch.dimensions.clear();
        scratch
            .dimensions
            .extend_from_slice(&row.indices()[..known]);
        let Some(table) = &parts.embedding else {
            return true;
        };
        scratch.point.clear();
        scratch.point.resize(parts.dimensions as usize, 0.0);
        for (&feature, &value) in scratch.dimensions.iter().zip(&scratch.values) {
            let Some(at) = table.place(feature) else {
                continue;
            };
            let scale = table.scales.get(at).copied().unwrap_or(1.0);
            table.weights.add(at, value * scale, &mut scratch.point);
        }
        false
    }
}

/// Scores beyond all others, which only absurd rows make, are not to be answers: the least or the
/// largest number in their place.
fn finite(score: f32) -> f32 {
    match score.is_nan() {
        true => f32::MIN,
        false => score.clamp(f32::MIN, f32::MAX),
    }
}
