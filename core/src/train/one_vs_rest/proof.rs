//! One-vs-rest with all negatives, run to a proven gap.
//!
//! The problems are those of `crate::train::one_vs_rest::label_solver`, one for each label with
//! rows, and the gaps of all labels add up to that of the whole. Sixteen labels at a time are
//! solved together (`block`), until their gaps together are small enough. Labels are done in parts:
//! a part may leave what gap the parts before did not use up.
//!
//! Rows are packed (`crate::train::one_vs_rest::packed_rows`), their values rounded to 16 bits: the
//! proof is of the problem with these values.
//!
//! Cost: O(values) a sweep and label, a row being read once for sixteen labels; memory: 4 bytes a
//! value and, a thread, 192 bytes a feature and 70 a row.

mod block;
mod saved;

use crate::train::multiclass::certificate::Certificate;
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::{Kernels, Processor},
    model::linear::{
        LinearModel,
        build::{LabelWeights, build},
    },
    parameters::{ParamError, ParamRule, one_vs_rest::OneVsRest},
    train::{
        TrainError, Training, check_data,
        one_vs_rest::{
            certificate::Certificate as LabelCertificate,
            label_block::LABELS,
            mining::RowsByLabel,
            packed_rows::{FeatureOrder, PackedRows},
        },
    },
};
use alloc::vec::Vec;
use block::{BlockProblem, ProofScratch};

/// A model and the proof of its weights before they were pruned and rounded.
#[derive(Clone, Debug)]
pub struct ProvenOneVsRest {
    /// The model.
    pub model: LinearModel,
    /// The proof of all labels together.
    pub certificate: Certificate,
    /// The primal objective of the model's weights as they are stored.
    pub stored_primal: f64,
}

impl ProvenOneVsRest {
    /// The gap of the stored weights, as a share of their primal objective.
    #[must_use]
    pub fn stored_gap(&self) -> f64 {
        (self.stored_primal - self.certificate.dual) / self.stored_primal.abs().max(1e-12)
    }
}

/// What all labels share.
struct Task {
    rows: PackedRows,
    own: RowsByLabel,
    features: usize,
    gap: f64,
}

/// What epsilon is multiplied by where it was not enough.
const SMALLER: f64 = 0.4;

/// The share of the primal objective by which rounding can take the gap below 0: scores are sums of
/// f32.
const ROUNDING: f64 = 1e-4;

/// Labels of a part, at least.
const PART: usize = 256;

/// A solved label.
struct Solved {
    weights: LabelWeights,
    /// The objective at these.
    stored_primal: f64,
    proof: LabelCertificate,
    sweeps: u32,
    nonzeros: u64,
    duals: u64,
}

impl OneVsRest {
    /// Begins to train every label against all rows, until the gap of all together is at most `gap`
    /// of their primal objectives or the epochs are used up. Reports are labels done, and all.
    ///
    /// # Errors
    /// Bad parameters and unusable data.
    pub fn proving<'a>(
        &'a self,
        data: &'a Dataset,
        gap: f64,
        kernels: &dyn Kernels,
    ) -> Result<Proving<'a>, TrainError> {
        self.check()?;
        ParamError::check("gap", gap, ParamRule::Above(0.0))?;
        check_data(data)?;
        let bytes = FeatureOrder::bytes(data.rows());
        let order =
            FeatureOrder::new(data.rows()).map_err(|_| TrainError::OutOfMemory { bytes })?;
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
            processor: kernels.processor(),
            order,
            task,
            labels,
            weights: Vec::with_capacity(labels),
            whole: Certificate::default(),
            stored_primal: 0.0,
        })
    }
}

/// Training of all labels to a gap.
pub struct Proving<'a> {
    parameters: &'a OneVsRest,
    processor: Processor,
    order: FeatureOrder,
    task: Task,
    labels: usize,
    /// Of the labels that are done, the first ones.
    weights: Vec<LabelWeights>,
    whole: Certificate,
    stored_primal: f64,
}

