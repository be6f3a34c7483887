//! The weights of one label while it is trained: dense, in the two parts that packed rows have.

use super::packed_rows::HEAD_FEATURES;
use alloc::{vec, vec::Vec};

/// The dense weights of one label under training: an array for the head, one for the rest.
#[derive(Clone, Debug)]
pub struct Weights {
    head: Vec<f32>,
    /// Weights of the features outside the head.
    pub rest: Vec<f32>,
    features: usize,
}

impl Weights {
    /// All zero, for `features` features.
    #[must_use]
    pub(crate) fn new(features: usize) -> Self {
        Self {
            head: vec![0.0; HEAD_FEATURES],
            rest: vec![0.0; features.saturating_sub(HEAD_FEATURES)],
            features,
        }
    }

    /// The weights of the head and of the rest.
    #[must_use]
    #[inline(always)]
    pub(crate) fn parts_mut(&mut self) -> (&mut [f32; HEAD_FEATURES], &mut [f32]) {
        match self.head.first_chunk_mut() {
            Some(head) => (head, &mut self.rest),
            None => unreachable!("the head is made with its full length"),
        }
    }

    /// The weights of the head and of the rest, to read.
    #[must_use]
    pub(crate) fn parts(&self) -> (&[f32; HEAD_FEATURES], &[f32]) {
        match self.head.first_chunk() {
            Some(head) => (head, &self.rest),
            None => unreachable!("the head is made with its full length"),
        }
    }

    /// Lists the weights larger than `prune` in size with their renumbered features.
    pub(crate) fn above(&self, prune: f32, out: &mut Vec<(u32, f32)>) {
        out.clear();
        let parts = [(0, self.head_used()), (HEAD_FEATURES, &self.rest[..])];
        for (first, weights) in parts {
            for (at, chunk) in weights.chunks(16).enumerate() {
                // Most chunks hold nothing to keep: look at them as a whole first.
                if chunk.iter().fold(false, |any, w| any | (w.abs() > prune)) {
                    let start = (first + 16 * at) as u32;
                    out.extend(
                        (start..)
                            .zip(chunk.iter().copied())
                            .filter(|(_, w)| w.abs() > prune),
                    );
                }
            }
        }
    }

    /// The weights of the head that belong to a feature.
    #[must_use]
    pub(crate) fn head_used(&self) -> &[f32] {
        &self.head[..self.features.min(HEAD_FEATURES)]
    }

    /// Sets all to zero.
    pub(crate) fn clear(&mut self) {
        let used = self.features.clamp(1, HEAD_FEATURES);
        self.head[..used].fill(0.0);
        self.rest.fill(0.0);
    }
}
