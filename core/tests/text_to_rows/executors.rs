//! An executor that shows whether results depend on threads.

use hapax_core::executor::Executor;

/// Says it has many threads, runs the jobs backwards, and changes scratch memories as it goes.
pub(crate) struct Backwards(pub(crate) usize);

impl Executor for Backwards {
    fn threads(&self) -> usize {
        self.0
    }

    fn map<S, R, I, F>(&self, jobs: usize, scratch: I, run: F) -> Vec<R>
    where
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, usize) -> R + Sync,
    {
        let mut own: Vec<S> = (0..self.0).map(|_| scratch()).collect();
        let mut results: Vec<R> = (0..jobs)
            .rev()
            .map(|job| run(&mut own[job % self.0], job))
            .collect();
        results.reverse();
        results
    }
}
