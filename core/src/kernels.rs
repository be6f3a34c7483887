//! The inner loops of prediction, and the seam to the processor they run on.
//!
//! A loop is coarse (a block of labels, a block of rows), written as fixed-lane code over integers
//! or with a fixed order of summation, so that every compiler target computes the same bits.
//! [`Kernels::processor`] says which instructions it is compiled for: [`Processor::run`] takes any
//! loop, and the loops of training are run by it as well. The crate `hapax` detects the processor.
//!
//! A loop of prediction is a [`Task`], so that all of them are one call of a [`Kernels`] object. An
//! implementation may override the three that are methods with instructions that no compiler finds;
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
mod task;
pub(crate) mod terms;
#[cfg(test)]
mod tests;
pub(crate) mod wide;

pub use hapax_processor::Processor;
pub use label_codes::BLOCK as LABEL_BLOCK;
pub(crate) use label_scan::LabelScan;
pub(crate) use postings::Posted;
use sums::AddTails;
pub use sums::{HeadTerm, TailTerm};
pub use task::Task;
pub(crate) use terms::Term;

/// The inner loops of prediction; see the module's text for what an implementation may change.
pub trait Kernels: Sync {
    /// The instructions that loops are compiled for, those that are not overridden here.
    fn processor(&self) -> Processor {
        Processor::portable()
    }

    /// Runs a loop.
    #[inline(always)]
    fn run(&self, task: Task<'_>) {
        task.run_on(self.processor());
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
