//! The inner loops of prediction, and the seam to the processor they run on.
//!
//! A loop is coarse (a block of labels, a block of rows), written as fixed-lane code over integers or with
//! a fixed order of summation, so that every compiler target computes the same bits.
//! [`Kernels::processor`] says which instructions it is compiled for: [`Processor::run`] takes any loop, and
//! the loops of training are run by it as well. The crate `hapax` detects the processor.
//!
//! An implementation may override a loop of prediction with instructions that give the same bits; tests
//! hold every override against [`Portable`].
//!
//! Scratch memories carry a `&'static dyn Kernels`, so models need not know of them.

mod bounds;
pub(crate) mod four_rows;
pub(crate) mod label_codes;
pub(crate) mod label_scan;
pub(crate) mod panels;
mod postings;
pub(crate) mod prototype_weights;
pub(crate) mod sums;
pub(crate) mod wide;

use crate::{
    kernels::{
        label_scan::score_labels,
        sums::{self, AddTails},
        wide,
    },
    train::{
        mach::step,
        multiclass::{
            changes::{Changes, apply_changes},
            class_scores::{self, CHUNK},
            class_weights::{ClassWeights, Shard},
            duals::RowDuals,
            halves::Halves,
            lee_lin_wahba::{
                block::{Block as RowBlock, Visit as RowVisit},
                part::{Moves, Part},
            },
            prefetch::Nothing,
            problem::Problem,
            row_batch::Lane,
            row_step::Steps,
            state::State,
        },
        published::bundles::{
            bundle::Bundle,
            meeting::Round,
            pair::{Pair, PairDuals, PairMoved},
        },
    },
};
pub use four_rows::FourRows;
pub use hapax_processor::Processor;

pub use crate::{
    kernels::{
        bounds::{BLOCK as ROW_BLOCK, BlockBounds},
        label_codes::BLOCK as LABEL_BLOCK,
        label_scan::LabelScan,
        postings::Posted,
        sums::{HeadTerm, LabelBounds, TailTerm},
    },
    train::mach::step::{Step as MachStep, Term},
};

/// The inner loops of prediction; see the module's text for what an implementation may change.
pub trait Kernels: Sync {
    /// The instructions that loops are compiled for, those that are not overridden here.
    fn processor(&self) -> Processor {
        Processor::portable()
    }

    /// The name of the instruction set, for reports: `portable`, `avx2`, …
    fn name(&self) -> &'static str {
        self.processor().name()
    }

    /// Upper bounds on the similarity of a block of rows with a query, and the highest of each
    /// 16 rows.
    #[inline(always)]
    fn bound_block(
        &self,
        block: &BlockBounds<'_>,
        bounds: &mut [f32; ROW_BLOCK],
        highest: &mut [f32; ROW_BLOCK / 16],
    ) {
        self.processor().run(
            #[inline(always)]
            move || block.compute(bounds, highest),
        );
    }

    /// Adds the postings of one feature to the sums of the rows; rows beyond them are passed over.
    #[inline(always)]
    fn add_postings(&self, posted: Posted<'_>, sums: &mut [u32]) {
        posted.add(sums);
    }

    /// The dot product and the number of shared features of four stored rows with a query given
    /// densely: one value a feature, 0 where it stores nothing.
    #[inline(always)]
    fn dots(&self, rows: &FourRows<'_>, query: &[f32]) -> [(f32, u32); 4] {
        rows.dots(query)
    }

    /// Adds the dense parts of a row's features to the sums of the labels.
    fn add_heads(&self, sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
        self.processor().run(
            #[inline(always)]
            move || sums::add_heads(sums, heads, terms),
        );
    }

    /// Adds the sparse parts of a row's features to the sums of the labels.
    fn add_tails(&self, sums: &mut [i16; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
        self.processor().run(AddTails { sums, tails, terms });
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
        self.processor().run(
            #[inline(always)]
            move || sums::promising_blocks(sums, bounds, first, unit, least),
        )
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
        self.processor().run(
            #[inline(always)]
            move || sums::scores(sums, scales, biases, unit, least, out),
        )
    }

    /// [`Kernels::add_heads`] of weights of 16 bits.
    fn add_wide_heads(&self, sums: &mut [i32], heads: &[i16], terms: &[HeadTerm]) {
        self.processor().run(
            #[inline(always)]
            move || wide::add_heads(sums, heads, terms),
        );
    }

    /// [`Kernels::add_tails`] of weights of 16 bits.
    fn add_wide_tails(&self, sums: &mut [i32; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
        self.processor().run(AddTails { sums, tails, terms });
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
        self.processor().run(
            #[inline(always)]
            move || sums::promising_blocks(sums, bounds, first, unit, least),
        )
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
        self.processor().run(
            #[inline(always)]
            move || sums::scores(sums, scales, biases, unit, least, out),
        )
    }

    /// For blocks of [`LABEL_BLOCK`] labels, with `heads` lines of codes each, the sums of the tables' bytes
    /// at the labels' codes, and the largest sum of each block. Tables have `tables.len() / heads` bytes,
    /// and codes are below that; there are at most 257 heads.
    fn scan(
        &self,
        codes: &[u8],
        tables: &[u8],
        heads: usize,
        sums: &mut [u16],
        maxima: &mut [u16],
    ) {
        self.processor().run(
            #[inline(always)]
            move || label_codes::scan(codes, tables, heads, sums, maxima),
        );
    }

    /// Adds rows of weights, each times its value, to sums.
    fn add_terms(&self, sums: &mut [f32], weights: &[f32], terms: &[Term]) {
        self.processor().run(
            #[inline(always)]
            move || step::add_terms(sums, weights, terms),
        );
    }

    /// Scores panels of the prototypes of an embedding model.
    fn score_labels(&self, scan: &mut LabelScan<'_>) {
        self.processor().run(
            #[inline(always)]
            move || score_labels(scan),
        );
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

/// The inner loop of training MACH, beside those of prediction: a package compiled for size has it
/// compiled for speed.
pub trait MachKernels: BundleKernels {
    /// One row's step of training heads of MACH.
    fn mach_step(&self, step: MachStep<'_>) {
        self.processor().run(step);
    }
}

/// The kernels as this crate's target compiles them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl Kernels for Portable {}
impl ExactKernels for Portable {}
impl BundleKernels for Portable {}
impl MachKernels for Portable {}

/// The core's own loops, compiled for these instructions.
impl Kernels for Processor {
    fn processor(&self) -> Processor {
        *self
    }
}

impl ExactKernels for Processor {}
impl BundleKernels for Processor {}
impl MachKernels for Processor {}
