//! What held-out rows answer to one trained model, whatever is added to its scores: the weights of
//! centroids, priors and neighbors are found without training again.
//!
//! For each row the labels that come first by the model, by the centroids or by the neighbors are
//! listed with the score that each part gives them. A mix of the parts ranks these; what is first
//! by the sum is, but for rare cases, first by one of them.

use super::super::{fused::FusedWeights, trainer::prior};
use crate::{
    data::{Dataset, LabelLists},
    executor::Executor,
    kernels::Kernels,
    model::{
        embedding::{Embedding, EmbeddingScratch},
        linear::{
            LinearModel,
            fused_embedding::{ByEmbedding, LEARNED},
            scorer::{LinearScorer, ScorerScratch},
        },
        nearest::{Nearest, NearestScratch},
    },
    search::{Scored, Top},
    train::{TrainError, precision::Tally},
};
use alloc::{vec, vec::Vec};
use core::array;

/// What is added to the scores of a linear model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Mix {
    /// The weight of centroids.
    pub centroid: f64,
    /// The weight of priors.
    pub prior: f64,
    /// The weight of softmax regression over the stored weights.
    pub softmax: f64,
    /// The weights of embeddings.
    pub embeddings: ByEmbedding<f32>,
    /// The weight of neighbors.
    pub neighbors: f32,
}

impl Mix {
    /// What of it is no part of the machines' own weights.
    pub(super) fn fused(self) -> FusedWeights {
        FusedWeights {
            neighbors: self.neighbors,
            embedding: self.embeddings[LEARNED],
        }
    }
}

/// A label that may be among the first, and what each part says of it.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    label: u32,
    linear: f32,
    centroid: f32,
    softmax: f32,
    embeddings: ByEmbedding<f32>,
    priors: [f32; 2],
    share: f32,
}

/// The candidates of all rows.
#[derive(Default)]
pub(super) struct Candidates {
    ends: Vec<usize>,
    all: Vec<Candidate>,
}

/// Labels taken from each part.
const FIRST: usize = 32;

/// Answers that are judged.
pub(super) const DEPTH: usize = 5;

/// The parts beside the linear model.
pub(super) struct Beside<'a> {
    /// What is in the linear model already: a mix counts from there.
    pub within: Mix,
    /// Weights that are the directions of the labels' mean rows, if mixes differ in them.
    pub centroids: Option<&'a LinearModel>,
    /// Those of softmax regression, if there are any.
    pub softmax: Option<&'a LinearModel>,
    /// Embeddings, if there are any.
    pub embeddings: &'a [Option<Embedding>],
    /// Neighbors, if they are asked.
    pub nearest: Option<&'a Nearest>,
    /// Training rows of each label.
    pub frequencies: &'a [u32],
}

