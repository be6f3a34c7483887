//! The few inner loops that decide the speed, each written once.
//!
//! A kernel is a coarse loop (a block of labels, a block of rows), written as
//! fixed-lane code over integers or with a fixed order of summation, so that every
//! compiler target computes the same bits. The default methods of the traits here are that code.
//! An implementation may override a method only to run the *same* code compiled for wider
//! vector units, or instructions that give the same bits; the crate `hapax` does so for x86-64,
//! and its tests hold every override against [`Portable`].
//!
//! [`Kernels`] has the loops that predict; each family's training has a trait of its own, so that
//! a program that trains one family holds no code of the others, and one that only predicts holds
//! none. [`TrainingKernels`] is all of them.
//!
//! Scratch memories carry a `&'static dyn Kernels`, so models need not know of them.

use crate::{
    model::{
        embedding::{LabelScan, score_labels},
        linear::{
            sums::{self, HeadTerm, LabelBounds, TailTerm},
            wide,
        },
        mach::decode,
    },
    search::neighbors::{BLOCK, BlockBounds, ForwardRows, Posted},
    train::{
        dual::{
            label_block::{self, Block, BlockRows, BlockSweep, Met, Rebuilt},
            sweep::{self, GradientRange, Sweep},
        },
        embedding::{
            space::{self, Space, StepRule},
            steps::{self, VectorSteps},
            visit::{self, Visit, Visited},
        },
        exact::{
            ahead::Nothing,
            bundles::{
                bundle::Bundle,
                meeting::Round,
                pair::{Pair, PairDuals, PairMoved},
            },
            changes::{Changes, apply_changes},
            class_scores::{self, CHUNK},
            duals::RowDuals,
            lane::Lane,
            lee_lin_wahba::{
                block::{Block as RowBlock, Visit as RowVisit},
                part::{Moves, Part},
            },
            problem::Problem,
            row_step::Steps,
            state::State,
            weights::{ClassWeights, Shard},
        },
        mach::step::{self, Step, Term},
    },
};

/// The inner loops of prediction; see the module's text for what an implementation may change.
pub trait Kernels: Sync {
    /// The name of the instruction set, for reports: `portable`, `avx2`, …
    fn name(&self) -> &'static str;

    /// Upper bounds on the similarity of a block of rows with a query, and the highest of each
    /// 16 rows.
    #[inline(always)]
    fn bound_block(
        &self,
        block: &BlockBounds<'_>,
        bounds: &mut [f32; BLOCK],
        highest: &mut [f32; BLOCK / 16],
    ) {
        block.compute(bounds, highest);
    }

    /// Adds the postings of one feature to the sums of the rows; rows beyond them are passed over.
    #[inline(always)]
    fn add_postings(&self, posted: Posted<'_>, sums: &mut [u32]) {
        posted.add(sums);
    }

    /// The dot product and the number of shared features of four stored rows with a query given
    /// densely: one value a feature, 0 where it stores nothing.
    #[inline(always)]
    fn dots(&self, stored: &ForwardRows, rows: [u32; 4], query: &[f32]) -> [(f32, u32); 4] {
        stored.dots(rows, query)
    }

    /// Adds the dense parts of a row's features to the sums of the labels.
    fn add_heads(&self, sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
        sums::add_heads(sums, heads, terms);
    }

