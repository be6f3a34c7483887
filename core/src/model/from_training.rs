//! Models of trainings whose loop the caller owned.

use super::{
    Linear, LinearTraining, Method, Model, Nearest,
    linear::{LinearModel, fused::FusedNearest},
};
use crate::{
    data::Dataset,
    model::Provenance,
    parameters::{memoir::Memoir, one_vs_rest::OneVsRest},
    text::Vectorizer,
};

impl Model {
    /// The model of neighbors among the rows of `data`.
    #[must_use]
    pub fn from_nearest(nearest: Nearest, data: &Dataset, vectorizer: Option<Vectorizer>) -> Self {
        let provenance = Provenance::new("nearest", data, 0);
        Self::new(Method::Nearest(nearest), data, vectorizer, provenance)
    }

    /// The model of weights that one-vs-rest with `parameters` made of `data`.
    #[must_use]
    pub fn from_ovr(
        weights: LinearModel,
        parameters: &OneVsRest,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
    ) -> Self {
        let provenance = Provenance::new("ovr", data, parameters.seed);
        let training = LinearTraining::OneVsRest(parameters.clone());
        let linear = Linear::from_training(weights, training, data);
        Self::new(Method::Linear(linear), data, vectorizer, provenance)
    }

    /// The model of weights and neighbors that answer together.
    #[must_use]
    pub fn from_fused(
        parts: (LinearModel, FusedNearest),
        parameters: &OneVsRest,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
    ) -> Self {
        let provenance = Provenance::new("ovr", data, parameters.seed);
        let linear = Linear::from_fused(parts, parameters, data);
        Self::new(Method::Linear(linear), data, vectorizer, provenance)
    }

    /// The model of weights that MEMOIR with `parameters` made of `data`.
    #[must_use]
    pub fn from_memoir(
        weights: LinearModel,
        parameters: &Memoir,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
    ) -> Self {
        let provenance = Provenance::new(parameters.name(), data, parameters.seed);
        let training = LinearTraining::Memoir(parameters.clone());
        let linear = Linear::from_training(weights, training, data);
        Self::new(Method::Linear(linear), data, vectorizer, provenance)
    }
}