impl Candidates {
    /// Those of the rows of `test`.
    pub(crate) fn new(
        linear: &LinearModel,
        beside: &Beside<'_>,
        test: &Dataset,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<Self, TrainError> {
        let parts = [Some(linear), beside.centroids, beside.softmax];
        let mut scorers: [Option<LinearScorer>; 3] = [None, None, None];
        for (made, part) in scorers.iter_mut().zip(parts) {
            *made = part.map(scorer).transpose()?;
        }
        let scratch = || {
            (
                <[ScorerScratch; 3]>::default(),
                NearestScratch::new(kernels),
                EmbeddingScratch::new(kernels),
                <ByEmbedding<Vec<f32>>>::default(),
                (Vec::new(), Top::default()),
            )
        };
        let labels = linear.labels() as usize;
        let priors: Vec<[f32; 2]> = beside.frequencies.iter().map(priors).collect();
        let found = executor.map(test.len(), scratch, |scratch, row| {
            let (scratch, nearest, space, embedded, (ids, top)) = scratch;
            let features = test.rows().row(row);
            let shares: &[Scored] = match beside.nearest {
                Some(near) => near.shares(features, nearest)?,
                None => &[],
            };
            ids.clear();
            ids.extend(shares.iter().map(|share| share.id));
            let present = scorers.iter().zip(scratch.iter_mut());
            for (scorer, scratch) in present.filter_map(|(s, own)| Some((s.as_ref()?, own))) {
                let best = scorer.predict(features, FIRST, kernels, scratch);
                ids.extend(best.iter().map(|scored| scored.id));
            }
            for (embedded, of) in embedded.iter_mut().zip(beside.embeddings) {
                if let Some(embedding) = of {
                    embedded.clear();
                    embedded.resize(labels, 0.0);
                    embedding.model().add_scores(features, 1.0, embedded, space);
                    ids.extend(first(embedded, top).iter().map(|scored| scored.id));
                }
            }
            ids.sort_unstable();
            ids.dedup();
            let [linear, centroid, softmax] = [0, 1, 2].map(|part: usize| {
                let Some(scorer) = &scorers[part] else {
                    return vec![0.0; ids.len()];
                };
                let wanted = ids.iter().copied();
                let (_, scores) =
                    scorer.predict_with(features, 1, wanted, kernels, &mut scratch[part]);
                scores.to_vec()
            });
            let of = |(at, &label): (usize, &u32)| Candidate {
                label,
                linear: linear[at]
                    - beside.within.centroid as f32 * centroid[at]
                    - held_back(beside.within.prior, priors[label as usize]),
                centroid: centroid[at],
                softmax: softmax[at],
                embeddings: array::from_fn(|at| *embedded[at].get(label as usize).unwrap_or(&0.0)),
                priors: priors[label as usize],
                share: shares
                    .binary_search_by_key(&label, |share| share.id)
                    .map_or(0.0, |at| shares[at].score),
            };
            Ok::<Vec<Candidate>, TrainError>(ids.iter().enumerate().map(of).collect())
        });
        let mut candidates = Self::default();
        for row in found {
            candidates.all.extend(row?);
            candidates.ends.push(candidates.all.len());
        }
        Ok(candidates)
    }

    /// Counts the answers of the mix, `truth` being the labels of the rows.
    pub(crate) fn judge(&self, mix: Mix, truth: &LabelLists, top: &mut Top, tally: &mut Tally) {
        self.answers(mix, DEPTH, top, |row, best| {
            tally.count(best, truth.row(row));
        });
    }

    /// The first `k` answers of the mix to each row.
    pub(crate) fn answers(
        &self,
        mix: Mix,
        k: usize,
        top: &mut Top,
        mut answered: impl FnMut(usize, &[Scored]),
    ) {
        let [centroid, softmax] = [mix.centroid, mix.softmax].map(|w| w as f32);
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            top.reset(k);
            for of in &self.all[start..end] {
                let mut score = of.linear
                    + centroid * of.centroid
                    + held_back(mix.prior, of.priors)
                    + softmax * of.softmax;
                for (weight, embedding) in mix.embeddings.iter().zip(&of.embeddings) {
                    score += weight * embedding;
                }
                top.push(Scored {
                    id: of.label,
                    score: score + mix.neighbors * of.share,
                });
            }
            answered(row, top.sorted());
            start = end;
        }
    }
}

/// The labels that come first by these scores.
fn first<'t>(scores: &[f32], top: &'t mut Top) -> &'t [Scored] {
    top.reset(FIRST);
    let scored = (0..).zip(scores);
    scored.for_each(|(id, &score)| top.push(Scored { id, score }));
    top.sorted()
}

fn scorer(model: &LinearModel) -> Result<LinearScorer, TrainError> {
    LinearScorer::new(model).map_err(|_| TrainError::OutOfMemory {
        bytes: model.bytes() as u64,
    })
}

/// What priors of 1 and of -1 add to the score of a label of so many rows.
fn priors(rows: &u32) -> [f32; 2] {
    match *rows {
        0 => [0.0; 2],
        rows => [1.0, -1.0].map(|weight| prior(weight, rows as usize) as f32),
    }
}

/// What a prior adds to a score, given what 1 and -1 do.
fn held_back(prior: f64, [above, below]: [f32; 2]) -> f32 {
    match prior > 0.0 {
        true => prior as f32 * above,
        false => -prior as f32 * below,
    }
}

#[cfg(test)]
mod tests {
    use super::{Beside, Candidates, Mix};
    use crate::{
        data::Dataset,
        executor::Sequential,
        kernels::Portable,
        model::{
            embedding::EmbeddingScratch,
            linear::{LinearModel, LinearScratch, fused::FusedNearest},
            nearest::NearestScratch,
        },
        parameters::one_vs_rest::OneVsRest,
        search::{Scored, Top},
        train::{
            embedding::given_vectors::Prototypes,
            multiclass::problem::tests::random_data,
            one_vs_rest::{centroids::centroids, fused::embedding, trainer},
            precision::Tally,
            softmax::SoftmaxTraining,
        },
    };
    use alloc::vec::Vec;
    use core::ops::ControlFlow;

