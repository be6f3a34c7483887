//! The part of training that solves labels, sixteen together
//! ([`crate::train::one_vs_rest::label_block`]): each row is read once for all of them, so that a
//! sweep for sixteen labels takes about as long as one for a single label. A block's rows are all
//! those that any of its labels carries, or is held against.

use super::{Trainer, block::BlockScratch};
use crate::{
    executor::Executor,
    float,
    model::linear::build::LabelWeights,
    parameters::one_vs_rest::Bias,
    random::Stream,
    train::one_vs_rest::{
        label_block::{BlockRows, BlockSweep, LABELS, POOLED},
        packed_rows::PackedRows,
    },
};
use alloc::vec::Vec;

/// What solving a label gives.
pub(super) struct Solved {
    pub weights: LabelWeights,
    sweeps: u32,
}

/// Jobs of solving between two reports.
const PART: usize = 64;

/// The gap after a sweep, as a share of the estimate that the sweep gives of the gap before it:
/// about half in most.
const AFTER: f64 = 0.5;

/// Rows are settled, and left alone from then on, whose parts of the gap are together at most this
/// share of the one allowed.
const SETTLED: f64 = 0.25;

/// What is added to the bias of a label with `rows` rows, of which there is at least one, for this
/// [`OneVsRest::prior`](crate::parameters::OneVsRest::prior).
pub(in crate::train::one_vs_rest) fn prior(weight: f64, rows: usize) -> f64 {
    let rows = rows as f64;
    match weight > 0.0 {
        true => weight * float::ln(2.0 * rows / (rows + 1.0)),
        false => weight * float::ln(rows),
    }
}

/// What is added to the bias of a label of which nothing is known but its texts: its one or two
/// positive rows teach it low scores. On held-out rows of five sets the largest of 0, 0.1, 0.2, …
/// that costs the other labels at most 0.3 points of P@1, P@3 and P@5 on each
/// (`benches/record/label-texts.md`).
const TEXT_ALONE: f64 = 0.1;

