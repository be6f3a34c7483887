//! The state of direct training: prototypes as weights with a factor, and the draws of a part of an
//! epoch.

use super::rows::Rows;
use crate::parameters::sampled::Sampled;
use crate::{
    data::Dataset,
    executor::Executor,
    float,
    model::embedding::build::Vectors,
    random::Stream,
    train::{TrainError, error::array},
};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Draws that are made at a time.
pub(super) const PART: usize = 1 << 20;

/// A row drawn for a label.
#[derive(Clone, Copy, Debug)]
struct Draw {
    label: u32,
    row: u32,
    positive: bool,
}

/// The prototypes in training.
pub(super) struct State<'a> {
    pub(super) parameters: Sampled,
    data: &'a Dataset,
    pub(super) rows: Rows,
    /// Prototypes by label, but for a factor.
    pub(super) weights: Vec<f32>,
    pub(super) labels: Vec<Label>,
    drawn: Vec<Draw>,
}

/// What a label knows beside its weights.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Label {
    /// The prototype is this times the weights.
    factor: f64,
    /// Its squared length.
    square: f64,
    /// The sum of mean squared gradients.
    sum: f64,
}

impl Label {
    pub(super) fn is_sound(&self) -> bool {
        let all = [self.factor, self.square, self.sum];
        all.iter().all(|number| number.is_finite()) && self.factor > 0.0
    }
}

const FRESH: Label = Label {
    factor: 1.0,
    square: 0.0,
    sum: 0.0,
};

impl<'a> State<'a> {
    pub(super) fn new(parameters: &Sampled, data: &'a Dataset) -> Result<Self, TrainError> {
        let rows = Rows::new(data, parameters.transform())?;
        let (features, labels) = (
            data.rows().features() as usize,
            data.labels().labels() as usize,
        );
        Ok(Self {
            parameters: parameters.clone(),
            data,
            rows,
            weights: array(features.saturating_mul(labels), 0.0)?,
            labels: array(labels, FRESH)?,
            drawn: Vec::new(),
        })
    }

    /// Draws for the rows of the order from place `done` on, and returns up to where.
    pub(super) fn draw(&mut self, order: &[u32], mut done: usize, dice: &mut Stream) -> usize {
        let all = u64::from(self.data.labels().labels());
        self.drawn.clear();
        while let Some(&row) = order.get(done)
            && self.drawn.len() < PART
        {
            let own = self.data.labels().row(row as usize);
            for &label in own {
                self.drawn.push(Draw {
                    label,
                    row,
                    positive: true,
                });
                for _ in 1..self.parameters.draws_a_label() {
                    // Rows that carry all labels are not in the order, so this ends.
                    let negative = loop {
                        let label = dice.below(all) as u32;
                        if own.binary_search(&label).is_err() {
                            break label;
                        }
                    };
                    self.drawn.push(Draw {
                        label: negative,
                        row,
                        positive: false,
                    });
                }
            }
            done += 1;
        }
        done
    }

    /// Trains every label on its draws, side by side.
    pub(super) fn train_labels(&mut self, executor: &Executor) -> usize {
        let mut drawn = core::mem::take(&mut self.drawn);
        // Stable: the draws of a label stay in their order.
        drawn.sort_by_key(|draw| draw.label);
        let runs: Vec<&[Draw]> = drawn.chunk_by(|a, b| a.label == b.label).collect();
        let features = self.data.rows().features() as usize;
        let mut violated = 0;
        // Copies of at most this many prototypes at a time.
        for some in runs.chunks(32 * executor.threads().max(1)) {
            let this = &*self;
            let trained = executor.map(
                some.len(),
                || (),
                |(), job| {
                    let at = some[job][0].label as usize;
                    let mut weights = this.weights[at * features..][..features].to_vec();
                    let mut label = this.labels[at];
                    let mut steps = 0;
                    for draw in some[job] {
                        steps += usize::from(this.train_one(*draw, &mut label, &mut weights));
                    }
                    (label, weights, steps)
                },
            );
            for (run, (label, weights, steps)) in some.iter().zip(trained) {
                let at = run[0].label as usize;
                self.labels[at] = label;
                self.weights[at * features..][..features].copy_from_slice(&weights);
                violated += steps;
            }
        }
        self.drawn = drawn;
        violated
    }

    /// One draw of one label: whether it made a step.
    fn train_one(&self, draw: Draw, label: &mut Label, weights: &mut [f32]) -> bool {
        let (features, values) = self.rows.row(self.data, draw.row as usize);
        let score = label.factor * product(features, values, weights);
        let sign = if draw.positive { 1.0 } else { -1.0 };
        let violated = self.parameters.margin - sign * score > 0.0;
        if violated {
            self.step(sign, score, (features, values), label, weights);
        }
        violated
    }

    fn step(
        &self,
        sign: f64,
        score: f64,
        row: (&[u32], &[f32]),
        label: &mut Label,
        weights: &mut [f32],
    ) {
        let length: f64 = row.1.iter().map(|&v| f64::from(v) * f64::from(v)).sum();
        label.sum += length / self.rows.mean_values();
        let size = sign * self.parameters.step_size / float::sqrt(label.sum.max(f64::MIN_POSITIVE));
        let own = (size / label.factor) as f32;
        for (&feature, &value) in row.0.iter().zip(row.1) {
            weights[feature as usize] += own * value;
        }
        label.square = (label.square + 2.0 * size * score + size * size * length).max(0.0);
        let most = self.parameters.max_norm;
        if most > 0.0 && label.square > most * most {
            label.factor *= most / float::sqrt(label.square);
            label.square = most * most;
            if label.factor < 1e-6 {
                weights
                    .iter_mut()
                    .for_each(|weight| *weight *= label.factor as f32);
                label.factor = 1.0;
            }
        }
    }

    /// Trains the drawn pairs, one after the other.
    pub(super) fn train_pairs(&mut self) -> usize {
        let features = self.data.rows().features() as usize;
        let drawn = core::mem::take(&mut self.drawn);
        let mut weights = core::mem::take(&mut self.weights);
        let mut violated = 0;
        for pair in drawn.as_chunks::<2>().0 {
            let row = self.rows.row(self.data, pair[0].row as usize);
            let scores = pair.map(|draw| {
                let at = draw.label as usize;
                self.labels[at].factor
                    * product(row.0, row.1, &weights[at * features..][..features])
            });
            if self.parameters.margin - scores[0] + scores[1] <= 0.0 {
                continue;
            }
            violated += 1;
            for ((draw, score), sign) in pair.iter().zip(scores).zip([1.0, -1.0]) {
                let at = draw.label as usize;
                let mut label = self.labels[at];
                self.step(
                    sign,
                    score,
                    row,
                    &mut label,
                    &mut weights[at * features..][..features],
                );
                self.labels[at] = label;
            }
        }
        self.weights = weights;
        self.drawn = drawn;
        violated
    }

    pub(super) fn finish(mut self) -> Vectors {
        let dimensions = self.data.rows().features() as usize;
        for (weights, label) in self.weights.chunks_mut(dimensions).zip(&self.labels) {
            weights
                .iter_mut()
                .for_each(|weight| *weight = (f64::from(*weight) * label.factor) as f32);
        }
        Vectors {
            dimensions,
            embedding: Vec::new(),
            features: None,
            prototypes: self.weights,
        }
    }
}

/// The inner product of a row with weights, summed in the order of features.
fn product(features: &[u32], values: &[f32], weights: &[f32]) -> f64 {
    let mut sum = 0f64;
    for (&feature, &value) in features.iter().zip(values) {
        sum += f64::from(value * weights[feature as usize]);
    }
    sum
}
