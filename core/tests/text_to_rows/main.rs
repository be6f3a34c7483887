//! From bytes of text to rows: readers, writers and the vectorizer, from outside.

mod executors;
mod messages;
mod reading;
mod real_data;
mod round_trips;
mod vectorizing;
