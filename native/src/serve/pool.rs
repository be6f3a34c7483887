//! The workers that predict: a bounded queue, and one scratch memory for each worker.

use super::{asked::Asked, body::Read, metrics::Metrics, models::Loaded, problem::Problem};
use crate::kernels;
use hapax_core::model::Scratch;
use std::{
    collections::VecDeque,
    io,
    ops::ControlFlow,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};
use tokio::sync::oneshot;

/// How a body asks.
pub type Parse = fn(&[u8], &Loaded, &super::Limits) -> Result<Asked, Problem>;

/// A request on its way through the pool.
struct Job {
    loaded: Arc<Loaded>,
    stage: Stage,
    reply: oneshot::Sender<Result<Vec<u8>, Problem>>,
}

enum Stage {
    /// As it came.
    Read(Read, Parse, super::Limits),
    /// Partly answered.
    Begun(Asked),
}

/// What the workers share.
struct Shared {
    queue: Mutex<Queue>,
    more: Condvar,
    capacity: usize,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
    /// Workers that wait.
    idle: usize,
}

/// The workers; they end when the pool is closed.
pub struct Pool(Arc<Shared>);

impl Pool {
    pub fn start(threads: usize, capacity: usize, metrics: &Arc<Metrics>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            more: Condvar::new(),
            capacity,
            metrics: Arc::clone(metrics),
        });
        for _ in 0..threads {
            let shared = Arc::clone(&shared);
            let worker = thread::Builder::new().name("hapax-worker".into());
            worker.spawn(move || shared.work())?;
        }
        Ok(Self(shared))
    }

    /// The answer to a body, as JSON.
    pub async fn answer(
        &self,
        loaded: Arc<Loaded>,
        read: Read,
        parse: Parse,
        limits: &super::Limits,
    ) -> Result<Vec<u8>, Problem> {
        let (reply, answer) = oneshot::channel();
        let stage = Stage::Read(read, parse, limits.clone());
        let job = Job {
            loaded,
            stage,
            reply,
        };
        self.0.add(job)?;
        // Only a worker that has ended, which happens when the server stops, leaves no answer.
        let stopping = || Problem::busy("the server is stopping");
        answer.await.unwrap_or_else(|_| Err(stopping()))
    }

    /// Ends the workers; what waits gets no answer.
    pub fn close(&self) {
        let mut queue = self.0.lock();
        queue.closed = true;
        queue.jobs.clear();
        drop(queue);
        self.0.more.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, job: Job) -> Result<(), Problem> {
        let mut queue = self.lock();
        if queue.closed || queue.jobs.len() >= self.capacity {
            drop(queue);
            self.metrics.closed("queue");
            return Err(Problem::busy("too many requests wait for an answer"));
        }
        queue.jobs.push_back(job);
        self.metrics.queued.inc();
        let wake = queue.idle > 0;
        drop(queue);
        if wake {
            self.more.notify_one();
        }
        Ok(())
    }

    fn take(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                self.metrics.queued.dec();
                return Some(job);
            }
            if queue.closed {
                return None;
            }
            queue.idle += 1;
            queue = self
                .more
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }

    /// Answers slice by slice, so that no request keeps others waiting for longer than a slice.
    fn work(&self) {
        let mut scratch = Scratch::new(kernels::best());
        while let Some(job) = self.take() {
            let Some(job) = self.go_on(job, &mut scratch) else {
                continue;
            };
            let mut queue = self.lock();
            if !queue.closed {
                queue.jobs.push_back(job);
                self.metrics.queued.inc();
            }
        }
    }

    /// One slice of a job, and the job if there is more of it.
    fn go_on(&self, job: Job, scratch: &mut Scratch) -> Option<Job> {
        let Job {
            loaded,
            stage,
            reply,
        } = job;
        if reply.is_closed() {
            // The client has left, or its time is up.
            return None;
        }
        let mut asked = match stage {
            Stage::Begun(asked) => asked,
            Stage::Read(read, parse, limits) => match parse(&read.bytes, &loaded, &limits) {
                Ok(asked) => asked.holding(read.held),
                Err(problem) => {
                    let _ = reply.send(Err(problem));
                    return None;
                }
            },
        };
        match asked.go_on(&loaded, scratch) {
            ControlFlow::Continue(()) => Some(Job {
                loaded,
                stage: Stage::Begun(asked),
                reply,
            }),
            ControlFlow::Break(answer) => {
                self.metrics.rows(&loaded.name, asked.rows());
                let _ = reply.send(answer);
                None
            }
        }
    }
}
