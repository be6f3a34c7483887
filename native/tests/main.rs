//! The methods on real data, and the command as a user runs it: one program, so that what they
//! train with is compiled once.
//!
//! ```text
//! cargo test -p hapax --test all mach::
//! ```

mod command;
mod embedding;
mod evaluation_threads;
mod exact;
mod mach;
mod memoir;
mod one_vs_rest;
mod reduction;