impl Trainer<'_> {
    pub(super) fn solve_part(&mut self, executor: &Executor) -> (usize, u64) {
        let part = PART.min(self.jobs.len() - self.jobs_done);
        let first = self.jobs_done;
        let this = &*self;
        let solved = executor.map(
            part,
            || this.scratch(),
            |scratch, job| this.solve_job(scratch, this.jobs.job(first + job)),
        );
        let mut sweeps = 0;
        for (job, solved) in solved.into_iter().enumerate() {
            let labels = self.jobs.job(first + job);
            for (&label, solved) in labels.iter().zip(solved) {
                self.weights[label as usize] = solved.weights;
                sweeps += u64::from(solved.sweeps);
            }
            self.done += labels.len();
        }
        self.jobs_done += part;
        (self.weights.len(), sweeps)
    }

    /// Memory of one thread.
    pub(super) fn scratch(&self) -> BlockScratch {
        BlockScratch::new(self.data.rows().features() as usize, self.rows.full.len())
    }

    /// Solves the labels of a job, at most sixteen.
    pub(super) fn solve_job(&self, scratch: &mut BlockScratch, labels: &[u32]) -> Vec<Solved> {
        let own = |label: u32| self.positives.of(label as usize);
        let used = labels
            .iter()
            .copied()
            .filter(|&label| !own(label).is_empty());
        let used: Vec<u32> = used.collect();
        if used.is_empty() {
            return labels.iter().map(|&label| self.kept(label)).collect();
        }
        let last = self.round + 1 == self.rounds;
        let parameters = &self.parameters;
        let (rows, epochs, prune, bits) = match last {
            true => {
                let (prune, bits) = (parameters.prune, parameters.bits);
                (&self.rows.full, parameters.max_epochs, prune, bits)
            }
            false => {
                let epochs = parameters.early_epochs;
                (self.rows.early(), epochs, parameters.mine_prune, 8)
            }
        };
        self.gather(scratch, &used);
        let sweeps = self.sweep(scratch, rows, &used, epochs);
        if last && parameters.centroid > 0.0 {
            for (at, &label) in used.iter().enumerate() {
                scratch.add_centroid(rows, own(label), at, parameters.centroid);
            }
        }
        scratch.take_above(rows, prune, used.len());
        let mut at = 0;
        let solved = labels.iter().map(|&label| {
            let rows = own(label).len();
            if rows == 0 {
                return self.kept(label);
            }
            at += 1;
            let mut bias = f64::from(scratch.biases[at - 1]);
            if last && parameters.prior != 0.0 {
                bias += prior(parameters.prior, rows);
            }
            if last && self.is_text_alone(label) {
                bias += TEXT_ALONE;
            }
            Solved {
                weights: LabelWeights::round(&scratch.kept[at - 1], bias as f32, bits),
                sweeps,
            }
        });
        solved.collect()
    }

    /// Whether all rows of a label are its texts.
    fn is_text_alone(&self, label: u32) -> bool {
        let rows = self.positives.of(label as usize);
        let first = rows.first();
        first.is_some_and(|&first| first as usize >= self.data.labels().measured())
    }

    /// What a label without rows has: the weights of the model that training starts from, or none.
    fn kept(&self, label: u32) -> Solved {
        Solved {
            weights: self.weights[label as usize].clone(),
            sweeps: 0,
        }
    }

    /// Puts the rows of a block into `scratch`, in rising order.
    fn gather(&self, scratch: &mut BlockScratch, used: &[u32]) {
        let fixed = match self.parameters.bias {
            Bias::Fixed(value) => value as f32,
            Bias::Learned(_) => 0.0,
        };
        let rows = &mut scratch.rows;
        rows.clear();
        if self.all {
            rows.extend(0..self.rows.full.len() as u32);
        } else {
            rows.extend_from_slice(&self.pool);
            for &label in used {
                rows.extend_from_slice(self.positives.of(label as usize));
                rows.extend_from_slice(self.wrong.of(label as usize));
            }
            rows.sort_unstable();
            rows.dedup();
        }
        let labels = used.iter().map(|&label| label as usize);
        scratch.begin(&self.positives, labels, fixed);
        if self.pool_times > 1.0 {
            for &row in &self.pool {
                scratch.carried[row as usize] |= POOLED;
            }
        }
    }

    /// Sweeps over a block's rows until its gap, as each sweep estimates it, is small enough.
    fn sweep(
        &self,
        scratch: &mut BlockScratch,
        rows: &PackedRows,
        used: &[u32],
        epochs: u32,
    ) -> u32 {
        let parameters = &self.parameters;
        let bias_feature = match parameters.bias {
            Bias::Fixed(_) => 0.0,
            Bias::Learned(value) => value,
        };
        let job = u64::from(self.round) << 32 | u64::from(used[0]);
        let mut stream = Stream::new(parameters.seed, job);
        let sum = |of: &[f32]| of.iter().map(|&part| f64::from(part)).sum::<f64>();
        let mut settled = [-1.0; LABELS];
        let (mut squares, mut settled_losses) = ([0f32; LABELS], [0f32; LABELS]);
        let rows_of_block = scratch.order.len();
        let mut open = rows_of_block;
        let processor = self.kernels.processor();
        for sweep in 1..=epochs {
            stream.shuffle(&mut scratch.order[..open]);
            let met = processor.run(BlockSweep {
                of: BlockRows {
                    times: self.pool_times as f32,
                    ..BlockRows::new(parameters, rows, &scratch.carried)
                },
                order: &mut scratch.order[..open],
                settled,
                weights: &mut scratch.weights,
                duals: &mut scratch.duals,
                biases: &mut scratch.biases,
                bias_feature: bias_feature as f32,
            });
            let mut primals = [0f32; LABELS];
            for at in 0..used.len() {
                squares[at] += met.growth[at];
                primals[at] = 0.5 * squares[at] + settled_losses[at] + met.losses[at];
                settled_losses[at] += met.settled_losses[at];
            }
            let gap = sum(&met.gaps[..used.len()]);
            if AFTER * gap <= parameters.epsilon * sum(&primals) {
                return sweep;
            }
            open = met.open;
            let share = (SETTLED * parameters.epsilon / rows_of_block as f64) as f32;
            settled = primals.map(|primal| share * primal);
            settled[used.len()..].fill(f32::INFINITY);
        }
        epochs
    }
}
