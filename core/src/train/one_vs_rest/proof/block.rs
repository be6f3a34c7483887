//! Sixteen labels solved to a gap: sweeps over all rows for all of them
//! ([`crate::train::one_vs_rest::label_block`]) until their gaps together are small enough.
//!
//! Every sweep gives an estimate of the gap, from what it met before it moved the duals; the proof
//! is made when that promises enough. Labels that many sweeps do not bring to their share of a
//! small gap are finished one by one, by [`SolverScratch`], which sets rows aside.

use super::{LabelCertificate, SMALLER, Solved, Task};
use crate::{
    model::linear::build::LabelWeights,
    parameters::one_vs_rest::{Bias, OneVsRest},
    random::Stream,
    train::one_vs_rest::{
        label_block::{
            Block, BlockRows, BlockSweep, LABELS, block_losses, block_squares, rebuild_block,
        },
        label_solver::{Effort, SolverScratch},
        trainer::BlockScratch,
    },
};
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

/// Most sweeps for all labels of a block together.
const SWEEPS: u32 = 40;

/// The gap after a sweep, as a share of the estimate it gave, until a proof has told.
const AFTER: f64 = 0.5;

/// Memory of one thread.
pub(super) struct ProofScratch {
    block: BlockScratch,
    rebuilt: Vec<Block<f64>>,
    single: Option<SolverScratch>,
}

impl ProofScratch {
    pub(super) fn new(task: &Task) -> Self {
        let mut block = BlockScratch::new(task.features, task.rows.len());
        block.rows = (0..task.rows.len() as u32).collect();
        Self {
            block,
            rebuilt: vec![[0.0; LABELS]; task.features],
            single: None,
        }
    }
}

/// What all blocks have in common.
pub(super) struct BlockProblem<'a> {
    pub parameters: &'a OneVsRest,
    pub task: &'a Task,
    pub processor: Processor,
    /// By how much the gap of a block may be larger than its share.
    pub spare: f64,
}

