//! Extreme classification on a computer with an operating system: what `hapax-core` computes,
//! with threads, files and the widest vector instructions the machine has.
#![deny(unsafe_code)]

pub use hapax_core as core;

pub mod files;
pub mod kernels;
pub mod threads;
