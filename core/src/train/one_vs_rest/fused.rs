//! What answers beside the machines of one-vs-rest: trained on the same rows, its scores added by
//! weight.

use crate::{
    data::Dataset,
    executor::Executor,
    float,
    kernels::Kernels,
    model::{
        Embedding, Linear, Method, Model, Provenance,
        linear::{FusedEmbedding, LinearModel, fused::FusedNearest},
    },
    parameters::{
        ParamError, ParamRule, linear::LinearTraining, one_vs_rest::OneVsRest, wsabie::Wsabie,
    },
    text::Vectorizer,
    train::{TrainError, embedding::given_vectors::Prototypes},
};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// What the record of a model calls the weight of prototypes over given vectors.
pub(crate) const VECTORS: &str = "weight of given vectors";

/// The weights of what answers beside the machines; 0 for what does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FusedWeights {
    /// What a share of 1 of the votes of nearest neighbors adds to a score.
    pub neighbors: f32,
    /// How many times the score of an embedding counts: negative squared distances between rows and
    /// labels in a few dimensions ([`Wsabie::distances`]).
    pub embedding: f32,
}

impl FusedWeights {
    /// The model of the machines that `parameters` made of `data`, and of what answers beside them,
    /// which is trained here.
    ///
    /// # Errors
    /// As [`Nearest::train`](crate::model::Nearest) and [`Model::train_embedding`]; a weight that
    /// is negative or not finite.
    pub fn model(
        self,
        machines: LinearModel,
        parameters: &OneVsRest,
        rows: (&Dataset, Option<Vectorizer>),
        executor: &Executor,
        kernels: &dyn Kernels,
    ) -> Result<Model, TrainError> {
        let machine = (executor, kernels);
        self.model_with(machines, parameters, rows, None, machine)
    }

    /// The same with prototypes over given vectors, whose scores count so many times.
    pub(crate) fn model_with(
        self,
        machines: LinearModel,
        parameters: &OneVsRest,
        (data, vectorizer): (&Dataset, Option<Vectorizer>),
        vectors: Option<(&dyn Prototypes, f32)>,
        (executor, kernels): (&Executor, &dyn Kernels),
    ) -> Result<Model, TrainError> {
        let nearest = match self.neighbors {
            0.0 => None,
            weight => {
                let weight = checked("neighbors", weight)?;
                FusedNearest::new(FusedNearest::neighbors(data)?, weight)
            }
        };
        let mut embeddings = Vec::new();
        if self.embedding != 0.0 {
            let weight = checked("embedding", self.embedding)?;
            let made = embedding(data, parameters.seed, executor, kernels)?;
            embeddings.extend(FusedEmbedding::new(made, weight));
        }
        let mut provenance = Provenance::new("ovr", data, parameters.seed);
        let vectors = vectors.filter(|&(_, weight)| weight != 0.0);
        if let Some((vectors, weight)) = vectors {
            let made = vectors.train(data, parameters.seed, executor, kernels)?;
            embeddings.extend(FusedEmbedding::new(made, weight));
            // As a decimal of six places, which f32 has not.
            let decimal = float::ceil(f64::from(weight) * 1e6 - 0.5) / 1e6;
            provenance.report.push((VECTORS.into(), decimal));
        }
        let training = LinearTraining::OneVsRest(parameters.clone());
        let linear = Linear::new(machines, training, data).with(nearest, embeddings);
        Ok(Model::new(
            Method::Linear(linear),
            data,
            vectorizer,
            provenance,
        ))
    }
}

/// A weight that a fused model can have.
fn checked(name: &'static str, weight: f32) -> Result<f32, ParamError> {
    let most = f64::from(crate::model::linear::fused::MOST_WEIGHT);
    let rule = ParamRule::AtMost(most, "beyond which linear scores are lost");
    ParamError::check(name, f64::from(weight), ParamRule::AtLeast(0.0))?;
    ParamError::check(name, f64::from(weight), rule)?;
    Ok(weight)
}

/// The embedding that answers beside the machines.
pub(super) fn embedding(
    data: &Dataset,
    seed: u64,
    executor: &Executor,
    kernels: &dyn Kernels,
) -> Result<Embedding, TrainError> {
    let wsabie = Wsabie {
        seed,
        ..Wsabie::distances()
    };
    Embedding::train_wsabie(wsabie, data, executor, kernels)
}

/// About the bytes of a file that it takes: of each feature and each label a vector and its scale,
/// of each label an offset.
pub(super) fn embedding_bytes(data: &Dataset) -> u64 {
    let Wsabie {
        dimensions,
        models,
        bits,
        ..
    } = Wsabie::distances();
    let labels = u64::from(data.labels().labels());
    let vectors = u64::from(data.rows().features()) + labels;
    let bytes = u64::from(dimensions * models * bits) / 8 + 4;
    vectors * bytes + 4 * labels
}

