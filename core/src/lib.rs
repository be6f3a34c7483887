//! The portable heart of **hapax**: extreme classification, that is choosing among
//! thousands to millions of labels, most of which occur a handful of times.
//!
//! This crate needs no operating system: it runs unchanged, and with the same answers
//! to the last bit, on servers, in browsers, in edge workers and on microcontrollers.
//! Threads, files and the `hapax` command live in the crate `hapax`.
//!
//! # A tour
//! The road goes one way. [`data::read`] turns bytes into rows with labels, or into texts with
//! labels, which a [`text::Vectorizer`] turns into [`sparse`] rows. Training makes a
//! [`model::Model`] of them. `Model::to_bytes` writes it to one file of the [`format`](mod@format),
//! with the vectorizer and the names of the labels, and `Model::from_bytes` borrows its arrays from
//! such bytes. A model answers rows and texts with the best labels by one total order
//! ([`search::rank`]), and [`metrics`] says how good its answers are.
//!
//! ```
//! use hapax_core::data::{Dataset, ReadOptions, Source, read};
//! use hapax_core::{model::{Model, Scratch}, parameters::NearestParameters};
//! use hapax_core::{executor::Sequential, text::Vectorizer};
//!
//! let lines = b"where is my card\tarrival\nmy card was lost\tlost\ni lost a card\tlost\n";
//! let Source::Texts(documents) = read(lines, &ReadOptions::default(), &Sequential)?.source else {
//!     unreachable!("lines with tabs are texts")
//! };
//! let (vectorizer, rows) =
//!     Vectorizer::fit_transform(&documents.texts, Default::default(), &Sequential)?;
//! let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
//! let parameters = NearestParameters { neighbors: 2, ..Default::default() };
//! let model = Model::train_nearest(parameters, &data, Some(vectorizer))?;
//!
//! let loaded = Model::from_bytes(model.to_bytes()?)?;
//! let answers = loaded.predict_text("my card is lost", 1, &mut Scratch::default())?;
//! assert_eq!(answers[0].name.as_deref(), Some("lost"));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # How it works
//! What differs between machines is behind two seams: an [`executor::Executor`] runs ordered jobs,
//! on threads where there are some, and [`kernels::Kernels`] are the inner loops, in wider
//! registers where there are some. Both keep every bit: results come back in the order of jobs, and
//! sums have a fixed order. Mathematical functions come from `mod@float`, random numbers from
//! [`random::Stream`]. Memory for queries is a [`model::Scratch`] that the caller owns.
//!
//! # Cost
//! Structures state their memory where they are defined; `Model::from_bytes` allocates at most a
//! quarter more than the bytes it is given, and next to nothing if they are aligned. A MACH model
//! computes its bucket codes besides; no file may ask for more than three times its bytes and
//! 16 MiB. Large allocations of reading, loading, querying and writing are fallible and end in an
//! error. Training says beforehand what it will hold (`memory_estimate` of the parameters); the
//! lists of weights and duals of `ovr`, `cs`, `ww` and MEMOIR, which grow as it goes on, end the
//! program where memory is lacking.
//!
//! # What is not promised
//! Scores rank labels; they are not probabilities. Targets with big-endian numbers are refused by
//! the compiler.
//!
//! # Papers
//! Nearest neighbors: T. Aoshima, K. Kobayashi, M. Minami, *Revisiting the vector space model:
//! sparse weighted nearest-neighbor method for extreme multi-label classification*, 2018: the
//! similarity and the votes. MEMOIR: A. Belyy, A. Sholokhov, *MEMOIR: multi-class extreme
//! classification with inexact margin*, 2018 ([`train::MemoirTrainer`]). Few dimensions: N. Halko,
//! P.-G. Martinsson, J. A. Tropp, *Finding structure with randomness*, 2011, in
//! [`train::Reduction`]. Propensities: H. Jain, Y. Prabhu, M. Varma, *Extreme multi-label loss
//! functions for recommendation, tagging, ranking and other missing label applications*, 2016: the
//! model of section 4 and its constants.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(not(target_endian = "little"))]
compile_error!(
    "hapax borrows little-endian arrays from model files: big-endian targets are not supported"
);

pub use bytes;

pub(crate) mod array;
pub mod data;
pub(crate) mod eigen;
pub mod executor;
pub(crate) mod float;
pub mod format;
pub(crate) mod hash;
pub(crate) mod interner;
pub mod kernels;
pub mod metrics;
pub mod model;
pub(crate) mod names;
pub mod parameters;
pub mod random;
pub mod search;
pub mod sparse;
pub mod text;
mod top;
pub mod train;
mod varint;