    /// Machines with centroids and priors.
    fn trained(data: &Dataset) -> (OneVsRest, LinearModel) {
        let parameters = OneVsRest {
            centroid: 0.3,
            prior: 0.2,
            ..OneVsRest::default()
        };
        let go_on = |_| ControlFlow::Continue(());
        let machines = parameters.train(data, &Sequential, &Portable, go_on);
        (parameters, machines.unwrap())
    }

    #[test]
    fn a_mix_ranks_as_the_sum_of_all_scores_of_all_labels() {
        // Fewer labels than each part proposes: all of them are candidates.
        let data = random_data(200, 12, 10, 2);
        let (parameters, linear) = trained(&data);
        let near = FusedNearest::neighbors(&data).unwrap();
        let centroids = centroids(&parameters, &data, &Sequential).unwrap();
        let frequencies = data.labels().frequencies();
        let mut training = SoftmaxTraining::new(&linear, &data, 1).unwrap();
        while training.step(&Sequential, &Portable) {}
        let second = training.alone(&linear, 8).unwrap();
        let embedded = [
            embedding(&data, 1, &Sequential, &Portable).ok(),
            data.rows().train(&data, 1, &Sequential, &Portable).ok(),
        ];
        let beside = Beside {
            within: Mix {
                centroid: 0.3,
                prior: 0.2,
                ..Mix::default()
            },
            centroids: Some(&centroids),
            softmax: Some(&second),
            embeddings: &embedded,
            nearest: Some(&near),
            frequencies: &frequencies,
        };
        let candidates = Candidates::new(&linear, &beside, &data, &Sequential, &Portable).unwrap();
        let mut scratch = (LinearScratch::default(), NearestScratch::default());
        let mut space = EmbeddingScratch::default();
        for (centroid, prior, softmax, embeddings, neighbors) in [
            (0.0, 0.0, 0.0, [0.0, 0.0], 0.0),
            (0.5, 0.3, 0.1, [0.2, 0.3], 0.75),
            (0.0, -1.0, 0.3, [0.0, 0.6], 1.5),
            (0.0, 0.0, 0.0, [0.6, 0.0], 0.0),
        ] {
            let mix = Mix {
                centroid,
                prior,
                softmax,
                embeddings: core::array::from_fn(|at| embeddings[at]),
                neighbors,
            };
            let mut expected = Tally::of(data.labels());
            for (row, truth) in data.rows().iter().zip(data.labels().iter()) {
                let scores = linear.predict(row, 12, &mut scratch.0).to_vec();
                let cosines = centroids.predict(row, 12, &mut scratch.0).to_vec();
                let seconds = second.predict(row, 12, &mut scratch.0).to_vec();
                let [points, given] = embedded.each_ref().map(|part| {
                    let model = part.as_ref().unwrap().model();
                    model.predict(row, 12, &mut space).to_vec()
                });
                let shares = near.shares(row, &mut scratch.1).unwrap();
                let of =
                    |list: &[Scored], id| list.iter().find(|s| s.id == id).map_or(0.0, |s| s.score);
                let mut all: Vec<Scored> = scores
                    .iter()
                    .map(|s| Scored {
                        id: s.id,
                        score: s.score
                            - 0.3 * of(&cosines, s.id)
                            - trainer::prior(0.2, frequencies[s.id as usize] as usize) as f32
                            + centroid as f32 * of(&cosines, s.id)
                            + trainer::prior(prior, frequencies[s.id as usize] as usize) as f32
                            + mix.softmax as f32 * of(&seconds, s.id)
                            + embeddings[0] * of(&points, s.id)
                            + embeddings[1] * of(&given, s.id)
                            + neighbors * of(shares, s.id),
                    })
                    .collect();
                all.sort_by(crate::search::rank);
                expected.count(&all[..5], truth);
            }
            let mut found = Tally::of(data.labels());
            candidates.judge(mix, data.labels(), &mut Top::default(), &mut found);
            assert_eq!(found, expected, "{mix:?}");
        }
    }
}
