//! What joint training changes: the embedding, the prototypes of the classes, and the sums of
//! squared gradients.

use super::visit::Visited;
use crate::parameters::wsabie::{Discriminant, Wsabie, WsabieSteps};
use crate::{
    float,
    kernels::panels::{self, LANES, panels_for, place, square},
    random::Stream,
    train::{TrainError, error::array},
};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// An embedding of D features in M dimensions, with a prototype for each of L classes.
///
/// Prototypes stand in panels by *slot*; slots are dealt to the classes anew for each epoch.
/// Memory: `4 M (D + L)` bytes, 16 bytes a class, 4 a feature.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Space {
    /// M.
    pub dimensions: usize,
    /// Whether distances count, and not inner products.
    pub euclidean: bool,
    /// W by feature: M numbers each.
    pub embedding: Vec<f32>,
    /// The prototypes by slot, in panels.
    pub panels: Vec<f32>,
    /// What is added to a slot's inner products: minus the squared length for distances, else 0;
    /// minus infinity for slots without a class.
    pub offsets: Vec<f32>,
    /// The class of each slot.
    pub class_at: Vec<u32>,
    /// The slot of each class.
    pub slot_of: Vec<u32>,
    /// Sum of mean squared gradients of each class.
    pub class_sums: Vec<f32>,
    /// The same of each feature, or of each dimension as published.
    pub sums: Vec<f32>,
}

