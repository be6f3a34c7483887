//! A file for each promise, as one program.
//!
//! ```text
//! cargo test -p hapax-tests --test all same_bits::
//! ```

mod exact_linear_scores;
mod exact_unless_asked;
mod exhaustive;
mod golden;
mod golden_files;
mod one_file;
mod same_bits;
mod shared_data;
mod total_at_the_border;
