//! The portable heart of **hapax**: extreme classification, that is choosing among
//! thousands to millions of labels, most of which occur a handful of times.
//!
//! This crate needs no operating system: it runs unchanged, and with the same answers
//! to the last bit, on servers, in browsers, in edge workers and on microcontrollers.
//! Threads, files and the `hapax` command live in the crate `hapax`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(not(target_endian = "little"))]
compile_error!(
    "hapax borrows little-endian arrays from model files: big-endian targets are not supported"
);

pub mod array;
pub mod data;
pub mod executor;
pub mod float;
pub mod kernels;
pub mod model;
pub mod names;
pub mod random;
pub mod search;
pub mod sparse;
pub mod train;
