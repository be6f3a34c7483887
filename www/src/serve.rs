//! The page on this machine: a server of files that only this machine can reach.

use axum::{
    Router,
    http::{HeaderName, HeaderValue},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{
    fmt, io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::Path,
    time::Duration,
};
use tokio::{
    net::TcpListener as Listener,
    runtime::{Builder, Runtime},
    task::JoinHandle,
    time::sleep,
};
use tower_http::{services::ServeDir, set_header::SetResponseHeaderLayer};

/// What the page may do: load its own files and run WebAssembly, nothing else. The page carries
/// the same rule; the worker, which is a document of its own kind, gets it only from here.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer. The last three isolate the page from all others, for which browsers
/// give it a finer clock.
const HEADERS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-cache"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// How long a connection may take to ask for something.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait where the system has no file left for another connection.
const BREATH: Duration = Duration::from_millis(50);

/// Why the page is not served.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// Another program has the port.
    PortTaken {
        /// The port.
        port: u16,
    },
    /// The system does not allow it.
    Refused {
        /// The port.
        port: u16,
        /// What it says.
        reason: String,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PortTaken { port } => write!(
                f,
                "port {port} is taken by another program: choose one with --port N, or let \
                 --port 0 find a free one"
            ),
            Self::Refused { port, reason } => {
                write!(f, "port {port} of 127.0.0.1 cannot be opened: {reason}")
            }
        }
    }
}

impl std::error::Error for ServeError {}

/// A server that runs until it is dropped.
pub struct Serving {
    runtime: Runtime,
    server: JoinHandle<io::Result<()>>,
    port: u16,
}

impl Serving {
    /// Serves the files below `folder` at 127.0.0.1; port 0 takes any free one.
    ///
    /// # Errors
    /// If the port is taken or the system refuses.
    pub fn start(folder: &Path, port: u16) -> Result<Self, ServeError> {
        Self::start_with(folder, port, PATIENCE)
    }

    fn start_with(folder: &Path, port: u16, patience: Duration) -> Result<Self, ServeError> {
        let refused = |error: io::Error| ServeError::new(port, &error);
        let listener =
            TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(refused)?;
        let pages = pages(folder);
        let server = runtime
            .spawn(async move { accept(Listener::from_std(listener)?, pages, patience).await });
        Ok(Self {
            runtime,
            server,
            port,
        })
    }

    /// Where the page is.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves until the process ends, or the system closes the port.
    ///
    /// # Errors
    /// If that happens.
    pub fn forever(self) -> io::Result<()> {
        self.runtime
            .block_on(self.server)
            .map_err(io::Error::other)?
    }
}

impl ServeError {
    fn new(port: u16, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::AddrInUse {
            Self::PortTaken { port }
        } else {
            let reason = error.to_string();
            Self::Refused { port, reason }
        }
    }
}

/// Serves each connection until it ends, or does not ask within `patience`. Where no file is left
/// for another connection it waits until one ends.
async fn accept(listener: Listener, pages: Router, patience: Duration) -> io::Result<()> {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(BREATH).await;
            continue;
        };
        let pages = TowerToHyperService::new(pages.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .serve_connection(TokioIo::new(stream), pages);
        // Whatever ends a connection is its client's matter.
        tokio::spawn(async move { drop(connection.await) });
    }
}

/// The files below `folder`, each with all [`HEADERS`].
fn pages(folder: &Path) -> Router {
    let files = Router::new().fallback_service(ServeDir::new(folder));
    HEADERS.into_iter().fold(files, |files, (name, value)| {
        let (name, value) = (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        files.layer(SetResponseHeaderLayer::overriding(name, value))
    })
}

#[cfg(test)]
mod tests {
    use super::{ServeError, Serving};
    use std::{
        fs,
        io::{Read, Write},
        net::TcpStream,
        time::Duration,
    };

    fn ask(serving: &Serving, first_line: &str) -> String {
        let address = ("127.0.0.1", serving.port);
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "{first_line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn connections_that_ask_for_nothing_are_closed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index.html"), "<p>page").unwrap();
        let patience = Duration::from_millis(200);
        let serving = Serving::start_with(folder.path(), 0, patience).unwrap();
        let open = |_| TcpStream::connect(("127.0.0.1", serving.port)).unwrap();
        let mut silent: Vec<TcpStream> = (0..50).map(open).collect();
        for (at, stream) in silent.iter_mut().enumerate() {
            stream
                .set_read_timeout(Some(Duration::from_secs(30)))
                .unwrap();
            if at % 2 == 0 {
                stream.write_all(b"GET / HTTP/1.1\r\nHost:").unwrap();
            }
        }
        for stream in &mut silent {
            // Closed, perhaps with an answer that says so; not left open until the time is over.
            let read = stream.read_to_end(&mut Vec::new());
            let timed_out = read.err().map(|error| error.kind());
            assert_ne!(timed_out, Some(std::io::ErrorKind::WouldBlock));
        }
        assert!(ask(&serving, "GET /").starts_with("HTTP/1.1 200"));
    }

    #[test]
    fn files_come_with_their_type_and_the_rule() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("hapax")).unwrap();
        fs::write(folder.path().join("index.html"), "<p>page").unwrap();
        fs::write(folder.path().join("hapax/a.wasm"), "code").unwrap();
        let serving = Serving::start(folder.path(), 0).unwrap();
        let page = ask(&serving, "GET /");
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        assert!(page.contains("content-type: text/html"), "{page}");
        assert!(
            page.contains("connect-src 'self'; worker-src 'self'"),
            "{page}"
        );
        assert!(
            page.contains("content-length: 7") && page.ends_with("<p>page"),
            "{page}"
        );
        let code = ask(&serving, "GET /hapax/a.wasm?v=1");
        assert!(code.contains("content-type: application/wasm"), "{code}");
        let head = ask(&serving, "HEAD /");
        assert!(
            head.starts_with("HTTP/1.1 200") && !head.contains("page"),
            "{head}"
        );
        for stranger in [
            "/absent",
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "//etc/passwd",
        ] {
            let absent = ask(&serving, &format!("GET {stranger}"));
            assert!(absent.starts_with("HTTP/1.1 404"), "{absent}");
        }
        assert!(ask(&serving, "POST /").starts_with("HTTP/1.1 405"));
    }

    #[test]
    fn a_taken_port_is_named_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let first = Serving::start(folder.path(), 0).unwrap();
        let Err(error) = Serving::start(folder.path(), first.port) else {
            panic!("two servers on one port");
        };
        assert!(matches!(error, ServeError::PortTaken { .. }));
        let said = error.to_string();
        assert!(
            said.contains("is taken by another program: choose one with --port N"),
            "{said}"
        );
    }

    #[test]
    fn the_page_carries_the_same_rule() {
        let page = include_str!("../page/index.html");
        let rule = super::POLICY
            .strip_suffix("; frame-ancestors 'none'")
            .unwrap();
        assert!(page.contains(&format!("content=\"{rule}\"")));
    }
}
