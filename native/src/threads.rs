//! The executor of many threads.

use hapax_core::executor::Executor;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, Yield};
use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
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
        if self.threads() == 1 {
            work()
        } else {
            self.pool.install(work)
        }
    }
}

impl Executor for Threads {
    fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    fn seconds_left(&self) -> Option<f64> {
        let until = self.trials_until?;
        Some(
            until
                .saturating_duration_since(Instant::now())
                .as_secs_f64(),
        )
    }

    fn map_items<T, R, F>(&self, items: Vec<T>, run: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(usize, T) -> R + Sync,
    {
        let results = places(items.len());
        let items: Vec<_> = items
            .into_iter()
            .map(|item| Mutex::new(Some(item)))
            .collect();
        self.run(items.len(), &|place| {
            if let Some(item) = hold(&items[place]).take() {
                put(&results[place], run(place, item));
            }
        });
        taken(results).collect()
    }
}

// Whoever runs a loop compiles it, with all that is generic below it. So the loop's type ends here:
// the pool's code is compiled once, in this crate.
impl Threads {
    /// Does `work` for each of `0..count`.
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        if self.threads() == 1 {
            (0..count).for_each(work);
        } else {
            self.pool.install(|| run_all(count, work));
        }
    }
}

/// Where tasks leave what they made.
fn places<R>(count: usize) -> Vec<Mutex<Option<R>>> {
    (0..count).map(|_| Mutex::new(None)).collect()
}

/// A panic goes on to whoever waits for the tasks, so nobody sees what it left in its place.
fn hold<R>(place: &Mutex<R>) -> MutexGuard<'_, R> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

fn put<R>(place: &Mutex<Option<R>>, made: R) {
    *hold(place) = Some(made);
}

/// What was left, in the order of the places.
fn taken<R>(places: Vec<Mutex<Option<R>>>) -> impl Iterator<Item = R> {
    let inner = |place: Mutex<_>| place.into_inner().unwrap_or_else(PoisonError::into_inner);
    places.into_iter().filter_map(inner)
}

/// How long a thread that has run out of items stays awake for the others to end theirs: to be
/// woken takes about half as long.
const AWAKE: Duration = Duration::from_micros(100);

/// Does `work` for each of `0..count`, the first on this thread of a pool.
fn run_all(count: usize, work: &(dyn Fn(usize) + Sync)) {
    let left = &AtomicUsize::new(count.saturating_sub(1));
    rayon::scope(|scope| {
        for place in 1..count {
            scope.spawn(move |_| {
                work(place);
                left.fetch_sub(1, Ordering::Release);
            });
        }
        if count > 0 {
            work(0);
        }
        // The scope itself waits for what is not done by then.
        let mut idle_since = Instant::now();
        while left.load(Ordering::Acquire) > 0 && idle_since.elapsed() < AWAKE {
            if rayon::yield_now() == Some(Yield::Executed) {
                idle_since = Instant::now();
            }
        }
    });
}
