//! Core through its public names, as one program.
//!
//! ```text
//! cargo test -p hapax-core --test all metrics::
//! ```

mod metrics;
mod metrics_by_hand;
mod several_processes;
mod statistics;
mod text_to_rows;
mod toy_size;
