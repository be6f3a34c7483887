//! From bytes of text to rows: readers, writers and the vectorizer, from outside.

// A test may panic, in its helper functions too, which clippy does not know for tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod executors;
mod messages;
mod reading;
mod real_data;
mod round_trips;
mod vectorizing;
