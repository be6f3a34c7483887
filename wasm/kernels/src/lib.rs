//! The kernels of `hapax-core` once more, compiled in a crate of their own.
//!
//! The npm package is built for size, this crate for speed (`[profile.wasm]` of the workspace). What
//! is compiled here of the core are the few loops that decide the speed of a query, and of training MACH. The code
//! is the core's own, so the answers are; only the scan of label codes is written for the instructions of 128-bit
//! vectors, because no compiler finds them.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod scan;

use hapax_core::kernels::{Kernels, MachKernels};

/// The kernels. A static, so that this crate is the one that compiles them.
pub static KERNELS: &dyn Kernels = &Compiled;

/// The kernels that train MACH.
pub static MACH_KERNELS: &dyn MachKernels = &Compiled;

/// The core's kernels, compiled for speed, with vectors in the file that uses them.
struct Compiled;

impl Kernels for Compiled {
    fn name(&self) -> &'static str {
        "wasm"
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
