//! The inner loops of prediction, and the seam to the processor they run on.
//!
//! A loop is coarse (a block of labels, a block of rows), written as fixed-lane code over integers
//! or with a fixed order of summation, so that every compiler target computes the same bits.
//! [`Kernels::processor`] says which instructions it is compiled for: [`Processor::run`] takes any
//! loop, and the loops of training are run by it as well. The crate `hapax` detects the processor.
//!
//! An implementation may override a loop of prediction with instructions that give the same bits;
//! tests hold every override against [`Portable`].
//!
//! Scratch memories carry a `&'static dyn Kernels`, so models need not know of them.

pub(crate) mod bounds;
pub(crate) mod four_rows;
pub(crate) mod label_codes;
pub(crate) mod label_scan;
pub(crate) mod panels;
pub(crate) mod postings;
pub(crate) mod probabilities;
pub(crate) mod prototype_weights;
pub(crate) mod sums;
pub(crate) mod terms;
pub(crate) mod wide;

pub use bounds::{BLOCK as ROW_BLOCK, BlockBounds};
pub use four_rows::FourRows;
pub use hapax_processor::Processor;
pub use label_codes::BLOCK as LABEL_BLOCK;
pub(crate) use label_scan::LabelScan;
use label_scan::score_labels;
pub(crate) use postings::Posted;
use sums::AddTails;
pub use sums::{HeadTerm, LabelBounds, TailTerm};
pub use terms::Term;

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

    /// For blocks of [`LABEL_BLOCK`] labels, with `heads` lines of codes each, the sums of the
    /// tables' bytes at the labels' codes, and the largest sum of each block. Tables have
    /// `tables.len() / heads` bytes, and codes are below that; there are at most 257 heads.
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
            move || terms::add_terms(sums, weights, terms),
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

/// The kernels as this crate's target compiles them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl Kernels for Portable {}

/// The core's own loops, compiled for these instructions.
impl Kernels for Processor {
    fn processor(&self) -> Processor {
        *self
    }
}
