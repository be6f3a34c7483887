//! One-vs-rest with all negatives, run to a proven gap.
//!
//! The problems are those of [`crate::train::dual::label_solver`], one for each label with rows, and the
//! gaps of all labels add up to that of the whole. A label whose gap is not small enough yet is solved on with
//! a smaller epsilon, from the duals it has. Labels are done in parts: a part begins with the epsilon that was enough
//! for half of the labels of the one before, and may leave what gap the parts before did not use up.
//!
//! Rows are packed ([`crate::train::dual::packed_rows`]), their values rounded to 16 bits: the proof is of the
//! problem with these values.
//!
//! Cost: O(values) a sweep and label; memory: 4 bytes a value and, a thread, 12 bytes a feature and 40 a
//! row.

mod saved;

use super::certificate::Certificate;
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::OneVsRestKernels,
    model::linear::{LinearModel, build::LabelWeights, build::build},
    random::Stream,
    train::{
        ParamError, ParamRule, TrainError, check_data,
        dual::{
            certificate::Certificate as LabelCertificate,
            label_solver::{Effort, SolverScratch},
            mining::RowsByLabel,
            packed_rows::{FeatureOrder, PackedRows},
            parameters::OneVsRest,
        },
    },
};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// A model and the proof of its weights before they were pruned and rounded.
#[derive(Clone, Debug)]
pub struct ProvenOneVsRest {
    /// The model.
    pub model: LinearModel,
    /// The proof of all labels together.
    pub certificate: Certificate,
}

/// What all labels share.
struct Task {
    rows: PackedRows,
    own: RowsByLabel,
    features: usize,
    gap: f64,
}

/// What is asked of a label.
#[derive(Clone, Copy)]
struct Aim {
    /// The epsilon to begin with.
    epsilon: f64,
    /// By how much its gap may be larger than its share.
    spare: f64,
}

/// What epsilon is multiplied by where it was not enough.
const SMALLER: f64 = 0.4;

/// What the epsilon of a part is multiplied by if nearly all labels had enough of it at once.
const LARGER: f64 = 1.5;

/// A solved label.
struct Solved {
    /// The epsilon that was enough; 0 if there was nothing to solve.
    epsilon: f64,
    weights: LabelWeights,
    proof: LabelCertificate,
    sweeps: u32,
    nonzeros: u64,
    duals: u64,
}

impl OneVsRest {
    /// Trains every label against all rows until the gap of all together is at most `gap` of their primal objectives or
    /// the epochs are used up; `progress` hears of labels done and may stop the work.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress` said so;
    /// too many weights for the model's form.
    pub fn train_to_gap<E: Executor>(
        &self,
        data: &Dataset,
        gap: f64,
        executor: &E,
        kernels: &dyn OneVsRestKernels,
        mut progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<ProvenOneVsRest, TrainError> {
        let mut training = self.proving(data, gap)?;
        while let Some((done, of)) = training.step(executor, kernels) {
            if progress(done, of).is_break() {
                return Err(TrainError::Stopped);
            }
        }
        training.finish()
    }

    /// Begins the same, to be done part by part.
    ///
    /// # Errors
    /// Bad parameters and unusable data.
    pub fn proving<'a>(&'a self, data: &'a Dataset, gap: f64) -> Result<Proving<'a>, TrainError> {
        self.check()?;
        ParamError::check("gap", gap, ParamRule::Above(0.0))?;
        check_data(data)?;
        let order = FeatureOrder::new(data.rows());
        let rows = pack(self, data, &order);
        let labels = data.labels().labels() as usize;
        let own = RowsByLabel::new((0..rows.len()).map(|row| data.labels().row(row)), labels);
        let features = data.rows().features() as usize;
        let task = Task {
            rows,
            own,
            features,
            gap,
        };
        Ok(Proving {
            parameters: self,
            order,
            task,
            labels,
            epsilon: self.epsilon,
            weights: Vec::with_capacity(labels),
            whole: Certificate::default(),
        })
    }

    fn prove(
        &self,
        scratch: &mut SolverScratch,
        task: &Task,
        label: usize,
        aim: Aim,
        kernels: &dyn OneVsRestKernels,
    ) -> Solved {
        let (rows, own) = (&task.rows, task.own.of(label));
        let nothing = LabelCertificate {
            primal: 0.0,
            dual: 0.0,
        };
        if own.is_empty() {
            return Solved {
                epsilon: 0.0,
                weights: LabelWeights::unseen(),
                proof: nothing,
                sweeps: 0,
                nonzeros: 0,
                duals: 0,
            };
        }
        scratch.examples.clear();
        for row in 0..rows.len() as u32 {
            let positive = own.binary_search(&row).is_ok();
            scratch.push(self, row, positive, 0.0);
        }
        let mut stream = Stream::new(self.seed, label as u64);
        let (mut sweeps, mut epsilon) = (0, aim.epsilon);
        let proof = loop {
            let effort = Effort {
                sweeps: self.max_epochs - sweeps,
                epsilon,
                skip: 0.0,
            };
            sweeps += scratch.solve(rows, self.bias, effort, &mut stream, kernels);
            let proof =
                LabelCertificate::of_weights(rows, scratch, self.bias, task.features, kernels);
            let enough = proof.primal - proof.dual <= task.gap * proof.primal + aim.spare;
            if enough || sweeps >= self.max_epochs || epsilon < 1e-9 {
                break proof;
            }
            epsilon *= SMALLER;
        };
        scratch.weights.above(0.0, &mut scratch.kept);
        let nonzeros = scratch.kept.len() as u64;
        scratch.weights.above(self.prune, &mut scratch.kept);
        Solved {
            epsilon,
            weights: LabelWeights::round(&scratch.kept, scratch.bias as f32, self.bits),
            proof,
            sweeps,
            nonzeros,
            duals: scratch.examples.iter().filter(|e| e.alpha > 0.0).count() as u64,
        }
    }
}

/// Training under way: call [`Proving::step`] until it returns `None`, then [`Proving::finish`].
pub struct Proving<'a> {
    parameters: &'a OneVsRest,
    order: FeatureOrder,
    task: Task,
    labels: usize,
    /// What the next labels begin with.
    epsilon: f64,
    /// Of the labels that are done, the first ones.
    weights: Vec<LabelWeights>,
    whole: Certificate,
}

