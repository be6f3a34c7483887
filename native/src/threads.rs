//! The executor of many threads.

use hapax_core::executor::{Job, Workers};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, Yield};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// Runs jobs on a pool of threads; results come back in job order.
///
/// ```
/// use hapax::{core::executor::Executor, threads::Threads};
/// let threads: &Executor = &Threads::new(2)?;
/// let squares = threads.map(4, || (), |(), job| job * job);
/// assert_eq!(squares, [0, 1, 4, 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Threads {
    pool: ThreadPool,
    trials_until: Option<Instant>,
}

impl Threads {
    /// A pool of `count` threads; 0 means one for each core.
    ///
    /// # Errors
    /// If the system refuses to start the threads.
    pub fn new(count: usize) -> Result<Self, ThreadPoolBuildError> {
        ThreadPoolBuilder::new()
            .num_threads(count)
            .build()
            .map(|pool| Self {
                pool,
                trials_until: None,
            })
    }

    /// The same, where trials are to leave time for the training that follows to end within `time`
    /// from now. What is tried, and so the model, then depends on the machine.
    #[must_use]
    pub fn hurried(self, time: Duration) -> Self {
        Self {
            trials_until: Instant::now().checked_add(time),
            ..self
        }
    }

    /// Does `work` on one of the threads. Parallel parts of it then begin where they are, instead
    /// of each waking the pool and waiting for it: worth while if there are many short ones.
    pub fn within<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if self.count() == 1 {
            work()
        } else {
            self.pool.install(work)
        }
    }
}

impl Workers for Threads {
    fn count(&self) -> usize {
        self.pool.current_num_threads()
    }

    fn trial_seconds(&self) -> Option<f64> {
        let until = self.trials_until?;
        Some(
            until
                .saturating_duration_since(Instant::now())
                .as_secs_f64(),
        )
    }

    fn run(&self, jobs: Vec<Job<'_>>) {
        if self.count() == 1 {
            jobs.into_iter().for_each(|job| job());
        } else {
            self.pool.install(|| run_all(jobs));
        }
    }
}

/// How long a thread that has run out of items stays awake for the others to end theirs: to be
/// woken takes about half as long.
const AWAKE: Duration = Duration::from_micros(100);

/// Does the jobs, the first on this thread of a pool.
fn run_all(jobs: Vec<Job<'_>>) {
    let mut jobs = jobs.into_iter();
    let Some(first) = jobs.next() else { return };
    let left = &AtomicUsize::new(jobs.len());
    rayon::scope(|scope| {
        for job in jobs {
            scope.spawn(move |_| {
                job();
                left.fetch_sub(1, Ordering::Release);
            });
        }
        first();
        // The scope itself waits for what is not done by then.
        let mut idle_since = Instant::now();
        while left.load(Ordering::Acquire) > 0 && idle_since.elapsed() < AWAKE {
            if rayon::yield_now() == Some(Yield::Executed) {
                idle_since = Instant::now();
            }
        }
    });
}