    /// Adds the sparse parts of a row's features to the sums of the labels.
    fn add_tails(&self, sums: &mut [i16; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
        sums::add_tails(sums, tails, terms, |_| ());
    }

    /// Which of up to 64 blocks of 64 labels may hold a score of at least `least`.
    fn promising_blocks(
        &self,
        sums: &[i16],
        bounds: &LabelBounds,
        first: usize,
        unit: f32,
        least: f32,
    ) -> u64 {
        sums::promising_blocks(sums, bounds, first, unit, least)
    }

    /// Turns the sums of up to 64 labels into scores and returns which are at least `least`.
    fn scores(
        &self,
        sums: &[i16],
        scales: &[f32],
        biases: &[f32],
        unit: f32,
        least: f32,
        out: &mut [f32; 64],
    ) -> u64 {
        sums::scores(sums, scales, biases, unit, least, out)
    }

    /// [`Kernels::add_heads`] of weights of 16 bits.
    fn add_wide_heads(&self, sums: &mut [i32], heads: &[i16], terms: &[HeadTerm]) {
        wide::add_heads(sums, heads, terms);
    }

    /// [`Kernels::add_tails`] of weights of 16 bits.
    fn add_wide_tails(&self, sums: &mut [i32; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
        wide::add_tails(sums, tails, terms, |_| ());
    }

    /// [`Kernels::promising_blocks`] of the sums of weights of 16 bits.
    fn promising_wide_blocks(
        &self,
        sums: &[i32],
        bounds: &LabelBounds,
        first: usize,
        unit: f32,
        least: f32,
    ) -> u64 {
        sums::promising_blocks(sums, bounds, first, unit, least)
    }

    /// [`Kernels::scores`] of the sums of weights of 16 bits.
    fn wide_scores(
        &self,
        sums: &[i32],
        scales: &[f32],
        biases: &[f32],
        unit: f32,
        least: f32,
        out: &mut [f32; 64],
    ) -> u64 {
        sums::scores(sums, scales, biases, unit, least, out)
    }

    /// Upper bounds of the scores of labels, from tables of bytes.
    fn scan(
        &self,
        codes: &[u8],
        tables: &[u8],
        heads: usize,
        sums: &mut [u16],
        maxima: &mut [u16],
    ) {
        decode::scan(codes, tables, heads, sums, maxima);
    }

    /// Adds rows of weights, each times its value, to sums.
    fn add_terms(&self, sums: &mut [f32], weights: &[f32], terms: &[Term]) {
        step::add_terms(sums, weights, terms);
    }

    /// Scores panels of the prototypes of an embedding model.
    fn score_labels(&self, scan: &mut LabelScan<'_>) {
        score_labels(scan);
    }
}

/// The inner loops of training one-vs-rest.
pub trait OneVsRestKernels: Kernels {
    /// One sweep of dual coordinate descent over the rows of one label.
    fn sweep(&self, state: &mut Sweep<'_>) -> GradientRange {
        sweep::sweep(state, &Nothing)
    }

    /// One sweep of dual coordinate descent over all rows for a block of labels.
    fn sweep_block(&self, state: &mut BlockSweep<'_>) -> Met {
        label_block::sweep_block(state, &Nothing)
    }

    /// The losses of all rows for each label of a block.
    fn block_losses(&self, of: &BlockRows<'_>, weights: &[Block], biases: &Block) -> Block<f64> {
        label_block::block_losses(of, weights, biases)
    }

    /// Adds all rows to the weights of a block of labels, each times its duals.
    fn rebuild_block(
        &self,
        of: &BlockRows<'_>,
        duals: &[Block],
        weights: &mut [Block<f64>],
    ) -> Rebuilt {
        label_block::rebuild_block(of, duals, weights)
    }

    /// The sums of squares of the weights of a block of labels.
    fn block_squares(&self, weights: &[Block]) -> Block<f64> {
        label_block::block_squares(weights)
    }
}

/// The inner loops of training exact all-in-one SVMs.
pub trait ExactKernels: Kernels {
    /// Adds to the scores of all classes what dense features give, in their order.
    fn add_class_weights(&self, sums: &mut [f32], weights: &ClassWeights, terms: &[(u32, f32)]) {
        class_scores::add_class_weights(sums, weights, terms);
    }

    /// The sums of a chunk's shortfalls above 0, and above each of three thresholds.
    fn class_shortfalls(&self, chunk: &[f32; CHUNK], base: f32, less: [f32; 3]) -> [f64; 4] {
        class_scores::class_shortfalls(chunk, base, less)
    }

    /// The highest score of each chunk of classes.
    fn class_highs(&self, sums: &[[f32; CHUNK]], highs: &mut [f32]) {
        class_scores::class_highs(sums, highs);
    }

    /// The lowest score of a chunk of classes.
    fn class_low(&self, chunk: &[f32; CHUNK]) -> f32 {
        class_scores::class_low(chunk)
    }

    /// Adds what lists of weights give to the scores of their classes.
    fn add_listed_weights(&self, sums: &mut [f32], weights: &ClassWeights, terms: &[(u32, f32)]) {
        class_scores::add_listed_weights(sums, weights, terms);
    }

    /// Solves rows one after the other.
    fn run_lane(&self, lane: &mut Lane, state: &State, rows: &[u32], steps: Steps) {
        lane.run(state, rows, steps, &Nothing);
    }

    /// Changes the weights of a shard as a lane's rows moved them.
    fn apply_changes(
        &self,
        shard: &mut Shard<'_>,
        changes: &Changes,
        rows: (&Problem, &[RowDuals]),
    ) {
        apply_changes(shard, changes, rows, &Nothing);
    }

    /// Changes the weights of some classes as a block's rows moved them, then scores the rows of the next block.
    fn follow_moves(&self, part: &mut Part, problem: &Problem, moves: &Moves, rows: &[u32]) {
        part.follow(problem, moves, rows, &Nothing);
    }

    /// Solves a block's rows one after the other.
    fn visit_rows(&self, block: &mut RowBlock, visit: &mut RowVisit<'_>) {
        block.visit(visit, &Nothing);
    }
}

/// The inner loops of training a Weston-Watkins machine by bundles of classes that rotate.
pub trait BundleKernels: ExactKernels {
    /// Lets two bundles meet.
    fn hold_meeting(&self, pair: &mut Pair, round: Round<'_>, duals: &mut PairDuals) -> PairMoved {
        pair.meet(round, duals, &Nothing)
    }

    /// Moves what two bundles moved that met elsewhere; whether it can be that.
    fn follow_meeting(&self, pair: &mut Pair, round: Round<'_>, moved: &PairMoved) -> bool {
        pair.follow(round, moved, &Nothing)
    }

    /// The sum of what rows lose by the classes of a bundle, given the scores of their own classes.
    fn bundle_loss(&self, bundle: &Bundle, rows: &Problem, own: &[f64], of: (usize, usize)) -> f64 {
        bundle.loss(rows, own, of, &Nothing)
    }
}

/// The inner loop of training MACH.
pub trait MachKernels: Kernels {
    /// One row's step of training heads of MACH.
    fn mach_step(&self, step: &mut Step<'_>) {
        step.take();
    }
}

/// The inner loops of training embeddings.
pub trait EmbeddingKernels: Kernels {
    /// One visit of a row in the training of an embedding.
    fn visit(&self, visit: &mut Visit<'_>) {
        visit::visit(visit);
    }

    /// The steps of the classes after a visit; `gradient` is memory for M numbers.
    fn step_classes(
        &self,
        space: &mut Space,
        visited: &Visited,
        rule: &StepRule,
        gradient: &mut [f32],
    ) {
        space::step_classes(space, visited, rule, gradient);
    }

    /// The steps of the vectors of features after a batch of visits.
    fn step_vectors(&self, steps: &mut VectorSteps<'_>) {
        steps::step_vectors(steps);
    }
}

/// The inner loops of every family.
pub trait TrainingKernels:
    OneVsRestKernels + BundleKernels + MachKernels + EmbeddingKernels
{
}

impl<T: OneVsRestKernels + BundleKernels + MachKernels + EmbeddingKernels> TrainingKernels for T {}

/// The kernels as this crate's target compiles them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl Kernels for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }
}

impl OneVsRestKernels for Portable {}
impl ExactKernels for Portable {}

impl BundleKernels for Portable {}
impl MachKernels for Portable {}
impl EmbeddingKernels for Portable {}