impl Space {
    /// The state before the first step: random signs as the embedding, all prototypes 0.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn new(
        parameters: &Wsabie,
        features: usize,
        classes: usize,
        dice: &mut Stream,
    ) -> Result<Self, TrainError> {
        let dimensions = parameters.dimensions as usize;
        let size = parameters.initial as f32;
        let mut embedding = array(features.saturating_mul(dimensions), size)?;
        for signs in embedding.chunks_mut(64) {
            let bits = dice.bits();
            for (at, value) in signs.iter_mut().enumerate() {
                *value = if bits >> at & 1 == 0 { size } else { -size };
            }
        }
        let slots = panels_for(classes) * LANES;
        let mut offsets = array(slots, f32::NEG_INFINITY)?;
        offsets[..classes].fill(0.0);
        let sums = match parameters.steps {
            WsabieSteps::Plain => 0,
            WsabieSteps::AdaGrad => dimensions,
            WsabieSteps::AdaGradByFeature => features,
        };
        let mut class_at = array(classes, 0)?;
        (0..).zip(&mut class_at).for_each(|(class, at)| *at = class);
        Ok(Self {
            dimensions,
            euclidean: parameters.discriminant == Discriminant::Euclidean,
            embedding,
            panels: array(slots.saturating_mul(dimensions), 0.0)?,
            offsets,
            slot_of: class_at.clone(),
            class_at,
            class_sums: array(classes, 0.0)?,
            sums: array(sums, 0.0)?,
        })
    }

    /// Number of classes.
    #[must_use]
    pub(crate) fn classes(&self) -> usize {
        self.class_at.len()
    }

    /// Bytes held.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.embedding.capacity()
            + self.panels.capacity()
            + self.offsets.capacity()
            + self.class_at.capacity()
            + self.slot_of.capacity()
            + self.class_sums.capacity()
            + self.sums.capacity();
        4 * numbers
    }

    /// Deals the slots anew.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn deal(&mut self, dice: &mut Stream) -> Result<(), TrainError> {
        let mut class_at = self.class_at.clone();
        dice.shuffle(&mut class_at);
        let mut panels = array(self.panels.len(), 0.0)?;
        let mut offsets = array(self.offsets.len(), f32::NEG_INFINITY)?;
        for (slot, &class) in class_at.iter().enumerate() {
            let before = self.slot_of[class as usize] as usize;
            offsets[slot] = self.offsets[before];
            let (from, to) = (place(before, self.dimensions), place(slot, self.dimensions));
            let old = self.panels[from..].iter().step_by(LANES);
            let new = panels[to..].iter_mut().step_by(LANES);
            new.zip(old)
                .take(self.dimensions)
                .for_each(|(new, old)| *new = *old);
        }
        for (slot, &class) in (0..).zip(&class_at) {
            self.slot_of[class as usize] = slot;
        }
        (self.panels, self.offsets, self.class_at) = (panels, offsets, class_at);
        Ok(())
    }

    /// Copies the prototype of `class` to `out`.
    pub(crate) fn prototype(&self, class: u32, out: &mut [f32]) {
        let slot = self.slot_of[class as usize] as usize;
        let start = place(slot, self.dimensions);
        let coordinates = self.panels[start..].iter().step_by(LANES);
        out.iter_mut()
            .zip(coordinates)
            .for_each(|(out, at)| *out = *at);
    }

    /// What is added to the inner products of `class`: minus its squared length for distances.
    #[cfg(test)]
    pub(crate) fn offset(&self, class: u32) -> f32 {
        self.offsets[self.slot_of[class as usize] as usize]
    }

    /// What ranks a slot at `point`: the inner product, or twice that minus the squared length,
    /// which is the negative squared distance but for a number that all classes share.
    #[inline(always)]
    #[must_use]
    pub(crate) fn score(&self, slot: usize, point: &[f32]) -> f32 {
        self.ranked(panels::dot(&self.panels, slot, point), self.offsets[slot])
    }

    /// [`Space::score`] of an inner product and an offset.
    #[inline(always)]
    pub(super) fn ranked(&self, product: f32, offset: f32) -> f32 {
        if self.euclidean {
            2.0 * product + offset
        } else {
            product + offset
        }
    }

    /// One step of a class that answered `point`: toward it if `pull` is positive, away if it is
    /// negative; `size` is the step size λ.
    #[inline(always)]
    pub(super) fn step_class(
        &mut self,
        class: u32,
        point: &[f32],
        pull: f32,
        rule: &StepRule,
        gradient: &mut [f32],
    ) {
        let slot = self.slot_of[class as usize] as usize;
        let start = place(slot, self.dimensions);
        // The gradient of the loss: -pull z, or 2 pull (beta - z).
        if self.euclidean {
            let coordinates = self.panels[start..].iter().step_by(LANES);
            for ((g, &z), &beta) in gradient.iter_mut().zip(point).zip(coordinates) {
                *g = 2.0 * pull * (beta - z);
            }
        } else {
            gradient
                .iter_mut()
                .zip(point)
                .for_each(|(g, &z)| *g = -pull * z);
        }
        let mut size = rule.size;
        if rule.adaptive {
            let mean = square(gradient) / self.dimensions as f32;
            let sum = &mut self.class_sums[class as usize];
            *sum += mean;
            // A gradient of 0 makes no step: so nothing is ever divided by 0.
            if *sum <= 0.0 {
                return;
            }
            size /= float::sqrt_f32(*sum);
        }
        let coordinates = self.panels[start..].iter_mut().step_by(LANES);
        let mut length = 0f32;
        for (beta, &g) in coordinates.zip(&*gradient) {
            *beta -= size * g;
            length += *beta * *beta;
        }
        if rule.max_norm > 0.0 && length > rule.max_norm * rule.max_norm {
            let factor = rule.max_norm / float::sqrt_f32(length);
            let coordinates = self.panels[start..].iter_mut().step_by(LANES);
            coordinates
                .take(self.dimensions)
                .for_each(|beta| *beta *= factor);
            length *= factor * factor;
        }
        if self.euclidean {
            self.offsets[slot] = -length;
        }
    }
}

/// How a step is made, at one moment of training.
#[derive(Clone, Copy, Debug)]
pub struct StepRule {
    /// The step size λ.
    pub size: f32,
    /// Whether AdaGrad divides it.
    pub adaptive: bool,
    /// The longest vector, or 0.
    pub max_norm: f32,
}

/// The steps of the classes of a visit that found violators.
#[inline(always)]
pub fn step_classes(space: &mut Space, visited: &Visited, rule: &StepRule, gradient: &mut [f32]) {
    space.step_class(
        visited.positive,
        &visited.point,
        visited.weight,
        rule,
        gradient,
    );
    for &(class, weight) in &visited.violators {
        space.step_class(class, &visited.point, -weight, rule, gradient);
    }
}
