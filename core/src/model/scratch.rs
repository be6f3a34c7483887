//! The memory of queries.

use super::{
    embedding::EmbeddingScratch, linear::LinearScratch, mach::MachScratch, nearest::NearestScratch,
};
use crate::{kernels::Kernels, sparse::SparseVec, text::TextScratch};

/// The memory that queries need, owned by the caller and reused.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) nearest: NearestScratch,
    pub(crate) linear: LinearScratch,
    pub(crate) mach: MachScratch,
    pub(crate) embedding: EmbeddingScratch,
    pub(crate) text: TextScratch,
    pub(crate) standardized: SparseVec,
}

impl Scratch {
    /// Scratch memory whose searches run these kernels.
    #[must_use]
    pub fn new(kernels: &'static dyn Kernels) -> Self {
        Self {
            nearest: NearestScratch::new(kernels),
            linear: LinearScratch::new(kernels),
            mach: MachScratch::new(kernels),
            embedding: EmbeddingScratch::new(kernels),
            text: TextScratch::default(),
            standardized: SparseVec::default(),
        }
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new(&crate::kernels::Portable)
    }
}
