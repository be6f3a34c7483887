//! The executor of a pool of threads: web workers that share the memory of this module.
//!
//! The first thread of the pool is the one that made it, a worker, too: it does its share of the
//! work and waits for the rest. The thread of a page must not wait, so it cannot be that one.

use hapax_core::executor::{Job, Workers};
use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder, Yield};
use std::{
    hint::spin_loop,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./pool.js")]
extern "C" {
    /// Throws what tells that a thread of the pool has failed.
    #[wasm_bindgen(js_name = poolFailed)]
    fn pool_failed();
}

static POOL: OnceLock<ThreadPool> = OnceLock::new();

/// Threads of the pool that no worker runs yet.
static WAITING: Mutex<Vec<ThreadBuilder>> = Mutex::new(Vec::new());

/// Whether a worker ended in the middle of its work, which nobody will do now.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Makes this worker the first thread of a pool of `count`, once. `count - 1` other workers call
/// `runThread`; until then the first does their work, too.
#[wasm_bindgen(js_name = newPool, skip_typescript)]
pub fn new_pool(count: usize) -> bool {
    let pool = ThreadPoolBuilder::new()
        .num_threads(count)
        .use_current_thread()
        .spawn_handler(|thread| {
            hold(&WAITING).push(thread);
            Ok(())
        })
        .build();
    pool.is_ok_and(|pool| POOL.set(pool).is_ok())
}

/// Makes this worker a thread of the pool; it does not return.
#[wasm_bindgen(js_name = runThread, skip_typescript)]
pub fn run_thread() {
    let thread = hold(&WAITING).pop();
    if let Some(thread) = thread {
        thread.run();
    }
}

/// Notes that this worker has failed: whoever waits for it throws.
#[wasm_bindgen(js_name = threadFailed, skip_typescript)]
pub fn thread_failed() {
    FAILED.store(true, Ordering::Release);
}

/// Runs jobs on the pool, or on this thread as long as there is none.
pub struct Pool;

impl Workers for Pool {
    fn count(&self) -> usize {
        POOL.get().map_or(1, ThreadPool::current_num_threads)
    }

    fn run(&self, jobs: Vec<Job<'_>>) {
        if FAILED.load(Ordering::Acquire) {
            pool_failed();
        }
        if jobs.len() < 2 || self.count() == 1 {
            return jobs.into_iter().for_each(|job| job());
        }
        let mut jobs = jobs.into_iter();
        let Some(first) = jobs.next() else { return };
        let (left, caller) = (&AtomicUsize::new(jobs.len()), &thread::current());
        rayon::scope(|scope| {
            for job in jobs {
                scope.spawn(move |_| {
                    job();
                    if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                        caller.unpark();
                    }
                });
            }
            first();
            wait(left);
        });
    }
}

/// A panic ends all, so nobody sees what it left.
fn hold<R>(place: &Mutex<R>) -> MutexGuard<'_, R> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often a thread that has run out of work looks for more before it sleeps: to be woken takes
/// as long.
const AWAKE: u32 = 1000;

/// How long a thread sleeps until it looks whether another has failed.
const ASLEEP: Duration = Duration::from_millis(20);

/// Takes part in the work of the pool until nothing is left of this.
fn wait(left: &AtomicUsize) {
    let mut idle = 0;
    while left.load(Ordering::Acquire) > 0 {
        if FAILED.load(Ordering::Acquire) {
            pool_failed();
        }
        if rayon::yield_now() == Some(Yield::Executed) {
            idle = 0;
        } else if idle < AWAKE {
            idle += 1;
            spin_loop();
        } else {
            thread::park_timeout(ASLEEP);
        }
    }
}
