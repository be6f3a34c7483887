//! Connections: how many, how long, and which one gives way when there are too many.
//!
//! A connection is busy while its request is answered, else idle: it has sent nothing yet, half a
//! head, or is kept open for more. When there is no room, the connection that has been idle longest
//! is closed. So a flood of connections that never ask cannot keep out those that do.

use super::{Limits, metrics::Metrics};
use axum::Router;
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    select,
    sync::{Notify, watch},
    time::{Instant, interval, sleep, timeout},
};

/// Files that are open beside connections: the listener, the runtime's, models being read.
const RESERVED_FILES: u64 = 32;
/// With fewer connections than this a server is of no use, whatever the system allows.
const LEAST: usize = 8;
/// The longest head of a request.
const HEAD_BYTES: usize = 64 << 10;
/// How long to wait when the system opens no more connections.
const PAUSE: Duration = Duration::from_millis(20);
/// What idle connections get to send the rest of an answer when the server stops.
const LAST_BYTES: Duration = Duration::from_millis(300);

/// All connections of a server.
pub struct Connections(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Woken when a connection is closed or becomes idle.
    changed: Notify,
    most: usize,
    limits: Limits,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct State {
    open: usize,
    /// How many of them have been told to close.
    closing: usize,
    /// By the order in which they became idle.
    idle: BTreeMap<u64, Idle>,
    next: u64,
}

struct Idle {
    since: Instant,
    close: Arc<Close>,
}

/// How a connection is told to close.
#[derive(Default)]
struct Close {
    told: AtomicBool,
    wake: Notify,
}

/// One connection; counted until it is dropped.
struct Connection {
    shared: Arc<Shared>,
    /// Its key among those that are idle.
    key: Mutex<Option<u64>>,
    close: Arc<Close>,
}

impl Connections {
    pub fn new(limits: &Limits, metrics: Arc<Metrics>) -> Self {
        let files = open_files().map_or(usize::MAX, |files| {
            usize::try_from(files.saturating_sub(RESERVED_FILES)).unwrap_or(usize::MAX)
        });
        Self(Arc::new(Shared {
            state: Mutex::default(),
            changed: Notify::new(),
            most: limits.connections.min(files).max(LEAST),
            limits: limits.clone(),
            metrics,
        }))
    }

    /// Accepts and serves until told to stop, then waits for requests that have begun.
    pub async fn serve(
        self,
        listener: TcpListener,
        router: Router,
        mut stopped: watch::Receiver<bool>,
    ) {
        let shared = self.0;
        let graceful = GracefulShutdown::new();
        let mut second = interval(Duration::from_secs(1));
        loop {
            select! {
                _ = stopped.changed() => break,
                _ = second.tick() => shared.close_stale(),
                accepted = shared.accept(&listener) => match accepted {
                    Ok(stream) => shared.spawn(stream, router.clone(), &graceful),
                    Err(()) => sleep(PAUSE).await,
                },
            }
        }
        drop(listener);
        let time = shared.limits.time + LAST_BYTES;
        let ended = timeout(time, graceful.shutdown());
        let close_idle = async {
            sleep(LAST_BYTES).await;
            while shared.close_oldest("stop") {}
            std::future::pending::<()>().await;
        };
        select! {
            _ = ended => {},
            () = close_idle => {},
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next connection, once there is room for it.
    async fn accept(&self, listener: &TcpListener) -> Result<TcpStream, ()> {
        loop {
            let changed = self.changed.notified();
            let (open, closing) = {
                let state = self.lock();
                (state.open, state.closing)
            };
            if open < self.most {
                break;
            }
            if open - closing >= self.most {
                self.close_oldest("room");
            }
            changed.await;
        }
        let accepted = listener.accept().await;
        accepted.map(|(stream, _)| stream).map_err(|_| {
            // Files have run out, most often: one fewer connection is one more file.
            self.metrics.accept_errors.inc();
            self.close_oldest("room");
        })
    }

    /// Closes the connection that has been idle longest; whether there was one.
    fn close_oldest(&self, reason: &str) -> bool {
        let mut state = self.lock();
        let Some((_, idle)) = state.idle.pop_first() else {
            return false;
        };
        if !idle.close.told.swap(true, Ordering::Relaxed) {
            state.closing += 1;
        }
        drop(state);
        idle.close.wake.notify_one();
        self.metrics.closed(reason);
        true
    }

    /// Closes what has been idle for too long.
    fn close_stale(&self) {
        let limit = self.limits.idle_time;
        loop {
            let stale = {
                let state = self.lock();
                let first = state.idle.first_key_value();
                first.is_some_and(|(_, idle)| idle.since.elapsed() > limit)
            };
            if !stale || !self.close_oldest("idle") {
                return;
            }
        }
    }

    fn spawn(self: &Arc<Self>, stream: TcpStream, router: Router, graceful: &GracefulShutdown) {
        // Without it small answers would wait; where it cannot be set they do.
        let _ = stream.set_nodelay(true);
        self.lock().open += 1;
        self.metrics.connections.inc();
        let connection = Arc::new(Connection {
            shared: Arc::clone(self),
            key: Mutex::new(None),
            close: Arc::default(),
        });
        connection.rest();
        let close = Arc::clone(&connection.close);
        let router = TowerToHyperService::new(router);
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let connection = Arc::clone(&connection);
            connection.work();
            let answer = router.call(request);
            async move {
                let answer = answer.await;
                connection.rest();
                answer
            }
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.head_time)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let served = graceful.watch(served);
        tokio::spawn(async move {
            select! {
                // What goes wrong with a connection is its client's business.
                _ = served => {},
                () = close.wake.notified() => {},
            }
        });
    }
}

impl Connection {
    fn key(&self) -> MutexGuard<'_, Option<u64>> {
        self.key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request has come.
    fn work(&self) {
        if let Some(key) = self.key().take() {
            self.shared.lock().idle.remove(&key);
        }
    }

    /// It waits for a request.
    fn rest(&self) {
        let mut state = self.shared.lock();
        let key = state.next;
        state.next += 1;
        let idle = Idle {
            since: Instant::now(),
            close: Arc::clone(&self.close),
        };
        state.idle.insert(key, idle);
        drop(state);
        *self.key() = Some(key);
        self.shared.changed.notify_one();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.work();
        let mut state = self.shared.lock();
        state.open -= 1;
        state.closing -= usize::from(self.close.told.load(Ordering::Relaxed));
        drop(state);
        self.shared.metrics.connections.dec();
        self.shared.changed.notify_one();
    }
}

/// How many files the process may have open, raised to the most it may ask for.
#[cfg(unix)]
fn open_files() -> Option<u64> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let wanted = rustix::process::Rlimit {
            current: limit.maximum,
            ..limit
        };
        if setrlimit(Resource::Nofile, wanted).is_ok() {
            limit = getrlimit(Resource::Nofile);
        }
    }
    limit.current
}

/// Elsewhere the system sets no limit that matters.
#[cfg(not(unix))]
fn open_files() -> Option<u64> {
    None
}