impl Training for Proving<'_> {
    /// How many labels are done, and of how many.
    type Report = (usize, usize);
    type Made = ProvenOneVsRest;

    fn step(&mut self, executor: &Executor) -> Option<(usize, usize)> {
        let (first, labels) = (self.weights.len(), self.labels);
        if first == labels {
            return None;
        }
        let (task, parameters) = (&self.task, self.parameters);
        let part = labels.div_ceil(8).next_multiple_of(LABELS);
        let part = part.max(PART).min(labels - first);
        let whole = &mut self.whole;
        let unused = task.gap * whole.primal - (whole.primal - whole.dual);
        let used: Vec<usize> = (first..first + part)
            .filter(|&label| !task.own.of(label).is_empty())
            .collect();
        let blocks: Vec<&[usize]> = used.chunks(LABELS).collect();
        let problem = BlockProblem {
            parameters,
            task,
            processor: self.processor,
            spare: unused.max(0.0) / blocks.len().max(1) as f64,
        };
        let solved = executor.map(
            blocks.len(),
            || ProofScratch::new(task),
            |scratch, job| problem.solve(scratch, blocks[job]),
        );
        let solved: Vec<Solved> = solved.into_iter().flatten().collect();
        let unseen = |of: usize| core::iter::repeat_n(LabelWeights::unseen(), of);
        for (mut solved, label) in solved.into_iter().zip(used) {
            for feature in &mut solved.weights.features {
                *feature = self.order.feature[*feature as usize];
            }
            whole.primal += solved.proof.primal;
            whole.dual += solved.proof.dual;
            self.stored_primal += solved.stored_primal;
            whole.epochs = whole.epochs.max(solved.sweeps);
            whole.nonzeros += solved.nonzeros;
            whole.duals += solved.duals;
            self.weights.extend(unseen(label - self.weights.len()));
            self.weights.push(solved.weights);
        }
        self.weights
            .extend(unseen(first + part - self.weights.len()));
        Some((self.weights.len(), labels))
    }

    fn finish(self, _: &Executor) -> Result<ProvenOneVsRest, TrainError> {
        if self.weights.len() < self.labels {
            return Err(TrainError::Stopped);
        }
        let Self {
            parameters,
            task,
            weights,
            whole: certificate,
            stored_primal,
            ..
        } = self;
        let certificate = certificate.sound(ROUNDING * certificate.primal.abs())?;
        let features = task.features;
        // Rows make room for the model.
        drop(task);
        Ok(ProvenOneVsRest {
            model: build(&weights, features, parameters.transform(), parameters.bits)?,
            certificate,
            stored_primal,
        })
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
    use super::ProvenOneVsRest;
    use crate::{
        data::Dataset,
        executor::Sequential,
        kernels::Portable,
        model::linear::LinearModel,
        parameters::one_vs_rest::{Bias, Loss, Negatives, OneVsRest},
        train::{Training, multiclass::problem::tests::random_data},
    };
    use alloc::vec::Vec;
    use core::ops::ControlFlow;

    fn proven(parameters: &OneVsRest, data: &Dataset, gap: f64) -> ProvenOneVsRest {
        let proving = parameters.proving(data, gap, &Portable).unwrap();
        let watch = &mut |_| ControlFlow::Continue(());
        proving.train(&Sequential, watch).unwrap()
    }

    /// The plain sum over all labels and rows: squared hinge, cost 1, and a learned bias the weight
    /// of a feature of 1.
    fn primal(model: &LinearModel, data: &Dataset, bias: Bias) -> f64 {
        let labels = model.labels() as usize;
        let real = |label: u32, weight: i16| {
            f64::from(weight) * f64::from(model.parts().scales[label as usize])
        };
        let mut sum = 0.0;
        for feature in 0..model.features() {
            model.visit(feature, |label, weight| {
                sum += 0.5 * real(label, weight) * real(label, weight);
            });
        }
        let seen = |label: u32| model.parts().scales[label as usize] != 0.0;
        if matches!(bias, Bias::Learned(_)) {
            let biases = (0..labels as u32).filter(|&label| seen(label));
            let biases = biases.map(|label| f64::from(model.bias(label)));
            sum += biases.map(|bias| 0.5 * bias * bias).sum::<f64>();
        }
        let mut values = Vec::new();
        for (row, view) in data.rows().iter().enumerate() {
            values.clear();
            model.parts().transform.apply(view, &mut values);
            let mut scores: Vec<f64> = (0..labels as u32)
                .map(|label| f64::from(model.bias(label)))
                .collect();
            for (&feature, &value) in view.indices().iter().zip(&values) {
                model.visit(feature, |label, weight| {
                    scores[label as usize] += real(label, weight) * f64::from(value);
                });
            }
            for (label, score) in (0..).zip(scores) {
                let own = data.labels().row(row).contains(&label);
                let short = f64::max(0.0, 1.0 - if own { score } else { -score });
                sum += if seen(label) { short * short } else { 0.0 };
            }
        }
        sum
    }

    #[test]
    fn the_gap_of_stored_weights_is_that_of_a_plain_sum_and_with_sixteen_bits_that_of_the_proof() {
        let data = random_data(300, 12, 40, 2);
        let (learned, fixed) = (Bias::Learned(1.0), Bias::Fixed(-1.0));
        for (bits, prune, bias, near) in [
            (16, 0.0, learned, 2e-4),
            (16, 0.0, fixed, 2e-4),
            (8, 0.0, learned, 5e-2),
            (8, 0.0, fixed, 5e-2),
            (8, 0.11, fixed, 0.5),
            (4, 0.0, fixed, 0.9),
        ] {
            let parameters = OneVsRest {
                bias,
                negatives: Negatives::All,
                max_epochs: 100_000,
                bits,
                prune,
                ..OneVsRest::default()
            };
            let made = proven(&parameters, &data, 1e-3);
            let expected = primal(&made.model, &data, bias);
            let error = (made.stored_primal - expected).abs() / expected;
            assert!(error < 1e-3, "{bits} bits: {error}");
            let lost = made.stored_gap() - made.certificate.relative_gap();
            assert!((-1e-6..near).contains(&lost), "{bits} bits: {lost}");
        }
    }

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
            let of = |gap| proven(&parameters, data, gap).certificate;
            let (loose, tight) = (of(1e-1), of(1e-4));
            assert!(loose.relative_gap() <= 1e-1 && tight.relative_gap() <= 1e-4);
            assert!(loose.dual <= tight.primal && tight.dual <= loose.primal);
            assert!(parameters.proving(data, 0.0, &Portable).is_err());
        }
    }
}