/// What training it costs, in visits of a stored value by a label, about a nanosecond each: every
/// row looks at most labels in each of ten passes, and moves its features.
pub(super) fn embedding_visits(data: &Dataset) -> f64 {
    let cells = f64::from(data.labels().labels()) * data.len() as f64;
    4.5 * cells + 60.0 * data.rows().nonzeros() as f64
}

#[cfg(test)]
mod tests {
    use super::{FusedWeights, embedding};
    use crate::{
        executor::Sequential,
        kernels::Portable,
        model::{Method, Model, Scratch},
        parameters::one_vs_rest::OneVsRest,
        search::Scored,
        sparse::{SparseRows, SparseVec},
        train::{embedding::given_vectors::Prototypes, multiclass::problem::tests::random_data},
    };
    use alloc::vec::Vec;
    use core::ops::ControlFlow;

    /// A model with these weights, of data with a label that has no rows.
    fn model(fused: FusedWeights, vectors: f32) -> (Model, crate::data::Dataset) {
        let data = random_data(150, 30, 40, 1);
        let parameters = OneVsRest::default();
        let go_on = |_| ControlFlow::Continue(());
        let linear = parameters.train(&data, &Sequential, &Portable, go_on);
        let (given, machine) = (given(), (&Sequential as _, &Portable as _));
        let over = Some((&given as _, vectors));
        let model = fused.model_with(linear.unwrap(), &parameters, (&data, None), over, machine);
        (model.unwrap(), data)
    }

    /// Vectors of half of the features.
    fn given() -> SparseRows {
        let mut vectors = SparseRows::new(2);
        for feature in 0..30u8 {
            let size = if feature < 10 { 0.0 } else { 1.0 };
            let vector = [(0, size * f32::from(feature % 4)), (1, size)];
            let vector = SparseVec::from_pairs(vector).unwrap();
            vectors.push(vector.view()).unwrap();
        }
        vectors
    }

    #[test]
    fn every_label_has_the_sum_of_the_scores_of_all_parts() {
        let fused = FusedWeights {
            neighbors: 0.75,
            embedding: 0.3,
        };
        let (mut whole, data) = model(fused, 0.5);
        let alone = model(FusedWeights::default(), 0.0).0;
        let seed = OneVsRest::default().seed;
        let embedded = embedding(&data, seed, &Sequential, &Portable).unwrap();
        let over = given().train(&data, seed, &Sequential, &Portable).unwrap();
        let Method::Linear(linear) = whole.method().clone() else {
            panic!("a linear model");
        };
        let near = linear.nearest().unwrap().nearest();
        let mut scratch = Scratch::default();
        for prepared in [false, true] {
            if prepared {
                whole.prepare().unwrap();
            }
            for row in data.rows().iter().take(40) {
                // The twin: all scores of each part, added up and sorted.
                let labels = data.labels().labels() as usize;
                let mut expected = alone.predict(row, labels, &mut scratch).unwrap().to_vec();
                let points = &mut scratch.embedding;
                let points = embedded.model().predict(row, labels, points).to_vec();
                let space = &mut scratch.embedding;
                let given = over.model().predict(row, labels, space).to_vec();
                let shares = near.shares(row, &mut scratch.nearest).unwrap().to_vec();
                let of = |list: &[Scored], id| list.iter().find(|s| s.id == id).map(|s| s.score);
                for label in &mut expected {
                    label.score += 0.3 * of(&points, label.id).unwrap();
                    label.score += 0.5 * of(&given, label.id).unwrap();
                    label.score = label.score.max(f32::MIN);
                    if let Some(share) = of(&shares, label.id) {
                        label.score += 0.75 * share;
                    }
                }
                expected.sort_by(crate::search::rank);
                for k in [1, 3, labels] {
                    let found = whole.predict(row, k, &mut scratch).unwrap();
                    assert_eq!(found, &expected[..k]);
                }
            }
        }
    }

    #[test]
    fn weights_that_mean_nothing_are_refused() {
        let data = random_data(40, 8, 12, 1);
        let parameters = OneVsRest::default();
        let go_on = |_| ControlFlow::Continue(());
        let linear = parameters
            .train(&data, &Sequential, &Portable, go_on)
            .unwrap();
        for weight in [f32::NAN, -1.0, f32::INFINITY, 1e7] {
            let with: Vec<FusedWeights> = [(weight, 0.0), (0.0, weight)]
                .map(|(neighbors, embedding)| FusedWeights {
                    neighbors,
                    embedding,
                })
                .into();
            for fused in with {
                let rows = (&data, None);
                let made = fused.model(linear.clone(), &parameters, rows, &Sequential, &Portable);
                assert!(made.is_err(), "{fused:?}");
            }
        }
    }
}
