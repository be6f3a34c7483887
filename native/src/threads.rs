//! The executor of many threads.

use hapax_core::executor::{Executor, Sequential};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, Yield, prelude::*};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// Runs jobs on a pool of threads; results come back in job order.
///
/// ```
/// use hapax::{core::executor::Executor, threads::Threads};
/// let squares = Threads::new(2)?.map(4, || (), |(), job| job * job);
/// assert_eq!(squares, [0, 1, 4, 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Threads(ThreadPool);

impl Threads {
    /// A pool of `count` threads; 0 means one for each core.
    ///
    /// # Errors
    /// If the system refuses to start the threads.
    pub fn new(count: usize) -> Result<Self, ThreadPoolBuildError> {
        ThreadPoolBuilder::new()
            .num_threads(count)
            .build()
            .map(Self)
    }

    /// Does `work` on one of the threads. Parallel parts of it then begin where they are, instead
    /// of each waking the pool and waiting for it: worth while if there are many short ones.
    pub fn within<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if self.threads() == 1 {
            work()
        } else {
            self.0.install(work)
        }
    }
}

impl Executor for Threads {
    fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    fn map<S, R, I, F>(&self, jobs: usize, scratch: I, run: F) -> Vec<R>
    where
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, usize) -> R + Sync,
    {
        if self.threads() == 1 {
            return Sequential.map(jobs, scratch, run);
        }
        // Each task takes a run of jobs with one scratch memory; short runs at the end keep all
        // threads busy.
        let run_length = (jobs / (self.threads() * 16)).max(1);
        let runs = jobs.div_ceil(run_length);
        let parts: Vec<Vec<R>> = self.0.install(|| {
            (0..runs)
                .into_par_iter()
                .with_max_len(1)
                .map_init(&scratch, |own, index| {
                    let start = index * run_length;
                    (start..(start + run_length).min(jobs))
                        .map(|job| run(own, job))
                        .collect()
                })
                .collect()
        });
        parts.into_iter().flatten().collect()
    }

    fn map_items<T, R, F>(&self, items: Vec<T>, run: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(usize, T) -> R + Sync,
    {
        if self.threads() == 1 {
            return Sequential.map_items(items, run);
        }
        self.0.install(|| run_all(items, &run))
    }
}

/// How long a thread that has run out of items stays awake for the others to end theirs: to be
/// woken takes about half as long.
const AWAKE: Duration = Duration::from_micros(100);

/// Runs all items, the first on this thread of a pool.
fn run_all<T: Send, R: Send>(items: Vec<T>, run: &(impl Fn(usize, T) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let left = &AtomicUsize::new(items.len().saturating_sub(1));
    rayon::scope(|scope| {
        let mut numbered = results.iter_mut().zip(items).enumerate();
        let first = numbered.next();
        for (place, (result, item)) in numbered {
            scope.spawn(move |_| {
                *result = Some(run(place, item));
                left.fetch_sub(1, Ordering::Release);
            });
        }
        if let Some((place, (result, item))) = first {
            *result = Some(run(place, item));
        }
        // The scope itself waits for what is not done by then.
        let mut idle_since = Instant::now();
        while left.load(Ordering::Acquire) > 0 && idle_since.elapsed() < AWAKE {
            if rayon::yield_now() == Some(Yield::Executed) {
                idle_since = Instant::now();
            }
        }
    });
    results.into_iter().flatten().collect()
}
