//! The slow, obvious twin of the solvers: everything dense, weights from the duals by their
//! definition, the dual maximized by projected gradient steps with momentum.

use super::problem::Problem;
use crate::parameters::multiclass::MultiClassLoss;
use alloc::{vec, vec::Vec};

/// A problem with dense rows.
pub struct Twin {
    pub loss: MultiClassLoss,
    pub cost: f64,
    pub rows: Vec<Vec<f64>>,
    pub classes: Vec<usize>,
    pub count: usize,
}

impl Twin {
    pub(crate) fn new(problem: &Problem, loss: MultiClassLoss, cost: f64) -> Self {
        let dense = |row: usize| {
            let mut values = vec![0.0; problem.features()];
            let row = problem.row(row);
            for (&id, &value) in row.features.iter().zip(row.values) {
                values[id as usize] = f64::from(value);
            }
            values
        };
        Self {
            loss,
            cost,
            rows: (0..problem.len()).map(dense).collect(),
            classes: (0..problem.len())
                .map(|row| problem.class(row) as usize)
                .collect(),
            count: problem.classes(),
        }
    }

    /// Weights of each class from duals of each row and class.
    pub(crate) fn weights(&self, duals: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let features = self.rows[0].len();
        let mut weights = vec![vec![0.0; features]; self.count];
        let mut mean = vec![0.0; features];
        for ((row, &class), duals) in self.rows.iter().zip(&self.classes).zip(duals) {
            for (other, &dual) in duals.iter().enumerate() {
                for (feature, &value) in row.iter().enumerate() {
                    weights[other][feature] -= dual * value;
                    if self.loss == MultiClassLoss::LeeLinWahba {
                        mean[feature] += dual * value / self.count as f64;
                    } else {
                        weights[class][feature] += dual * value;
                    }
                }
            }
        }
        for class in &mut weights {
            class.iter_mut().zip(&mean).for_each(|(w, mean)| *w += mean);
        }
        weights
    }

    /// For each row and class how far the margin is violated: 1 - s_y + s_c, or 1 + s_c.
    pub(crate) fn shortfalls(&self, weights: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of = |(row, &class): (&Vec<f64>, &usize)| -> Vec<f64> {
            let dot = |w: &Vec<f64>| w.iter().zip(row).map(|(a, b)| a * b).sum::<f64>();
            let scores: Vec<f64> = weights.iter().map(dot).collect();
            let own = match self.loss {
                MultiClassLoss::LeeLinWahba => 0.0,
                _ => scores[class],
            };
            scores.iter().map(|score| 1.0 - own + score).collect()
        };
        self.rows.iter().zip(&self.classes).map(of).collect()
    }

    pub(crate) fn primal(&self, weights: &[Vec<f64>]) -> f64 {
        let square: f64 = weights.iter().flatten().map(|w| w * w).sum();
        let mut total = 0.5 * square;
        for (short, &class) in self.shortfalls(weights).iter().zip(&self.classes) {
            let wrong = short
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != class);
            let losses = wrong.map(|(_, short)| short.max(0.0));
            total += self.cost
                * match self.loss {
                    MultiClassLoss::CrammerSinger => losses.fold(0.0, f64::max),
                    _ => losses.sum(),
                };
        }
        total
    }

    pub(crate) fn dual(&self, duals: &[Vec<f64>]) -> f64 {
        let weights = self.weights(duals);
        let square: f64 = weights.iter().flatten().map(|w| w * w).sum();
        duals.iter().flatten().sum::<f64>() - 0.5 * square
    }

    /// The nearest allowed duals of a row.
    fn project(&self, duals: &mut [f64], class: usize) {
        duals[class] = 0.0;
        if self.loss != MultiClassLoss::CrammerSinger {
            duals.iter_mut().for_each(|a| *a = a.clamp(0.0, self.cost));
            return;
        }
        let total = |shift: f64, duals: &[f64]| -> f64 {
            let wrong = duals
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != class);
            wrong.map(|(_, a)| (a - shift).max(0.0)).sum()
        };
        let (mut low, mut high) = (0.0, duals.iter().copied().fold(0.0, f64::max));
        if total(0.0, duals) > self.cost {
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if total(middle, duals) > self.cost {
                    low = middle;
                } else {
                    high = middle;
                }
            }
        }
        duals.iter_mut().for_each(|a| *a = (*a - low).max(0.0));
        duals[class] = 0.0;
    }

    /// The duals after `steps` projected gradient steps with Nesterov's momentum, restarted where
    /// the objective falls.
    pub(crate) fn solve(&self, steps: usize) -> Vec<Vec<f64>> {
        let square: f64 = self.rows.iter().flatten().map(|v| v * v).sum();
        let step = 1.0 / (square * (self.count as f64 + 1.0));
        let mut duals = vec![vec![0.0; self.count]; self.rows.len()];
        let mut ahead = duals.clone();
        let (mut momentum, mut best) = (1.0f64, 0.0);
        for _ in 0..steps {
            let gradient = self.shortfalls(&self.weights(&ahead));
            let mut next = ahead.clone();
            for (at, row) in next.iter_mut().enumerate() {
                for (dual, slope) in row.iter_mut().zip(&gradient[at]) {
                    *dual += step * slope;
                }
                self.project(row, self.classes[at]);
            }
            let value = self.dual(&next);
            let faster = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let keep = if value < best {
                0.0
            } else {
                (momentum - 1.0) / faster
            };
            momentum = if value < best { 1.0 } else { faster };
            best = value;
            for (at, row) in next.iter().enumerate() {
                for (c, &dual) in row.iter().enumerate() {
                    ahead[at][c] = dual + keep * (dual - duals[at][c]);
                }
            }
            duals = next;
        }
        duals
    }
}

#[cfg(test)]
mod tests {
    use super::Twin;
    use crate::{
        parameters::multiclass::MultiClassLoss, train::multiclass::problem::tests::random,
    };
    use MultiClassLoss::{CrammerSinger, LeeLinWahba, WestonWatkins};

    #[test]
    fn the_twin_closes_its_own_gap() {
        for loss in [CrammerSinger, WestonWatkins, LeeLinWahba] {
            let twin = Twin::new(&random(20, 6, 4, 3), loss, 0.7);
            let duals = twin.solve(4000);
            let (primal, dual) = (twin.primal(&twin.weights(&duals)), twin.dual(&duals));
            assert!(primal >= dual - 1e-9, "{loss:?}: {primal} {dual}");
            assert!((primal - dual) / primal < 1e-4, "{loss:?}: {primal} {dual}");
        }
    }
}
