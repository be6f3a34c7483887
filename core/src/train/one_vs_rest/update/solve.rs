//! The change of one label, by coordinate steps in the dual.

use crate::{
    data::Dataset,
    float,
    model::linear::build::LabelWeights,
    parameters::one_vs_rest::{Bias, Loss, OneVsRest},
    train::one_vs_rest::{mining::RowsByLabel, trainer::prior},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// How often rows are looked for that miss their margin.
const ROUNDS: usize = 3;
/// Passes over these rows in a round, at most.
const EPOCHS: usize = 300;
/// A pass whose largest step changes a margin by less than this is the last.
const SMALL: f64 = 1e-3;

/// The new rows, transformed.
pub struct Rows {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
    /// Squared lengths.
    squares: Vec<f64>,
    own: RowsByLabel,
}

impl Rows {
    pub fn new(data: &Dataset, parameters: &OneVsRest) -> Self {
        let transform = parameters.transform();
        let mut rows = Self {
            offsets: vec![0],
            indices: Vec::with_capacity(data.rows().nonzeros()),
            values: Vec::with_capacity(data.rows().nonzeros()),
            squares: Vec::with_capacity(data.len()),
            own: RowsByLabel::new(
                (0..data.len()).map(|row| data.labels().row(row)),
                data.labels().labels() as usize,
            ),
        };
        for row in data.rows().iter() {
            let start = rows.values.len();
            rows.indices.extend_from_slice(row.indices());
            transform.apply(row, &mut rows.values);
            rows.offsets.push(rows.values.len());
            let values = rows.values[start..].iter().map(|&value| f64::from(value));
            rows.squares.push(values.map(|value| value * value).sum());
        }
        rows
    }

    /// The rows of a label.
    pub fn of(&self, label: usize) -> &[u32] {
        self.own.of(label)
    }

    fn len(&self) -> usize {
        self.squares.len()
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let range: Range<usize> = self.offsets[row]..self.offsets[row + 1];
        let indices = self.indices[range.clone()].iter().map(|&id| id as usize);
        indices.zip(self.values[range].iter().map(|&value| f64::from(value)))
    }
}

/// The memory of one thread.
pub struct Scratch {
    /// w + v.
    dense: Vec<f64>,
    /// Features whose weight may be other than 0, each once.
    met: Vec<u32>,
    is_met: Vec<bool>,
    duals: Vec<f64>,
    /// Rows whose margin was missed, and whether each is among them.
    active: Vec<u32>,
    is_active: Vec<bool>,
    bias: f64,
}

impl Scratch {
    pub fn new(features: usize, rows: usize) -> Self {
        Self {
            dense: vec![0.0; features],
            met: Vec::new(),
            is_met: vec![false; features],
            duals: vec![0.0; rows],
            active: Vec::new(),
            is_active: vec![false; rows],
            bias: 0.0,
        }
    }

    /// The weights of a label with the rows `own` after the change from `before`.
    pub fn solve(
        &mut self,
        rows: &Rows,
        own: &[u32],
        (before, strength): (&LabelWeights, f64),
        parameters: &OneVsRest,
    ) -> LabelWeights {
        let new = before.scale == 0.0;
        for (&feature, &weight) in before.features.iter().zip(&before.weights) {
            self.meet(feature as usize);
            self.dense[feature as usize] = f64::from(weight) * f64::from(before.scale);
        }
        self.bias = match parameters.bias {
            _ if !new => f64::from(before.bias),
            Bias::Fixed(bias) => bias,
            Bias::Learned(_) => 0.0,
        };
        for _ in 0..ROUNDS {
            if !self.find(rows, own) || !self.descend(rows, own, strength, parameters) {
                break;
            }
        }
        if new {
            self.add_centroid(rows, own, parameters.centroid);
            self.bias += prior(parameters.prior, own.len());
        }
        let largest = f64::from(parameters.prune);
        self.met.sort_unstable();
        let weights = self.met.iter().map(|&id| (id, self.dense[id as usize]));
        let kept = weights.filter(|(_, weight)| weight.abs() > largest);
        let kept: Vec<(u32, f32)> = kept.map(|(id, weight)| (id, weight as f32)).collect();
        let solved = LabelWeights::round(&kept, self.bias as f32, parameters.bits);
        self.clear();
        solved
    }

    fn meet(&mut self, feature: usize) {
        if !self.is_met[feature] {
            self.is_met[feature] = true;
            self.met.push(feature as u32);
        }
    }

    fn score(&self, rows: &Rows, row: usize) -> f64 {
        let products = rows.row(row).map(|(id, value)| self.dense[id] * value);
        self.bias + products.sum::<f64>()
    }

    /// Adds the rows that miss their margin; whether there are more than before.
    fn find(&mut self, rows: &Rows, own: &[u32]) -> bool {
        let before = self.active.len();
        let mut of_label = own.iter().copied().peekable();
        for row in 0..rows.len() {
            let sign = sign(&mut of_label, row as u32);
            if !self.is_active[row] && sign * self.score(rows, row) < 1.0 {
                self.is_active[row] = true;
                self.active.push(row as u32);
            }
        }
        self.active.sort_unstable();
        self.active.len() > before
    }

    /// Steps over the active rows; whether any weight has changed.
    fn descend(&mut self, rows: &Rows, own: &[u32], strength: f64, parameters: &OneVsRest) -> bool {
        let constant = match parameters.bias {
            Bias::Fixed(_) => 0.0,
            Bias::Learned(value) => value * value,
        };
        let active = core::mem::take(&mut self.active);
        let mut changed = false;
        for _ in 0..EPOCHS {
            let mut largest = 0f64;
            let mut of_label = own.iter().copied().peekable();
            for &row in &active {
                let sign = sign(&mut of_label, row);
                let row = row as usize;
                let weight = if sign > 0.0 {
                    parameters.positive_weight
                } else {
                    1.0
                };
                let cost = strength * parameters.cost * weight;
                let (ridge, most) = match parameters.loss {
                    Loss::SquaredHinge => (0.5 / cost, f64::INFINITY),
                    Loss::Hinge => (0.0, cost),
                };
                let dual = self.duals[row];
                let slope = sign * self.score(rows, row) - 1.0 + ridge * dual;
                let curvature = rows.squares[row] + constant + ridge;
                if curvature <= 0.0 {
                    continue;
                }
                let next = (dual - slope / curvature).clamp(0.0, most);
                let step = next - dual;
                if step == 0.0 {
                    continue;
                }
                self.duals[row] = next;
                for (id, value) in rows.row(row) {
                    self.meet(id);
                    self.dense[id] += sign * step * value;
                }
                self.bias += sign * step * constant;
                largest = largest.max(step.abs() * curvature);
                changed = true;
            }
            if largest < SMALL {
                break;
            }
        }
        self.active = active;
        changed
    }

    /// Adds the direction of the mean of the label's rows, `share` times.
    fn add_centroid(&mut self, rows: &Rows, own: &[u32], share: f64) {
        if share == 0.0 {
            return;
        }
        let mut sums: Vec<(usize, f64)> = Vec::new();
        for &row in own {
            sums.extend(rows.row(row as usize));
        }
        sums.sort_by_key(|&(id, _)| id);
        let mean: Vec<(usize, f64)> = sums
            .chunk_by(|a, b| a.0 == b.0)
            .map(|run| (run[0].0, run.iter().map(|&(_, value)| value).sum()))
            .collect();
        let square: f64 = mean.iter().map(|(_, value)| value * value).sum();
        if square > 0.0 {
            let factor = share / float::sqrt(square);
            for (id, value) in mean {
                self.meet(id);
                self.dense[id] += factor * value;
            }
        }
    }

    fn clear(&mut self) {
        for id in self.met.drain(..) {
            self.dense[id as usize] = 0.0;
            self.is_met[id as usize] = false;
        }
        for row in self.active.drain(..) {
            self.duals[row as usize] = 0.0;
            self.is_active[row as usize] = false;
        }
    }
}

/// 1 for a row of the label, whose rows are read along with rising `row`, else -1.
fn sign(own: &mut core::iter::Peekable<impl Iterator<Item = u32>>, row: u32) -> f64 {
    while own.next_if(|&next| next < row).is_some() {}
    if own.next_if_eq(&row).is_some() {
        1.0
    } else {
        -1.0
    }
}
