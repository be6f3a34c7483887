//! How long work would take on several threads, measured on one: for machines too busy for a clock
//! to tell.

use hapax::core::executor::{Job, Workers};
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
}

impl Workers for CriticalPath {
    fn count(&self) -> usize {
        self.threads
    }

    fn run(&self, jobs: Vec<Job<'_>>) {
        let (mut busy, mut since) = (vec![0.0; self.threads], used());
        for job in jobs {
            job();
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
    }
}
