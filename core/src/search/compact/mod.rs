//! A nearest-neighbor index that is small and fast at the price of being approximate.
//!
//! Three things are left out. Features stored in too large a share of the rows are dropped; of
//! each row only the largest weights are kept; and each kept weight, divided by the norm of what
//! is kept of its row, is rounded to one of a few [levels](Codebook). Of a query, too, only the
//! largest weights are looked up. What this loses is measured, not promised: see
//! [`Nearest::compacted`](crate::model::Nearest::compacted).
//!
//! What remains is stored by feature, as words of one to three bytes that hold the gap to the next
//! row and the code of its level (`words`). A search adds up integers: the sums do not depend on
//! their order, so the answers are the same to the bit everywhere.
//!
//! Everything stored is an [`Array`](crate::array::Array), so a model file lends it without a copy;
//! [`CompactIndex::from_parts`] accepts any bytes and lets only well-formed ones through.

mod blocks;
mod codebook;
mod compact_error;
mod estimate;
mod index;
mod labels;
mod options;
mod packing;
mod prune;
mod restore;
mod search;
pub(crate) mod words;

pub(crate) use crate::search::compact::arrays::CompactParts;
pub(crate) use codebook::Codebook;
pub(crate) use compact_error::CompactError;
pub(crate) use index::CompactIndex;
pub(crate) use labels::{CompactLabels, CompactLabelsParts};
pub(crate) use options::CompactOptions;
pub(crate) use search::CompactScratch;

mod arrays;
#[cfg(test)]
mod tests;
