//! Labels trained directly on features by sampling: one against all, or in pairs.
//!
//! Problem: find `beta_g` (D) for each of L labels, so that f_g = beta_g . x is large for rows of g and small for others,
//! |beta_g| <= C. Steps are AdaGrad's with one sum a label: `A_g += |x|²/d` with d the mean number of stored
//! values, and `beta_g += λ s x / sqrt(A_g)`, after which the prototype is put back into the ball.
//!
//! * One against all: an epoch takes every label y of every row, and for each draws `balance` labels the row does not
//!   carry; a label g with target s = +1 for y, -1 for the others steps if `b - s f_g > 0`. Labels depend on nothing
//!   but their draws, so they are trained side by side.
//! * Pairs (AUC): each such pair (y, v) steps both if `b - f_y + f_v > 0`; one v for each y.
//!
//! Paper: Gupta, Bengio, Weston 2014, tables 5 and 8. Cost: the row's stored values for each label drawn. Memory: L x D
//! numbers, and 12 bytes for each draw of a part of an epoch.

use super::{
    parameters::{BITS, within},
    rows::Rows,
    space::array,
    trainer::Report,
};
use crate::{
    data::Dataset,
    executor::Executor,
    float,
    model::{embedding::build::Vectors, linear::query::RowTransform},
    random::Stream,
    train::{ParamError, TrainError},
};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use serde::{Deserialize, Serialize};

/// What is drawn for a label of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Draws {
    /// So many labels the row does not carry, each trained for itself.
    Balance(u32),
    /// One label the row does not carry, trained against this one.
    Pairs,
}

/// Parameters of direct training. [`Sampled::one_vs_all`] and [`Sampled::auc`] are good starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// What is drawn.
    pub draws: Draws,
    /// b, the margin of the hinge.
    pub margin: f64,
    /// λ, the length of a step.
    pub step_size: f64,
    /// C, the longest prototype; 0 for no limit.
    pub max_norm: f64,
    /// Passes over the rows.
    pub epochs: u32,
    /// Values of rows are raised to this power, signs kept.
    pub exponent: f64,
    /// Whether rows are then scaled to length 1.
    pub normalize: bool,
    /// Bits of a stored weight: 32, 8 or 4.
    pub bits: u32,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Sampled {
    /// One against all.
    #[must_use]
    pub fn one_vs_all() -> Self {
        Self {
            draws: Draws::Balance(64),
            margin: 1.0,
            step_size: 0.5,
            max_norm: 0.0,
            epochs: 10,
            exponent: 1.0,
            normalize: true,
            bits: 8,
            seed: 42,
        }
    }

    /// Pairs of labels: the area under the curve.
    #[must_use]
    pub fn auc() -> Self {
        Self {
            draws: Draws::Pairs,
            epochs: 20,
            ..Self::one_vs_all()
        }
    }

    /// The name of the algorithm, as on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.draws {
            Draws::Balance(_) => "ova-sgd",
            Draws::Pairs => "auc",
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub fn check(&self) -> Result<(), ParamError> {
        if let Draws::Balance(balance) = self.draws {
            within("balance", f64::from(balance), 1.0, 65_536.0)?;
        }
        within("margin", self.margin, 1e-9, 1e9)?;
        within("step_size", self.step_size, 1e-9, 1e6)?;
        within("max_norm", self.max_norm, 0.0, 1e9)?;
        within("epochs", f64::from(self.epochs), 1.0, 1e5)?;
        within("exponent", self.exponent, 0.0, 4.0)?;
        ParamError::check("bits", f64::from(self.bits), BITS)
    }

    /// What happens to rows first.
    #[must_use]
    pub fn transform(&self) -> RowTransform {
        RowTransform {
            exponent: self.exponent,
            normalize: self.normalize,
        }
    }

    fn draws_a_label(&self) -> usize {
        match self.draws {
            Draws::Balance(balance) => balance as usize + 1,
            Draws::Pairs => 2,
        }
    }

    /// The most memory, in bytes, that training on `data` with `threads` threads will hold, without `data` itself.
    #[must_use]
    pub fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
        let (features, labels) = (
            u64::from(data.rows().features()),
            u64::from(data.labels().labels()),
        );
        let all = data.labels().total().saturating_mul(self.draws_a_label()) as u64;
        let draws = all.min(PART as u64 + self.draws_a_label() as u64);
        let rows = 4 * data.rows().nonzeros() as u64 + 17 * data.len() as u64;
        // Prototypes are held twice: while labels are trained side by side, and while the model is made.
        let twice = 8 * features * (labels + 32 * threads as u64);
        twice + 12 * draws + rows + 32 * labels
    }

    /// Trains the prototypes.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress` said so.
    pub fn train(
        &self,
        data: &Dataset,
        executor: &impl Executor,
        mut progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Vectors, TrainError> {
        self.check()?;
        let mut state = State::new(self, data)?;
        for epoch in 0..self.epochs {
            let mut order: Vec<u32> = (0..data.len() as u32).collect();
            order.retain(|&row| state.rows.usable(row as usize));
            let mut dice = Stream::new(self.seed, (1 << 62) + u64::from(epoch));
            dice.shuffle(&mut order);
            let mut done = 0;
            while done < order.len() {
                done = state.draw(&order, done, &mut dice);
                let violated = match self.draws {
                    Draws::Balance(_) => state.train_labels(executor),
                    Draws::Pairs => state.train_pairs(),
                };
                let of = order.len();
                let report = Report {
                    epoch,
                    epochs: self.epochs,
                    done,
                    of,
                    violated,
                    ignored: 0,
                };
                if progress(report).is_break() {
                    return Err(TrainError::Stopped);
                }
            }
        }
        Ok(state.finish())
    }
}

