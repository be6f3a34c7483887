//! Extreme classification on a computer with an operating system: choosing among thousands to
//! millions of labels with threads, files and the widest vector instructions the machine has.
//!
//! # A tour
//! All that computes is in [`core`], the crate `hapax-core`, which needs no operating system. This
//! crate adds [`threads::Threads`], the executor that runs its loops on all processors; [`files`],
//! which reads compressed text, maps models into memory and writes them whole or not at all;
//! [`npy`], which reads dense rows; [`kernels`], the inner loops compiled for the vector units that
//! are there; [`checkpoint`], which lets a training outlive its process, and [`distributed`], which
//! shares one out to machines; and, with the feature `cli`, the command `hapax`. [`train`] does
//! what `hapax train` does, and [`ModelFile`] gives models `load` and `save`.
//!
//! ```
//! use hapax::core::data::{Dataset, ReadOptions, Source, read};
//! use hapax::core::{model::{Model, Scratch}, parameters::NearestParameters};
//! use hapax::{ModelFile, kernels, threads::Threads};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("model.hapax");
//! let threads = Threads::new(0)?;
//!
//! // Rows: labels, then index:value. Texts go through `core::text::Vectorizer`.
//! let text = b"3 4 2\n0 0:1 1:0.5\n1 2:1\n1 2:0.5 3:1\n";
//! let Source::Rows(data) = read(text, &ReadOptions::default(), &threads)?.source else {
//!     unreachable!("the header says that these are rows")
//! };
//! let parameters = NearestParameters { neighbors: 2, ..Default::default() };
//! let model = Model::train_nearest(parameters, &data, None)?;
//! model.save(&path)?;
//!
//! let model = Model::load(&path)?;
//! let mut scratch = Scratch::new(kernels::best());
//! assert_eq!(model.predict(data.rows().row(1), 1, &mut scratch)?[0].id, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//! Loops over rows are jobs of [`core::executor::Executor`], whose results come back in the order
//! of the jobs, and no sum depends on how jobs are spread. So the number of threads changes no bit
//! of a model or an answer; nor do the vector units, whose code adds in the order of the portable
//! code.
//!
//! # Cost
//! A mapped model costs no memory but what is read of it. Every thread that answers holds one
//! [`core::model::Scratch`]. Reading text holds the whole decompressed file beside the rows.
//!
//! # What is not promised
//! Nobody may cut or rewrite a model file in place while it is mapped: replace it by renaming, as
//! [`files::write_whole`] does.
#![deny(unsafe_code)]

pub use hapax_core as core;

pub mod checkpoint;
mod costs;
pub mod distributed;
pub mod files;
mod fuse;
pub mod kernels;
mod model_file;
pub mod npy;
pub mod processes;
pub mod sealed;
#[cfg(feature = "serve")]
pub mod serve;
pub mod tables;
pub mod threads;
pub mod thresholds;
mod token_vectors;
mod training;

pub use costs::{CostChoice, choose_cost};
pub use fuse::{Fuse, LeftOut};
pub use model_file::{LoadError, ModelFile};
pub use token_vectors::{
    TokenVectors, VectorsError, first_words, is_word, read_vectors, weight_of_vectors,
};
pub use training::{
    BYTES_A_FEATURE, TextFeatures, TrainingError, Vectorized, train, train_watched,
    train_with_vectors, vectorize, vectorize_knowing,
};

/// The example of docs/library.md, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/library.md")]
struct Library;
