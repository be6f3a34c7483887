//! The page on this machine: a server of files that only this machine can reach.

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File},
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};
use tiny_http::{Header, Method, Request, Response, Server};

/// What the page may do: load its own files and run WebAssembly, nothing else. The page carries
/// the same rule; the worker, which is a document of its own kind, gets it only from here.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer. The last three isolate the page from all others, for which browsers
/// give it a finer clock.
const HEADERS: [(&str, &str); 7] = [
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-cache"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
];

/// Requests answered at once.
const WORKERS: usize = 4;

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
    /// The folder cannot be read.
    Folder(PathBuf, io::Error),
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
            Self::Folder(path, error) => write!(f, "{}: cannot be read: {error}", path.display()),
        }
    }
}

impl std::error::Error for ServeError {}

/// A server that runs until it is dropped.
pub struct Serving {
    server: Arc<Server>,
    workers: Vec<thread::JoinHandle<()>>,
    port: u16,
}

impl Serving {
    /// Serves the files below `folder`, those there are now, at 127.0.0.1; port 0 takes any free one.
    ///
    /// # Errors
    /// If the port is taken or the folder cannot be read.
    pub fn start(folder: &Path, port: u16) -> Result<Self, ServeError> {
        let mut files = BTreeMap::new();
        list(folder, "", &mut files)
            .map_err(|error| ServeError::Folder(folder.to_owned(), error))?;
        let files = Arc::new(files);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let server = Server::http(address).map_err(|error| refused(port, &*error))?;
        let port = server.server_addr().to_ip().map_or(port, |ip| ip.port());
        let server = Arc::new(server);
        let work = || {
            let (server, files) = (server.clone(), files.clone());
            thread::spawn(move || {
                for request in server.incoming_requests() {
                    answer(request, &files);
                }
            })
        };
        let workers = (0..WORKERS).map(|_| work()).collect();
        Ok(Self {
            server,
            workers,
            port,
        })
    }

    /// Where the page is.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves until the process ends.
    pub fn forever(mut self) {
        for worker in self.workers.drain(..) {
            // A worker that panicked has said so; the others go on.
            let _ = worker.join();
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        for _ in &self.workers {
            self.server.unblock();
        }
    }
}

fn refused(port: u16, error: &(dyn std::error::Error + 'static)) -> ServeError {
    let kind = error.downcast_ref().map(io::Error::kind);
    if kind == Some(io::ErrorKind::AddrInUse) {
        ServeError::PortTaken { port }
    } else {
        let reason = error.to_string();
        ServeError::Refused { port, reason }
    }
}

/// Finds every file below `folder` under the path it is asked for by.
fn list(folder: &Path, prefix: &str, files: &mut BTreeMap<String, PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let asked = format!("{prefix}/{name}");
        if path.is_dir() {
            list(&path, &asked, files)?;
        } else {
            files.insert(asked, path);
        }
    }
    Ok(())
}

/// Answers from the list alone, so that no request reaches any other file.
fn answer(request: Request, files: &BTreeMap<String, PathBuf>) {
    let asked = request.url().split(['?', '#']).next().unwrap_or("");
    let asked = if asked == "/" { "/index.html" } else { asked };
    let allowed = matches!(request.method(), Method::Get | Method::Head);
    let found = files.get(asked).filter(|_| allowed);
    // A client that went away needs no answer.
    let _ = match found.and_then(|path| Some((path, File::open(path).ok()?))) {
        Some((path, file)) => request.respond(with_headers(
            Response::from_file(file).with_chunked_threshold(usize::MAX),
            media_type(path),
        )),
        None if allowed => request.respond(with_headers(
            Response::from_string("There is no such file.\n").with_status_code(404),
            "text/plain; charset=utf-8",
        )),
        None => request.respond(with_headers(
            Response::from_string("Files here are only read.\n").with_status_code(405),
            "text/plain; charset=utf-8",
        )),
    };
}

fn with_headers<R: io::Read>(mut response: Response<R>, media_type: &str) -> Response<R> {
    let own = [("Content-Type", media_type)];
    for (name, value) in HEADERS.into_iter().chain(own) {
        // Every one of them is ASCII.
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    response
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("txt" | "ts" | "md") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{ServeError, Serving};
    use std::{
        fs,
        io::{Read, Write},
        net::TcpStream,
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
    fn files_come_with_their_type_and_the_rule() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("hapax")).unwrap();
        fs::write(folder.path().join("index.html"), "<p>page").unwrap();
        fs::write(folder.path().join("hapax/a.wasm"), "code").unwrap();
        let serving = Serving::start(folder.path(), 0).unwrap();
        let page = ask(&serving, "GET /");
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        assert!(
            page.contains("Content-Type: text/html; charset=utf-8"),
            "{page}"
        );
        assert!(
            page.contains("connect-src 'self'; worker-src 'self'"),
            "{page}"
        );
        assert!(
            page.contains("Content-Length: 7") && page.ends_with("<p>page"),
            "{page}"
        );
        let code = ask(&serving, "GET /hapax/a.wasm?v=1");
        assert!(code.contains("Content-Type: application/wasm"), "{code}");
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
