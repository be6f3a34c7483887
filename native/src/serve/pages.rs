//! A folder of pages: files of one site, which ask nothing of any other.

use super::{
    Limits, ServeError,
    listening::{Bound, Listening},
    metrics::Metrics,
    routes,
};
use axum::{
    Router,
    extract::Request,
    http::{HeaderName, HeaderValue, StatusCode},
    middleware::{self, Next},
    response::IntoResponse,
};
use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};
use tower_http::{services::ServeDir, set_header::SetResponseHeaderLayer};

/// What a page may do: load its own files and run WebAssembly, nothing else. A page carries the
/// same rule, without its last part; a worker gets it only from these headers.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer. The last three isolate a page from all others, for which browsers give
/// it a finer clock and shared memory.
pub const PAGE_HEADERS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-cache"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// What a request gets that calls the server by another name.
const OTHER_HOST: &str = "the request names a host that is neither an address nor localhost\n";

/// A server of files that runs until it is stopped or dropped.
pub struct Pages(Listening);

impl Pages {
    /// Serves the files below `folder` at `listen`, such as `127.0.0.1:8080`, with
    /// [`PAGE_HEADERS`]; port 0 takes any free one. A file that has `.br` or `.gz` beside it goes
    /// to browsers in that form. Requests must name an address or `localhost`.
    ///
    /// # Errors
    /// If the address is taken or refused.
    pub fn start(folder: &Path, listen: &str) -> Result<Self, ServeError> {
        // A connection counts as idle while it is being sent a file, which may take long.
        let limits = Limits {
            idle_time: Duration::from_secs(3600),
            ..Limits::default()
        };
        Self::start_with(folder, listen, &limits)
    }

    fn start_with(folder: &Path, listen: &str, limits: &Limits) -> Result<Self, ServeError> {
        let bound = Bound::new(listen, 2)?;
        Ok(Self(bound.answer(
            router(folder),
            limits,
            Arc::new(Metrics::new()),
        )))
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// Takes no more connections, and returns when all requests that have begun have their answers.
    pub fn stop(self) {
        self.0.stop();
    }
}

/// The files below `folder`, each with all [`PAGE_HEADERS`].
fn router(folder: &Path) -> Router {
    let files = ServeDir::new(folder)
        .precompressed_br()
        .precompressed_gzip();
    let files = Router::new().fallback_service(files);
    let files = files.layer(middleware::from_fn(async |request: Request, next: Next| {
        match routes::check_host(&[], &request) {
            Ok(()) => next.run(request).await,
            Err(_) => (StatusCode::MISDIRECTED_REQUEST, OTHER_HOST).into_response(),
        }
    }));
    PAGE_HEADERS
        .into_iter()
        .fold(files, |files, (name, value)| {
            let (name, value) = (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
            files.layer(SetResponseHeaderLayer::overriding(name, value))
        })
}

#[cfg(test)]
mod tests {
    use super::{Limits, Pages, ServeError};
    use std::{
        fs,
        io::{Read, Write},
        net::TcpStream,
        time::Duration,
    };

    fn ask(pages: &Pages, first_line: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(pages.address()).unwrap();
        write!(
            stream,
            "{first_line} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: br\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn connections_that_ask_for_nothing_are_closed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index.html"), "<p>page").unwrap();
        let limits = Limits {
            head_time: Duration::from_millis(200),
            ..Limits::default()
        };
        let pages = Pages::start_with(folder.path(), "127.0.0.1:0", &limits).unwrap();
        let open = |_| TcpStream::connect(pages.address()).unwrap();
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
        assert!(ask(&pages, "GET /", "localhost").starts_with("HTTP/1.1 200"));
    }

    #[test]
    fn files_come_with_their_type_and_the_rule() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("hapax")).unwrap();
        fs::write(folder.path().join("index.html"), "<p>page").unwrap();
        fs::write(folder.path().join("hapax/a.wasm"), "code").unwrap();
        fs::write(folder.path().join("hapax/b.wasm"), "more code").unwrap();
        fs::write(folder.path().join("hapax/b.wasm.br"), "less").unwrap();
        let pages = Pages::start(folder.path(), "127.0.0.1:0").unwrap();
        let get = |path: &str| ask(&pages, path, "localhost");
        let page = get("GET /");
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
        let code = get("GET /hapax/a.wasm?v=1");
        assert!(code.contains("content-type: application/wasm"), "{code}");
        let code = get("GET /hapax/b.wasm");
        assert!(code.contains("content-type: application/wasm"), "{code}");
        assert!(
            code.contains("content-encoding: br") && code.ends_with("less"),
            "{code}"
        );
        let head = get("HEAD /");
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
            let absent = get(&format!("GET {stranger}"));
            assert!(absent.starts_with("HTTP/1.1 404"), "{absent}");
        }
        assert!(get("POST /").starts_with("HTTP/1.1 405"));
        // A page of another site may give this address a name of its own.
        let rebound = ask(&pages, "GET /", "example.org");
        assert!(rebound.starts_with("HTTP/1.1 421"), "{rebound}");
    }

    #[test]
    fn a_taken_port_is_named_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let first = Pages::start(folder.path(), "127.0.0.1:0").unwrap();
        let Err(error) = Pages::start(folder.path(), &first.address().to_string()) else {
            panic!("two servers on one port");
        };
        assert!(matches!(error, ServeError::Listen { .. }));
        let said = error.to_string();
        assert!(
            said.contains("is taken by another program: choose another port"),
            "{said}"
        );
    }
}
