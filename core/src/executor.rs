//! How parallel work reaches this crate: an ordered map over numbered jobs.

use alloc::{boxed::Box, vec::Vec};

/// Work for one thread, to be done once.
pub type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Who does the jobs of an [`Executor`]: one thread or many.
pub trait Workers: Sync {
    /// How many jobs may run at once (at least 1).
    fn count(&self) -> usize;

    /// Does each of the jobs once, in any order and on any thread, and returns when all are done.
    fn run(&self, jobs: Vec<Job<'_>>) {
        jobs.into_iter().for_each(|job| job());
    }

    /// Seconds until trials should be over and the best of them trained, where somebody set a
    /// limit: what is tried then depends on the machine.
    fn trial_seconds(&self) -> Option<f64> {
        None
    }

    /// Is called where a numbered job begins, by its thread: a place to unwind from when nobody
    /// wants the results any more.
    fn look(&self) {}
}

/// What runs the numbered jobs of an algorithm and returns their results in job order.
///
/// `&Executor` is what algorithms take, a reference to any [`Workers`]. Because each job depends
/// on nothing but its number, the number of threads never shows in an answer.
#[cfg(feature = "threads")]
pub type Executor = dyn Workers;

/// What runs the numbered jobs of an algorithm and returns their results in job order: without
/// the feature `threads` always [`Sequential`], for which compilers leave out what joins threads'
/// results, 12 kB of a wasm file that trains.
#[cfg(not(feature = "threads"))]
pub type Executor = Sequential;

impl Executor {
    /// How many jobs may run at once (at least 1). For sizing work, never for deciding results.
    pub fn threads(&self) -> usize {
        self.count()
    }

    /// See [`Workers::trial_seconds`].
    pub(crate) fn seconds_left(&self) -> Option<f64> {
        self.trial_seconds()
    }

    /// Calls `run(scratch, job)` for every job in `0..jobs` and returns the results in job order.
    /// Each worker makes its own scratch memory with `scratch` and reuses it.
    pub fn map<S, R, I, F>(&self, jobs: usize, scratch: I, run: F) -> Vec<R>
    where
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, usize) -> R + Sync,
    {
        if cfg!(not(feature = "threads")) {
            let mut own = scratch();
            return (0..jobs).map(|job| run(&mut own, job)).collect();
        }
        // A run of jobs has one scratch memory; short runs at the end keep all workers busy.
        let runs = match self.threads() {
            1 => 1,
            threads => threads * 16,
        };
        let length = (jobs / runs).max(1);
        let mut made = nothing(jobs);
        let parts = made.chunks_mut(length).enumerate();
        let parts = parts.map(|(part, made)| -> Job<'_> {
            let (run, scratch) = (&run, &scratch);
            Box::new(move || {
                let mut own = scratch();
                for (at, made) in made.iter_mut().enumerate() {
                    self.look();
                    *made = Some(run(&mut own, part * length + at));
                }
            })
        });
        self.run(parts.collect());
        made.into_iter().flatten().collect()
    }

    /// Calls `run(place, item)` for every item and returns the results in the order of the items.
    /// Each item is owned by its call, so items may be parts of something larger that change in
    /// place.
    pub fn map_items<T, R, F>(&self, items: Vec<T>, run: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(usize, T) -> R + Sync,
    {
        let numbered = items.into_iter().enumerate();
        if cfg!(not(feature = "threads")) {
            return numbered.map(|(place, item)| run(place, item)).collect();
        }
        let mut made = nothing(numbered.len());
        let mut jobs: Vec<Job<'_>> = Vec::with_capacity(made.len());
        for ((place, item), made) in numbered.zip(&mut made) {
            let run = &run;
            jobs.push(Box::new(move || {
                self.look();
                *made = Some(run(place, item));
            }));
        }
        self.run(jobs);
        made.into_iter().flatten().collect()
    }
}

/// Places for so many results.
fn nothing<R>(count: usize) -> Vec<Option<R>> {
    let mut places = Vec::with_capacity(count);
    places.resize_with(count, || None);
    places
}

/// One worker, the thread that asks: jobs run one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Workers for Sequential {
    fn count(&self) -> usize {
        1
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Job, Workers};
    use alloc::vec::Vec;
    use core::sync::atomic::{AtomicU64, Ordering};

    /// One thread, with so many seconds left; each look at them takes `each`.
    pub struct Hurried {
        /// The bits of what is left.
        left: AtomicU64,
        each: f64,
    }

    impl Hurried {
        pub fn new(left: f64, each: f64) -> Self {
            let left = AtomicU64::new((left + each).to_bits());
            Self { left, each }
        }
    }

    impl Workers for Hurried {
        fn count(&self) -> usize {
            1
        }

        fn trial_seconds(&self) -> Option<f64> {
            let left = f64::from_bits(self.left.load(Ordering::Relaxed));
            let left = f64::max(left - self.each, 0.0);
            self.left.store(left.to_bits(), Ordering::Relaxed);
            Some(left)
        }
    }

    /// Says it has many threads and runs the jobs backwards.
    pub struct Many(pub usize);

    impl Workers for Many {
        fn count(&self) -> usize {
            self.0
        }

        fn run(&self, jobs: Vec<Job<'_>>) {
            jobs.into_iter().rev().for_each(|job| job());
        }
    }
}
