//! From bytes of text to rows: readers, writers and the vectorizer, from outside.

// All of this is tests, which may panic; clippy sees that in `#[test]` functions only.
#![allow(clippy::unwrap_used, clippy::panic)]

mod executors;
mod messages;
mod reading;
mod real_data;
mod round_trips;
mod writing;
