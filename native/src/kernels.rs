//! The kernels of `hapax-core`, for the vector units that this machine turns out to have.
//!
//! Loops are the core's own, compiled for the detected [`Processor`]. Two are overridden on x86-64
//! by instructions that no compiler finds, with the same bits.

use hapax_core::{
    kernels::{HeadTerm, Kernels, Portable, Processor},
    train::mach::MachKernels,
};
#[cfg(target_arch = "x86_64")]
use hapax_processor::Instructions;
use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
mod heads;
#[cfg(target_arch = "x86_64")]
mod scan;

/// The fastest kernels this machine can run.
#[must_use]
pub fn best() -> &'static dyn MachKernels {
    match DETECTED.last() {
        Some(kernels) => kernels,
        None => &Portable,
    }
}

/// All kernels this machine can run, the fastest last.
#[must_use]
pub fn available() -> Vec<&'static dyn MachKernels> {
    DETECTED
        .iter()
        .map(|kernels| kernels as &dyn MachKernels)
        .collect()
}

static DETECTED: LazyLock<Vec<Detected>> =
    LazyLock::new(|| Processor::available().map(Detected).collect());

/// The kernels for a processor that was detected.
struct Detected(Processor);

#[cfg_attr(
    target_arch = "x86_64",
    allow(
        unsafe_code,
        reason = "calls of functions compiled for instructions that were detected"
    )
)]
impl Kernels for Detected {
    fn processor(&self) -> Processor {
        self.0
    }

    fn add_heads(&self, sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
        match self.0.instructions() {
            // SAFETY: the processor has these instructions, for only detection makes such a one.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { heads::add_heads_avx2(sums, heads, terms) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { heads::add_heads_avx512(sums, heads, terms) },
            _ => self.0.add_heads(sums, heads, terms),
        }
    }

    fn scan(
        &self,
        codes: &[u8],
        tables: &[u8],
        heads: usize,
        sums: &mut [u16],
        maxima: &mut [u16],
    ) {
        #[cfg(target_arch = "x86_64")]
        if scan::scan(self.0.instructions(), codes, tables, heads, sums, maxima) {
            return;
        }
        self.0.scan(codes, tables, heads, sums, maxima);
    }
}

impl MachKernels for Detected {}

#[cfg(test)]
mod tests;
