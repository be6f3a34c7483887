//! The few inner loops that decide the speed, each written once.
//!
//! A kernel is a coarse loop (a block of labels, a block of rows), written as
//! fixed-lane code over integers or with a fixed order of summation, so that every
//! compiler target computes the same bits. The default methods of [`Kernels`] are that code.
//! An implementation may override a method only to run the *same* code compiled for wider
//! vector units, or instructions that give the same bits; the crate `hapax` does so for x86-64,
//! and its tests hold every override against [`Portable`].
//!
//! Scratch memories carry a `&'static dyn Kernels`, so models need not know of them.

use crate::{
    model::linear::sums::{self, HeadTerm, TailTerm},
    search::neighbors::{BLOCK, BlockBounds, ForwardRows, Posted},
    train::{
        dual::sweep::{self, GradientRange, Sweep},
        exact::{
            class_scores::{self, CHUNK, Chunk},
            lane::Lane,
            state::State,
            weights::FeatureWeights,
        },
    },
};

/// The inner loops; see the module's text for what an implementation may change.
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

    /// One sweep of dual coordinate descent over the rows of one label.
    fn sweep(&self, state: &mut Sweep<'_>) -> GradientRange {
        sweep::sweep(state, |_| ())
    }

    /// Adds the dense parts of a row's features to the sums of the labels.
    fn add_heads(&self, sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
        sums::add_heads(sums, heads, terms);
    }

    /// Adds the sparse parts of a row's features to the sums of the labels.
    fn add_tails(&self, sums: &mut [i16; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
        sums::add_tails(sums, tails, terms);
    }

    /// The largest sum of each 64 labels.
    fn block_maxima(&self, sums: &[i16], out: &mut [i16]) {
        sums::block_maxima(sums, out);
    }

    /// Turns the sums of up to 64 labels into scores and returns the largest.
    fn scores(
        &self,
        sums: &[i16],
        scales: &[f32],
        biases: &[f32],
        unit: f32,
        out: &mut [f32; 64],
    ) -> f32 {
        sums::scores(sums, scales, biases, unit, out)
    }

    /// Adds to the scores of all classes what dense features give, in their order.
    fn add_class_weights(&self, sums: &mut [f32], lists: &[FeatureWeights], terms: &[(u32, f32)]) {
        class_scores::add_class_weights(sums, lists, terms);
    }

    /// Sums and extremes of a chunk of classes' scores.
    fn class_shortfalls(&self, chunk: &[f32; CHUNK], base: f32) -> Chunk {
        class_scores::class_shortfalls(chunk, base)
    }

    /// Solves rows one after the other.
    fn run_lane(&self, lane: &mut Lane, state: &State, rows: &[u32], tolerance: f64) {
        lane.run(state, rows, tolerance);
    }
}

/// The kernels as this crate's target compiles them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl Kernels for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }
}
