//! How parallel work reaches this crate: an ordered map over numbered jobs.

use alloc::vec::Vec;

/// Runs numbered jobs and returns their results in job order.
///
/// Algorithms take an executor as a type parameter of the method that needs it. Because results
/// come back in job order and each job depends on nothing but its number, the number of
/// threads never shows in an answer.
pub trait Executor {
    /// How many jobs may run at once (at least 1). For sizing work, never for deciding results.
    fn threads(&self) -> usize;

    /// Calls `run(scratch, job)` for every job in `0..jobs` and returns the results in job order.
    /// Each worker makes its own scratch memory with `scratch` and reuses it.
    fn map<S, R, I, F>(&self, jobs: usize, scratch: I, run: F) -> Vec<R>
    where
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, usize) -> R + Sync;

    /// Calls `run(scratch, item)` for every item, which moves in, and returns the results in the
    /// order of the items: for work that changes parts of a whole in place.
    fn map_items<T, S, R, I, F>(&self, items: Vec<T>, scratch: I, run: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, T) -> R + Sync,
    {
        let mut own = scratch();
        items.into_iter().map(|item| run(&mut own, item)).collect()
    }
}

/// The executor of one thread: jobs run one after the other, here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Executor for Sequential {
    fn threads(&self) -> usize {
        1
    }

    fn map<S, R, I, F>(&self, jobs: usize, scratch: I, run: F) -> Vec<R>
    where
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, usize) -> R + Sync,
    {
        let mut own = scratch();
        (0..jobs).map(|job| run(&mut own, job)).collect()
    }
}
