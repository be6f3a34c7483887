//! An executor that shows whether results depend on threads.

use hapax_core::executor::{Job, Workers};

/// Says it has many threads and runs the jobs backwards.
pub(crate) struct Backwards(pub(crate) usize);

impl Workers for Backwards {
    fn count(&self) -> usize {
        self.0
    }

    fn run(&self, jobs: Vec<Job<'_>>) {
        jobs.into_iter().rev().for_each(|job| job());
    }
}
