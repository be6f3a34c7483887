//! Predictions over HTTP: JSON in and out, several models, metrics, reload without a pause.
//!
//! [`Serving::start`] loads the models and opens the port. Requests are read by a few threads of
//! input and output, wait in a bounded queue, and are answered by a pool of workers, each with one
//! [`Scratch`](crate::core::model::Scratch). A long request gives way to others after each slice.
//!
//! ```no_run
//! use hapax::serve::{Limits, Served, Serving};
//! let models = vec![Served::new("cards", "cards.hapax")];
//! let serving = Serving::start(models, "127.0.0.1:8080", &[], &Limits::default())?;
//! println!("http://{}/v1/models/cards/predict", serving.address());
//! # serving.stop();
//! # Ok::<(), hapax::serve::ServeError>(())
//! ```
//!
//! # What clients are held to
//! All of it is in [`Limits`]: bytes of a body and of all bodies together, seconds of a request,
//! open connections. A connection that waits for its request is closed when its time is up, or
//! earlier to make room for a new one. The `Host` of a request must be an address, `localhost` or a
//! name that was allowed, so that no web page can reach the server by a name of its own (DNS
//! rebinding). Browsers of other origins get no permission (CORS) to read answers.
//!
//! [`Pages`] serves a folder of files instead, such as `hapax web` writes, by the same rules.
//!
//! # What is not promised
//! There is no TLS and no login: put a proxy in front of it before you open it to a network.

mod annif;
mod answers;
mod asked;
mod body;
mod connections;
mod host;
mod listening;
mod metrics;
mod models;
mod pages;
mod pool;
mod problem;
mod routes;

pub use models::Served;
pub use pages::{PAGE_HEADERS, POLICY, Pages};

use listening::{Bound, Listening};
use metrics::Metrics;
use models::Shelf;
use pool::Pool;
use std::{
    fmt, io, net::SocketAddr, num::NonZero, sync::Arc, thread::available_parallelism,
    time::Duration,
};

/// What a server grants its clients.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Workers that predict; 0 means one for each core.
    pub threads: usize,
    /// Bytes of a request's body, decompressed.
    pub body: usize,
    /// Bytes of all bodies that are held at once.
    pub bodies: usize,
    /// Suggestions of a request: texts or rows times k.
    pub suggestions: usize,
    /// Suggestions of a request that asks for evidence.
    pub explained: usize,
    /// Requests that wait for a worker.
    pub queue: usize,
    /// From the first byte of a request's head to its last.
    pub head_time: Duration,
    /// From the end of the head to the answer.
    pub time: Duration,
    /// How long a connection may wait for its next request.
    pub idle_time: Duration,
    /// Open connections; the system's limit of open files may set fewer.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            threads: 0,
            body: 8 << 20,
            bodies: 256 << 20,
            suggestions: 100_000,
            explained: 10_000,
            queue: 1024,
            head_time: Duration::from_secs(10),
            time: Duration::from_secs(30),
            idle_time: Duration::from_secs(60),
            connections: 2048,
        }
    }
}

/// Why nothing is served.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// There are no models to serve.
    NoModels,
    /// Two models have one name.
    SameName {
        /// The name.
        name: String,
    },
    /// A model cannot be read.
    Model {
        /// Its file and what is wrong with it.
        reason: String,
    },
    /// The address cannot be listened at.
    Listen {
        /// The address.
        address: String,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses threads.
    Threads {
        /// What it says.
        source: io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModels => f.write_str("there is no model to serve: name at least one file"),
            Self::SameName { name } => write!(
                f,
                "two models have the name {name:?}: name one of them otherwise, as in other={name}.hapax"
            ),
            Self::Model { reason } => f.write_str(reason),
            Self::Listen { address, source } if source.kind() == io::ErrorKind::AddrInUse => {
                write!(
                    f,
                    "{address} is taken by another program: choose another port, or let port 0 find a \
                     free one"
                )
            }
            Self::Listen { address, source } => {
                write!(f, "cannot listen at {address}: {source}")
            }
            Self::Threads { source } => write!(f, "cannot start threads: {source}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// What all requests share.
struct Server {
    shelf: Shelf,
    pool: Pool,
    metrics: Arc<Metrics>,
    limits: Limits,
    /// Names beside addresses and `localhost` by which the server may be asked.
    hosts: Vec<String>,
    bodies: Arc<tokio::sync::Semaphore>,
}

/// A server that runs until it is stopped or dropped.
pub struct Serving {
    listening: Listening,
    server: Arc<Server>,
}

impl Serving {
    /// Loads `models` and serves them at `listen`, such as `127.0.0.1:8080`; port 0 takes any free
    /// one. Requests may name the server by an address, by `localhost`, or by one of `hosts`.
    ///
    /// # Errors
    /// If there is no model, one cannot be read, or the address is taken or refused.
    pub fn start(
        models: Vec<Served>,
        listen: &str,
        hosts: &[String],
        limits: &Limits,
    ) -> Result<Self, ServeError> {
        let metrics = Arc::new(Metrics::new());
        let shelf = Shelf::load(models)?;
        let threads = match limits.threads {
            0 => available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        };
        let bound = Bound::new(listen, (threads / 4).clamp(1, 8))?;
        let pool = Pool::start(threads, limits.queue, &metrics)
            .map_err(|source| ServeError::Threads { source })?;
        let server = Arc::new(Server {
            shelf,
            pool,
            metrics: Arc::clone(&metrics),
            limits: limits.clone(),
            hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            bodies: Arc::new(tokio::sync::Semaphore::new(limits.bodies / body::UNIT)),
        });
        let listening = bound.answer(routes::router(&server), limits, metrics);
        Ok(Self { listening, server })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.listening.address()
    }

    /// The names of the models, in the order given.
    #[must_use]
    pub fn models(&self) -> Vec<String> {
        self.server.shelf.names()
    }

    /// Reads all models again. Requests that have begun end with the model they began with; a model
    /// that cannot be read stays as it was. Each model's name with what went wrong, if anything.
    #[must_use]
    pub fn reload(&self) -> Vec<(String, Result<(), ServeError>)> {
        self.server.shelf.reload(&self.server.metrics)
    }

    /// Takes no more connections, ends the requests that have begun, and returns when all have
    /// their answers or their time is up.
    pub fn stop(self) {
        self.listening.stop();
        self.server.pool.close();
    }
}
