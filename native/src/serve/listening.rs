//! A port that is listened at: what all servers share.

use super::{Limits, ServeError, connections::Connections, metrics::Metrics};
use axum::Router;
use std::{net::SocketAddr, sync::Arc};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    sync::watch,
    task::JoinHandle,
};

/// A port that nobody answers at yet.
pub struct Bound {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
}

/// A port at which a router answers until this is stopped or dropped.
pub struct Listening {
    runtime: Runtime,
    accepting: JoinHandle<()>,
    stop: watch::Sender<bool>,
    address: SocketAddr,
}

impl Bound {
    /// Opens the port, with so many threads for input and output.
    pub fn new(listen: &str, threads: usize) -> Result<Self, ServeError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("hapax-http")
            .enable_all()
            .build()
            .map_err(|source| ServeError::Threads { source })?;
        let refused = |source| ServeError::Listen {
            address: listen.to_owned(),
            source,
        };
        let listener = runtime
            .block_on(TcpListener::bind(listen))
            .map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Self {
            runtime,
            listener,
            address,
        })
    }

    pub fn answer(self, router: Router, limits: &Limits, metrics: Arc<Metrics>) -> Listening {
        let (stop, stopped) = watch::channel(false);
        let connections = Connections::new(limits, metrics);
        let accepting = self
            .runtime
            .spawn(connections.serve(self.listener, router, stopped));
        Listening {
            runtime: self.runtime,
            accepting,
            stop,
            address: self.address,
        }
    }
}

impl Listening {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections, and returns when all requests that have begun have their answers.
    pub fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.runtime.block_on(self.accepting);
    }
}