impl Proving<'_> {
    /// Solves the next labels; returns how many are done, and of how many, or `None` if there is nothing left.
    pub fn step<E: Executor>(
        &mut self,
        executor: &E,
        kernels: &dyn OneVsRestKernels,
    ) -> Option<(usize, usize)> {
        let (first, labels) = (self.weights.len(), self.labels);
        if first == labels {
            return None;
        }
        let (task, parameters) = (&self.task, self.parameters);
        let part = labels.div_ceil(16).max(64).min(labels - first);
        let whole = &mut self.whole;
        let unused = task.gap * whole.primal - (whole.primal - whole.dual);
        let aim = Aim {
            epsilon: self.epsilon,
            spare: unused.max(0.0) / part as f64,
        };
        let solved = executor.map(
            part,
            || SolverScratch::new(task.features),
            |scratch, job| parameters.prove(scratch, task, first + job, aim, kernels),
        );
        self.epsilon = next_epsilon(&solved, aim.epsilon).min(parameters.epsilon);
        for mut label in solved {
            for feature in &mut label.weights.features {
                *feature = self.order.feature[*feature as usize];
            }
            whole.primal += label.proof.primal;
            whole.dual += label.proof.dual;
            whole.epochs = whole.epochs.max(label.sweeps);
            whole.nonzeros += label.nonzeros;
            whole.duals += label.duals;
            self.weights.push(label.weights);
        }
        Some((self.weights.len(), labels))
    }

    /// The model and its proof.
    ///
    /// # Errors
    /// [`TrainError::Stopped`] if there are labels left; too many weights for the model's form.
    pub fn finish(self) -> Result<ProvenOneVsRest, TrainError> {
        if self.weights.len() < self.labels {
            return Err(TrainError::Stopped);
        }
        let (features, parameters) = (self.task.features, self.parameters);
        let transform = parameters.transform();
        Ok(ProvenOneVsRest {
            model: build(&self.weights, features, transform, parameters.bits)?,
            certificate: self.whole,
        })
    }
}

/// The epsilon that was enough for half of the labels solved with one to begin with, or more if it was for most.
fn next_epsilon(solved: &[Solved], begun: f64) -> f64 {
    let epsilons = solved.iter().map(|label| label.epsilon);
    let mut enough: Vec<f64> = epsilons.filter(|&epsilon| epsilon > 0.0).collect();
    enough.sort_unstable_by(f64::total_cmp);
    let Some(&median) = enough.get(enough.len() / 2) else {
        return begun;
    };
    if enough[enough.len() / 8] >= begun {
        LARGER * median
    } else {
        median
    }
}

fn pack(parameters: &OneVsRest, data: &Dataset, order: &FeatureOrder) -> PackedRows {
    let mut packed = PackedRows::default();
    let (mut values, mut terms) = (Vec::new(), Vec::new());
    for row in data.rows().iter() {
        values.clear();
        parameters.transform().apply(row, &mut values);
        let ranks = row.indices().iter().map(|&id| order.rank[id as usize]);
        terms.clear();
        terms.extend(ranks.zip(values.iter().copied()));
        packed.push(&mut terms, usize::MAX);
    }
    packed
}

#[cfg(test)]
mod tests {
    use crate::{
        executor::Sequential,
        kernels::Portable,
        train::{
            dual::parameters::{Loss, Negatives, OneVsRest},
            exact::problem::tests::random_data,
        },
    };
    use core::ops::ControlFlow;

    #[test]
    fn every_gap_asked_for_is_proven() {
        let few = random_data(80, 10, 6, 2);
        let many = random_data(300, 12, 150, 2);
        for (loss, data) in [
            (Loss::Hinge, &few),
            (Loss::SquaredHinge, &few),
            (Loss::SquaredHinge, &many),
        ] {
            let parameters = OneVsRest {
                loss,
                negatives: Negatives::All,
                max_epochs: 100_000,
                ..OneVsRest::default()
            };
            let go = |_, _| ControlFlow::Continue(());
            let of = |gap| {
                let made = parameters.train_to_gap(data, gap, &Sequential, &Portable, go);
                made.unwrap().certificate
            };
            let (loose, tight) = (of(1e-1), of(1e-4));
            assert!(loose.relative_gap() <= 1e-1 && tight.relative_gap() <= 1e-4);
            assert!(loose.dual <= tight.primal && tight.dual <= loose.primal);
            assert!(
                parameters
                    .train_to_gap(data, 0.0, &Sequential, &Portable, go)
                    .is_err()
            );
        }
    }
}
