//! The kernels of `hapax-core` once more, compiled in a crate of their own.
//!
//! The npm package is built for size, this crate for speed (`[profile.wasm]` of the workspace). What
//! is compiled here of the core are the few loops that decide the speed of a query. The code is the
//! core's own, so the answers are.

#![no_std]
#![forbid(unsafe_code)]

use hapax_core::kernels::Kernels;

/// The kernels. A static, so that this crate is the one that compiles them.
pub static KERNELS: &dyn Kernels = &Compiled;

/// The core's kernels, compiled for speed, with vectors in the file that uses them.
struct Compiled;

impl Kernels for Compiled {
    fn name(&self) -> &'static str {
        "wasm"
    }
}
