//! Weights that are handed out feature by feature.

use super::{lee_lin_wahba::LeeLinWahba, problem::Problem};
use crate::model::linear::LinearModel;
use crate::train::multiclass::class_weights::ClassWeights;
use alloc::{vec, vec::Vec};

/// Weights of all classes, by feature.
pub trait ByFeature: Sync {
    /// Hands classes, each once, and their weights for a feature to `each`; those that are left out
    /// are 0.
    fn visit_feature(&self, feature: usize, each: impl FnMut(u32, f32));
}

impl ByFeature for ClassWeights {
    fn visit_feature(&self, feature: usize, each: impl FnMut(u32, f32)) {
        self.visit(feature, each);
    }
}

impl ByFeature for LeeLinWahba {
    fn visit_feature(&self, feature: usize, mut each: impl FnMut(u32, f32)) {
        for (class, weight) in (0..).zip(self.weights(feature)) {
            each(class, weight as f32);
        }
    }
}

/// The weights of a model as they are stored, and its biases as those of the constant feature.
pub struct Stored<'a> {
    problem: &'a Problem,
    model: &'a LinearModel,
    /// The class of each label that has one.
    classes: Vec<u32>,
}

impl<'a> Stored<'a> {
    /// Of a model that a problem led to.
    pub(crate) fn new(problem: &'a Problem, model: &'a LinearModel) -> Self {
        let mut classes = vec![0; model.labels() as usize];
        for (class, &label) in (0..).zip(problem.labels()) {
            classes[label as usize] = class;
        }
        Self {
            problem,
            model,
            classes,
        }
    }

    /// How many classes have a weight for a feature.
    pub(crate) fn count(&self, feature: usize) -> usize {
        match self.problem.feature_ids().get(feature) {
            Some(&id) => self.model.count(id),
            None => self.problem.classes(),
        }
    }
}

impl ByFeature for Stored<'_> {
    fn visit_feature(&self, feature: usize, mut each: impl FnMut(u32, f32)) {
        if let Some(&id) = self.problem.feature_ids().get(feature) {
            self.model.visit(id, |label, weight| {
                let scale = self.model.parts().scales[label as usize];
                each(self.classes[label as usize], f32::from(weight) * scale);
            });
        } else {
            for (class, &label) in (0..).zip(self.problem.labels()) {
                let bias = f64::from(self.model.bias(label));
                each(class, (bias / self.problem.bias()) as f32);
            }
        }
    }
}
