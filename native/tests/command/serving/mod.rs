//! `hapax serve`: a server of its own for each test, and what a client of it sees.

mod connections;
mod hostile;
mod limits;
mod openapi;
mod routes;
mod signals;

use super::folder::{Folder, Ran, with_text_model};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpStream},
    process::{Child, Command, Stdio},
    sync::{Mutex, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

/// Nothing here takes so long.
const LONG: Duration = Duration::from_secs(30);

/// A server, which is killed if its test does not stop it.
pub struct Server {
    child: Child,
    address: String,
    err: Option<JoinHandle<String>>,
    lines: Mutex<mpsc::Receiver<String>>,
}

/// What a request got.
#[derive(Debug)]
pub struct Got {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Server {
    /// `hapax serve` with these arguments, at a free port.
    pub fn start(folder: &Folder, arguments: &str) -> Self {
        let arguments = format!("serve {arguments} --listen 127.0.0.1:0");
        Self::of(folder.command(&arguments))
    }

    /// As [`Self::start`], with at most so many open files.
    #[cfg(unix)]
    pub fn with_files(folder: &Folder, arguments: &str, files: usize) -> Self {
        let hapax = env!("CARGO_BIN_EXE_hapax");
        let script =
            format!("ulimit -n {files}; exec {hapax} serve {arguments} --listen 127.0.0.1:0");
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        command.current_dir(folder.path("."));
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let err = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = mpsc::channel();
        let err = thread::spawn(move || {
            let mut all = String::new();
            for line in err.lines() {
                let line = line.unwrap();
                all += &line;
                all.push('\n');
                let _ = sender.send(line);
            }
            all
        });
        let mut server = Self {
            child,
            address: String::new(),
            err: Some(err),
            lines: Mutex::new(lines),
        };
        let first = server.said("serving ");
        let address = first.split('/').nth(2).unwrap();
        server.address = address.to_owned();
        server
    }

    /// Waits for a line on standard error that begins so.
    #[track_caller]
    pub fn said(&self, begin: &str) -> String {
        loop {
            let line = self.lines.lock().unwrap().recv_timeout(LONG).unwrap();
            if line.starts_with(begin) {
                return line;
            }
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    pub fn get(&self, path: &str) -> Got {
        self.ask("GET", path, "", b"")
    }

    pub fn post(&self, path: &str, body: &str) -> Got {
        let json = "content-type: application/json\r\n";
        self.ask("POST", path, json, body.as_bytes())
    }

    /// What predict answers to this JSON for the model `m`.
    #[track_caller]
    pub fn predict(&self, body: &str) -> Value {
        self.post("/v1/models/m/predict", body).json()
    }

    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Got {
        let host = &self.address;
        let length = body.len();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n"
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.send(&request)
    }

    /// What these bytes get.
    pub fn send(&self, bytes: &[u8]) -> Got {
        let mut stream = self.connect();
        // Who is refused early need not read it all.
        let _ = stream.write_all(bytes);
        Got::read(stream)
    }

    /// What these bytes get if nothing follows them.
    pub fn send_all(&self, bytes: &[u8]) -> Got {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        Got::read(stream)
    }

    /// A figure of `/metrics`, 0 where it is not there yet.
    pub fn figure(&self, name: &str) -> f64 {
        let text = self.get("/metrics").text();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.map_or(0.0, |value| value.parse().unwrap())
    }

    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// Ends it by a signal that it heeds.
    #[cfg(unix)]
    pub fn stop(mut self, signal: &str) -> Ran {
        self.signal(signal);
        let status = self.child.wait().unwrap().code();
        let mut out = String::new();
        self.child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        let err = self.err.take().unwrap().join().unwrap();
        Ran { status, out, err }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Got {
    pub fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A connection that is reset has told what it had to tell.
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|at| at == b"\r\n\r\n");
        let end = end.unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or(0),
            head,
            body: bytes.get(end + 4..).unwrap_or_default().to_vec(),
        }
    }

    #[track_caller]
    pub fn text(self) -> String {
        assert_eq!(self.status, 200, "{self:?}");
        String::from_utf8(self.body).unwrap()
    }

    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }

    /// Refused with this status and code, and a message in which this stands.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str, part: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.head.contains("application/json"), "{self:?}");
        let told: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(told["error"]["code"], code, "{told}");
        let message = told["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
    }
}
