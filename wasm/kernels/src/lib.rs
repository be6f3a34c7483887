//! The kernels of `hapax-core` once more, compiled in a crate of their own.
//!
//! The npm package is built for size, this crate for speed (`[profile.wasm]` of the workspace).
//! What is compiled here of the core are the few loops that decide the speed of a query, and of
//! training MACH. The code is the core's own, so the answers are; only the scan of label codes and
//! the sums of linear models are written for the instructions of 128-bit vectors, in forms that no
//! compiler finds.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod scan;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod sums;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use hapax_core::kernels::{HeadTerm, TailTerm};
use hapax_core::{kernels::Kernels, train::mach::MachKernels};

/// The kernels. A static, so that this crate is the one that compiles them.
pub static KERNELS: &dyn Kernels = &Compiled;

/// The kernels that train MACH.
pub static MACH_KERNELS: &dyn MachKernels = &Compiled;

/// The core's kernels, compiled for speed, with vectors in the file that uses them.
struct Compiled;

impl Kernels for Compiled {
    #[cfg(not(feature = "kinds"))]
    #[inline(always)]
    fn run(&self, task: hapax_core::kernels::Task<'_>) {
        task.run_of_neighbors();
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn add_heads(&self, sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
        sums::add_heads(sums, heads, terms);
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn add_tails(&self, sums: &mut [i16; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
        sums::add_tails(sums, tails, terms);
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn scan(
        &self,
        codes: &[u8],
        tables: &[u8],
        heads: usize,
        sums: &mut [u16],
        maxima: &mut [u16],
    ) {
        scan::scan(codes, tables, heads, sums, maxima);
    }
}

impl MachKernels for Compiled {}
