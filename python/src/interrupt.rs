//! Long work that Ctrl-C stops: it runs on a thread of its own, and the thread of Python waits for
//! it, asks for signals and calls the progress callback.
//!
//! The loops of hapax ask nobody whether to go on. They hand their work to an [`Executor`] in short
//! jobs, so [`Stoppable`] looks at a flag before each job and unwinds if it is set. Nothing of what
//! was made remains, and results are those of the executor inside, to the bit.

use hapax::core::executor::{Executor, Job, Workers};
use hapax::threads::Threads;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How often Python is asked for signals.
const BETWEEN: Duration = Duration::from_millis(50);

/// Training needs no deep stack, but as much as the main thread of a program would give it.
const STACK: usize = 8 << 20;

/// What the unwinding carries: it is no panic, and nobody hears of it.
struct Stopped;

/// Threads whose jobs stop when a flag is set.
pub struct Stoppable {
    inside: Threads,
    stop: Arc<AtomicBool>,
}

impl Workers for Stoppable {
    fn count(&self) -> usize {
        self.inside.count()
    }

    fn run(&self, jobs: Vec<Job<'_>>) {
        self.inside.run(jobs);
    }

    fn trial_seconds(&self) -> Option<f64> {
        self.inside.trial_seconds()
    }

    fn look(&self) {
        if self.stop.load(Ordering::Relaxed) {
            resume_unwind(Box::new(Stopped));
        }
    }
}

/// Steps of work that are told: what is done, how many steps of how many (0 where unknown).
pub type Step = (&'static str, usize, usize);

/// Does `work` without the interpreter. Python hears of its steps by `progress(what, done, of)`;
/// an exception there, and Ctrl-C, stop it and are raised.
pub fn run<R, W>(
    py: Python<'_>,
    threads: Threads,
    progress: Option<&Bound<'_, PyAny>>,
    work: W,
) -> PyResult<R>
where
    R: Send,
    W: FnOnce(&Executor, &Sender<Step>) -> R + Send,
{
    let stop = Arc::new(AtomicBool::new(false));
    let stoppable = Stoppable {
        inside: threads,
        stop: Arc::clone(&stop),
    };
    let (sender, steps) = channel();
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK);
        let done = worker.spawn_scoped(scope, || {
            let sender = sender;
            catch_unwind(AssertUnwindSafe(|| work(&stoppable, &sender)))
        });
        let done = done.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let mut raised = Ok(());
        let mut steps = Some(steps);
        while let Some(receiver) = steps.take() {
            let (heard, receiver) = py.detach(move || (receiver.recv_timeout(BETWEEN), receiver));
            if heard != Err(RecvTimeoutError::Disconnected) {
                steps = Some(receiver);
            }
            if raised.is_ok() {
                raised = py.check_signals();
                if let (Ok(()), Ok(step), Some(progress)) = (&raised, heard, progress) {
                    raised = progress.call1(step).map(|_| ());
                }
                stop.store(raised.is_err(), Ordering::Relaxed);
            }
        }
        let result = py.detach(move || done.join());
        raised?;
        match result {
            Ok(Ok(made)) => Ok(made),
            Ok(Err(panic)) | Err(panic) => resume_unwind(panic),
        }
    })
}
