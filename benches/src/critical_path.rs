//! How long work would take on several threads, measured on one: for machines too busy for a clock
//! to tell.

use hapax::core::executor::Executor;
use std::{sync::Mutex, time::Duration};

/// Runs jobs one after the other and deals their processor time to so many threads, each job to the
/// one that would be free first. What passes between jobs counts once; starting and waking threads
/// costs nothing.
#[derive(Debug)]
pub struct CriticalPath {
    threads: usize,
    /// The time of all jobs, and that of the busiest thread of each set of jobs.
    seconds: Mutex<(f64, f64)>,
}

/// The processor time of this thread so far.
#[must_use]
pub fn used() -> Duration {
    cpu_time::ThreadTime::now().as_duration()
}

impl CriticalPath {
    /// For so many threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            seconds: Mutex::default(),
        }
    }

    /// The processor seconds of all jobs, and what the threads would take for them.
    ///
    /// # Panics
    /// If a job panicked.
    #[must_use]
    pub fn seconds(&self) -> (f64, f64) {
        *self.seconds.lock().expect("no job panicked")
    }

    fn deal<R>(&self, jobs: impl Iterator<Item = R>) -> Vec<R> {
        let (mut busy, mut since) = (vec![0.0; self.threads], used());
        let mut results = Vec::new();
        for result in jobs {
            results.push(result);
            let now = used();
            let next = busy.iter_mut().min_by(|a, b| f64::total_cmp(a, b));
            next.into_iter()
                .for_each(|next| *next += (now - since).as_secs_f64());
            since = now;
        }
        if let Ok(mut seconds) = self.seconds.lock() {
            seconds.0 += busy.iter().sum::<f64>();
            seconds.1 += busy.into_iter().fold(0.0, f64::max);
        }
        results
    }
}

impl Executor for CriticalPath {
    fn threads(&self) -> usize {
        self.threads
    }

    fn map<S, R, I, F>(&self, jobs: usize, scratch: I, run: F) -> Vec<R>
    where
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, usize) -> R + Sync,
    {
        let mut own = scratch();
        self.deal((0..jobs).map(|job| run(&mut own, job)))
    }

    fn map_items<T, R, F>(&self, items: Vec<T>, run: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(usize, T) -> R + Sync,
    {
        let numbered = items.into_iter().enumerate();
        self.deal(numbered.map(|(place, item)| run(place, item)))
    }
}