/// Draws that are made at a time.
const PART: usize = 1 << 20;

/// A row drawn for a label.
#[derive(Clone, Copy, Debug)]
struct Draw {
    label: u32,
    row: u32,
    positive: bool,
}

/// The prototypes in training.
struct State<'a> {
    parameters: &'a Sampled,
    data: &'a Dataset,
    rows: Rows,
    /// Prototypes by label, but for a factor.
    weights: Vec<f32>,
    labels: Vec<Label>,
    drawn: Vec<Draw>,
}

/// What a label knows beside its weights.
#[derive(Clone, Copy, Debug)]
struct Label {
    /// The prototype is this times the weights.
    factor: f64,
    /// Its squared length.
    square: f64,
    /// The sum of mean squared gradients.
    sum: f64,
}

const FRESH: Label = Label {
    factor: 1.0,
    square: 0.0,
    sum: 0.0,
};

impl<'a> State<'a> {
    fn new(parameters: &'a Sampled, data: &'a Dataset) -> Result<Self, TrainError> {
        let rows = Rows::new(data, parameters.transform())?;
        let (features, labels) = (
            data.rows().features() as usize,
            data.labels().labels() as usize,
        );
        Ok(Self {
            parameters,
            data,
            rows,
            weights: array(features.saturating_mul(labels), 0.0)?,
            labels: array(labels, FRESH)?,
            drawn: Vec::new(),
        })
    }

    /// Draws for the rows of the order from place `done` on, and returns up to where.
    fn draw(&mut self, order: &[u32], mut done: usize, dice: &mut Stream) -> usize {
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
    fn train_labels(&mut self, executor: &impl Executor) -> usize {
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
    fn train_pairs(&mut self) -> usize {
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

    fn finish(mut self) -> Vectors {
        let dimensions = self.data.rows().features() as usize;
        for (weights, label) in self.weights.chunks_mut(dimensions).zip(&self.labels) {
            weights
                .iter_mut()
                .for_each(|weight| *weight = (f64::from(*weight) * label.factor) as f32);
        }
        Vectors {
            dimensions,
            embedding: Vec::new(),
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
