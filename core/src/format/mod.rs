//! The model file: one file of bytes that holds everything a model needs.
//!
//! # Grammar
//! All numbers are little-endian. A file is
//!
//! ```text
//! file      = header metadata padding { section padding } section
//! header    = magic version kind file-length metadata-length checksum reserved      (64 bytes)
//! magic     = "HAPAX" 1A 0D 0A                                                       offset  0
//! version   = u32, 1                                                                 offset  8
//! kind      = u32, 1 = nearest neighbors, 2 = linear, 3 = MACH, 4 = prototypes       offset 12
//! file-length     = u64, bytes of the whole file                                     offset 16
//! metadata-length = u32, at most 1 MiB                                               offset 24
//! checksum  = u32, CRC-32 (ISO-HDLC) of the header with this field zero, and metadata, offset 28
//! reserved  = 32 zero bytes                                                          offset 32
//! metadata  = postcard encoding of (section table, description)
//! section table = list of (id: u16, offset: u64, length: u64, CRC-32: u32)
//! padding   = zero bytes up to the next multiple of 64
//! section   = an array of u8, u16, u32, u64 or f32
//! ```
//!
//! Sections follow each other by rising id without holes, and the file ends with the last one's
//! last byte. There is one encoding of each model: a reader refuses padding other than zero,
//! metadata that would be written differently, and sections it does not expect, so equal models
//! have equal bytes.
//!
//! Section 8, in models of standardized or weighed rows alone, has 2 D `f32`: the means of the
//! features, then the inverse of their standard deviations, 0 for a feature that is left out: a
//! method sees `(x - mean) * inverse`. Or it has D: weights of the features, by which stored values
//! are multiplied.
//!
//! Section 7, the calibration, is absent from models that were not calibrated. It has 39 `f32`, or
//! 40:
//!
//! ```text
//! calibration = micro macro abstain first later none [1]
//! first, none = low[2] high[2] weight[6]           curves of (s_1, s_1 - s_2)
//! later       = low[3] high[3] weight[10]          curve of (s_r, s_1 - s_r, ln r)
//! ```
//!
//! With the last 1 the curves see logarithms of scores (`model::Calibration`). Thresholds are from
//! 0 to 1, `low <= high`, and weights within 10,000. The weights of a curve belong to 1, then for
//! each input to itself and to its products with itself and all that follow.
//!
//! # What is checked
//! Every length against the file before anything is allocated, all checksums, then the meaning:
//! ids in range and rising, values finite. Arrays are windows into the bytes that were given
//! (`array::Array`), so loading allocates next to nothing. Any bytes give a model or
//! a [`FormatError`]; a model that loads cannot make a later call panic. What follows from numbers
//! alone, such as MACH's bucket codes, may take three times the bytes of the file and 16 MiB.
//!
//! # What is promised
//! A file of version n is readable by every later release; a golden file of each release stays in
//! the tests.

mod calibrated;
mod checksum;
mod claims;
mod container;
mod embedding;
mod error;
mod linear;
mod mach;
mod model;
mod nearest;
mod sections;
mod standardized;
mod texts;

#[cfg(test)]
mod damage;
#[cfg(test)]
mod tests;

pub(crate) use container::{Container, ContainerWriter};
pub use error::FormatError;
pub use model::sizes;
pub(crate) use sections::SectionId;
