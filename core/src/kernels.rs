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

use crate::search::neighbors::{BLOCK, BlockBounds};

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
}

/// The kernels as this crate's target compiles them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl Kernels for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }
}
