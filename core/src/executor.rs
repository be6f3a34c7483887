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

    /// Seconds until trials should be over and the best of them trained, where somebody set a
    /// limit: what is tried then depends on the machine.
    fn seconds_left(&self) -> Option<f64> {
        None
    }

    /// Calls `run(scratch, job)` for every job in `0..jobs` and returns the results in job order.
    /// Each worker makes its own scratch memory with `scratch` and reuses it.
    fn map<S, R, I, F>(&self, jobs: usize, scratch: I, run: F) -> Vec<R>
    where
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, usize) -> R + Sync,
    {
        // A run of jobs has one scratch memory; short runs at the end keep all workers busy.
        let runs = match self.threads() {
            1 => 1,
            threads => threads * 16,
        };
        let length = (jobs / runs).max(1);
        let starts = (0..jobs).step_by(length).collect();
        let parts = self.map_items(starts, |_, start: usize| {
            let (mut own, end) = (scratch(), jobs.min(start + length));
            (start..end).map(|job| run(&mut own, job)).collect()
        });
        let mut results = Vec::with_capacity(jobs);
        let append = |mut part: Vec<R>| results.append(&mut part);
        parts.into_iter().for_each(append);
        results
    }

    /// Calls `run(place, item)` for every item and returns the results in the order of the items.
    /// Each item is owned by its call, so items may be parts of something larger that change in
    /// place.
    fn map_items<T, R, F>(&self, items: Vec<T>, run: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(usize, T) -> R + Sync,
    {
        let numbered = items.into_iter().enumerate();
        numbered.map(|(place, item)| run(place, item)).collect()
    }
}

/// The executor of one thread: jobs run one after the other, here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Executor for Sequential {
    fn threads(&self) -> usize {
        1
    }

    // As the trait has it, without lists of runs, which are 5 kB of a wasm file that trains.
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

#[cfg(test)]
pub(crate) mod tests {
    use super::Executor;
    use alloc::vec::Vec;
    use core::cell::Cell;

    /// One thread, with so many seconds left; each look at them takes `each`.
    pub struct Hurried {
        left: Cell<f64>,
        each: f64,
    }

    impl Hurried {
        pub fn new(left: f64, each: f64) -> Self {
            let left = Cell::new(left + each);
            Self { left, each }
        }
    }

    impl Executor for Hurried {
        fn threads(&self) -> usize {
            1
        }

        fn seconds_left(&self) -> Option<f64> {
            self.left.set(f64::max(self.left.get() - self.each, 0.0));
            Some(self.left.get())
        }
    }

    /// Says it has many threads, runs the jobs backwards, and changes scratch memories as it goes.
    pub struct Many(pub usize);

    impl Executor for Many {
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
}
