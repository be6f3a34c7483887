//! Scores of panels of prototypes at a point: the loop of embedding models.

use super::{panels::LANES, prototype_weights::Weights};
use crate::array::Array;

/// The vectors of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototypes {
    /// M weights for each label, in panels of 32 labels.
    pub weights: Weights,
    /// What a weight of 1 is worth, by label; empty for weights as trained.
    pub scales: Array<f32>,
    /// What is added to a label's score; empty for inner products.
    pub offsets: Array<f32>,
}

/// Panels of prototypes to score at a point.
pub struct LabelScan<'a> {
    /// The prototypes.
    pub prototypes: &'a Prototypes,
    /// M.
    pub dimensions: usize,
    /// The first panel.
    pub first: usize,
    /// The coordinates of the point other than 0, rising; `None` if `values` holds all M.
    pub places: Option<&'a [u32]>,
    /// Their values.
    pub values: &'a [f32],
    /// Whether inner products count twice.
    pub double: bool,
    /// What every score has more: minus the squared length of the point.
    pub shift: f32,
    /// The scores: 32 for each panel.
    pub scores: &'a mut [f32],
}

/// Scores panels: one pass over their weights.
#[inline(always)]
pub fn score_labels(scan: &mut LabelScan<'_>) {
    let prototypes = scan.prototypes;
    let mut sums = [0.0; LANES];
    for (at, scores) in scan
        .scores
        .as_chunks_mut::<LANES>()
        .0
        .iter_mut()
        .enumerate()
    {
        let panel = scan.first + at;
        let (places, values) = (scan.places, scan.values);
        prototypes
            .weights
            .dots(panel, scan.dimensions, places, values, &mut sums);
        let start = panel * LANES;
        let scales = prototypes.scales.get(start..).unwrap_or(&[]);
        let offsets = prototypes.offsets.get(start..).unwrap_or(&[]);
        if !scales.is_empty() {
            sums.iter_mut()
                .zip(scales)
                .for_each(|(sum, scale)| *sum *= scale);
        }
        if scan.double {
            sums.iter_mut().for_each(|sum| *sum *= 2.0);
        }
        if !offsets.is_empty() {
            sums.iter_mut()
                .zip(offsets)
                .for_each(|(sum, offset)| *sum += offset);
        }
        for (score, sum) in scores.iter_mut().zip(&sums) {
            *score = sum + scan.shift;
        }
    }
}
