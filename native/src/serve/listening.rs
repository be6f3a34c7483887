//! A port that is listened at: what all servers share.

use super::{Limits, ServeError, connections::Connections, metrics::Metrics};
use axum::Router;
use std::{io, net::SocketAddr, sync::Arc};
use tokio::{
    net::{TcpListener, TcpSocket, lookup_host},
    runtime::{Builder, Runtime},
    sync::watch,
    task::JoinHandle,
};

/// Connections that may wait until they are accepted, where the system has no lower limit. One more
/// would be tried again only after a second, and 128, the default, come at once in a burst.
const WAITING: u32 = 4096;

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
        let listener = runtime.block_on(listener(listen)).map_err(refused)?;
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

/// Listens at the first address of that name that is free.
async fn listener(name: &str) -> io::Result<TcpListener> {
    let mut failed = io::Error::other("the name has no address");
    for address in lookup_host(name).await? {
        match listener_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn listener_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // So that a server that is started again need not wait for the old one's connections. Elsewhere
    // it would let two listen at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
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