impl BlockProblem<'_> {
    /// Solves at most sixteen labels, which all have rows.
    pub(super) fn solve(&self, scratch: &mut ProofScratch, labels: &[usize]) -> Vec<Solved> {
        let (task, parameters) = (self.task, self.parameters);
        let (fixed, bias_feature) = match parameters.bias {
            Bias::Fixed(value) => (value, 0.0),
            Bias::Learned(value) => (0.0, value),
        };
        let block = &mut scratch.block;
        block.end();
        block.begin(&task.own, labels.iter().copied(), fixed as f32);
        let mut stream = Stream::new(parameters.seed, labels[0] as u64);
        let (mut sweeps, mut after) = (0, AFTER);
        let most = parameters.max_epochs.min(SWEEPS);
        let proofs = loop {
            stream.shuffle(&mut scratch.block.order);
            let met = self.processor.run(BlockSweep {
                of: BlockRows::new(parameters, &task.rows, &scratch.block.carried),
                order: &mut scratch.block.order,
                settled: [-1.0; LABELS],
                weights: &mut scratch.block.weights,
                duals: &mut scratch.block.duals,
                biases: &mut scratch.block.biases,
                bias_feature: bias_feature as f32,
            });
            sweeps += 1;
            let estimate: f64 = met.gaps[..labels.len()]
                .iter()
                .map(|&gap| f64::from(gap))
                .sum();
            let losses: f64 = met.losses[..labels.len()]
                .iter()
                .map(|&loss| f64::from(loss))
                .sum();
            let squares: f64 = self.squares(scratch)[..labels.len()].iter().sum();
            let allowed = task.gap * (losses + 0.5 * squares) + self.spare;
            if after * estimate > allowed && sweeps < most {
                continue;
            }
            let proofs = &self.prove(scratch)[..labels.len()];
            let primal: f64 = proofs.iter().map(|proof| proof.primal).sum();
            let gap: f64 = proofs.iter().map(gap_of).sum();
            if gap <= task.gap * primal + self.spare || sweeps >= most {
                break proofs.to_vec();
            }
            after = (gap / estimate).max(f64::MIN_POSITIVE);
        };
        self.finish(scratch, labels, &proofs, sweeps)
    }

    /// Sums of squares of the weights, by label.
    fn squares(&self, scratch: &ProofScratch) -> Block<f64> {
        let mut squares = self.processor.run(
            #[inline(always)]
            || block_squares(&scratch.block.weights),
        );
        if let Bias::Learned(value) = self.parameters.bias {
            for (square, &bias) in squares.iter_mut().zip(&scratch.block.biases) {
                let weight = if value == 0.0 {
                    0.0
                } else {
                    f64::from(bias) / value
                };
                *square += weight * weight;
            }
        }
        squares
    }

    /// The losses of all rows, by label.
    fn losses(&self, of: &BlockRows<'_>, scratch: &ProofScratch) -> Block<f64> {
        let block = &scratch.block;
        self.processor.run(
            #[inline(always)]
            || block_losses(of, &block.weights, &block.biases),
        )
    }

    /// The objectives at the weights and at the duals, whose weights are rebuilt in `f64` to know
    /// their square.
    fn prove(&self, scratch: &mut ProofScratch) -> Vec<LabelCertificate> {
        let of = BlockRows::new(self.parameters, &self.task.rows, &scratch.block.carried);
        let losses = self.losses(&of, scratch);
        let squares = self.squares(scratch);
        scratch.rebuilt.fill([0.0; LABELS]);
        let (duals, rebuilt) = (&scratch.block.duals, &mut scratch.rebuilt);
        let found = self.processor.run(
            #[inline(always)]
            || rebuild_block(&of, duals, rebuilt),
        );
        let mut exact = [0f64; LABELS];
        for weights in &scratch.rebuilt {
            for (square, weight) in exact.iter_mut().zip(weights) {
                *square += weight * weight;
            }
        }
        let (fixed, bias_feature) = match self.parameters.bias {
            Bias::Fixed(value) => (value, 0.0),
            Bias::Learned(value) => (0.0, value),
        };
        (0..LABELS)
            .map(|at| {
                let bias = found.sums[at] * bias_feature;
                LabelCertificate {
                    primal: 0.5 * squares[at] + losses[at],
                    dual: found.gains[at]
                        - fixed * found.sums[at]
                        - 0.5 * (exact[at] + bias * bias),
                }
            })
            .collect()
    }

    fn finish(
        &self,
        scratch: &mut ProofScratch,
        labels: &[usize],
        proofs: &[LabelCertificate],
        sweeps: u32,
    ) -> Vec<Solved> {
        let (task, parameters) = (self.task, self.parameters);
        let mut solved: Vec<Solved> = proofs
            .iter()
            .zip(labels)
            .enumerate()
            .map(|(at, (&proof, _))| {
                let weights = |least: f32| {
                    let of = scratch.block.weights.iter().map(move |block| block[at]);
                    (0u32..)
                        .zip(of)
                        .filter(move |(_, weight)| weight.abs() > least)
                };
                let kept: Vec<(u32, f32)> = weights(parameters.prune).collect();
                Solved {
                    weights: LabelWeights::round(&kept, scratch.block.biases[at], parameters.bits),
                    stored_primal: 0.0,
                    proof,
                    sweeps,
                    nonzeros: weights(0.0).count() as u64,
                    duals: scratch
                        .block
                        .duals
                        .iter()
                        .filter(|duals| duals[at] > 0.0)
                        .count() as u64,
                }
            })
            .collect();
        let gap: f64 = solved.iter().map(|label| gap_of(&label.proof)).sum();
        let primal: f64 = solved.iter().map(|label| label.proof.primal).sum();
        if gap > task.gap * primal + self.spare {
            for (at, label) in solved.iter_mut().enumerate() {
                let open = gap_of(&label.proof) > task.gap * label.proof.primal;
                if open && label.sweeps < parameters.max_epochs {
                    *label = self.finish_one(scratch, labels[at], at, sweeps);
                }
            }
        }
        self.look_at_stored(scratch, &mut solved);
        solved
    }

    /// Sets the objectives at the weights as they are stored, which take the place of those of the
    /// block.
    fn look_at_stored(&self, scratch: &mut ProofScratch, solved: &mut [Solved]) {
        scratch.block.weights.fill([0.0; LABELS]);
        for (at, label) in solved.iter().enumerate() {
            let stored = &label.weights;
            for (&feature, &weight) in stored.features.iter().zip(&stored.weights) {
                scratch.block.weights[feature as usize][at] = f32::from(weight) * stored.scale;
            }
            scratch.block.biases[at] = stored.bias;
        }
        let of = BlockRows::new(self.parameters, &self.task.rows, &scratch.block.carried);
        let losses = self.losses(&of, scratch);
        let squares = self.squares(scratch);
        for (at, label) in solved.iter_mut().enumerate() {
            label.stored_primal = 0.5 * squares[at] + losses[at];
        }
    }

    /// Solves a label of the block for itself, from the duals it has.
    fn finish_one(
        &self,
        scratch: &mut ProofScratch,
        label: usize,
        at: usize,
        swept: u32,
    ) -> Solved {
        let (task, parameters) = (self.task, self.parameters);
        let single = scratch
            .single
            .get_or_insert_with(|| SolverScratch::new(task.features));
        single.examples.clear();
        for (row, duals) in (0u32..).zip(&scratch.block.duals) {
            let positive = scratch.block.carried[row as usize] >> at & 1 == 1;
            single.push(parameters, row, positive, f64::from(duals[at]));
        }
        let mut stream = Stream::new(parameters.seed, label as u64);
        let (mut sweeps, mut epsilon) = (swept, parameters.epsilon);
        let proof = loop {
            let effort = Effort {
                sweeps: parameters.max_epochs - sweeps,
                epsilon,
            };
            let (rows, bias) = (&task.rows, parameters.bias);
            sweeps += single.solve(rows, bias, effort, &mut stream, self.processor);
            let proof = LabelCertificate::of_weights(rows, single, bias, task.features);
            let enough = gap_of(&proof) <= task.gap * proof.primal;
            if enough || sweeps >= parameters.max_epochs || epsilon < 1e-9 {
                break proof;
            }
            epsilon *= SMALLER;
        };
        single.weights.above(0.0, &mut single.kept);
        let nonzeros = single.kept.len() as u64;
        single.weights.above(parameters.prune, &mut single.kept);
        Solved {
            weights: LabelWeights::round(&single.kept, single.bias as f32, parameters.bits),
            stored_primal: 0.0,
            proof,
            sweeps,
            nonzeros,
            duals: single.examples.iter().filter(|e| e.alpha > 0.0).count() as u64,
        }
    }
}

fn gap_of(proof: &LabelCertificate) -> f64 {
    proof.primal - proof.dual
}
