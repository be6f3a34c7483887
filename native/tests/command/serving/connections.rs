//! Too many connections, and too few files for them.
#![cfg(unix)]

use super::{Server, with_text_model};
use std::{
    io::Write,
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

const ASK: &str = "{\"texts\":[\"my card was stolen\"]}";

/// So many connections as the system lets a test have, up to `wanted`, each with half a head.
fn half_open(server: &Server, wanted: usize) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..wanted {
        let Ok(mut stream) = TcpStream::connect(&server.address) else {
            break;
        };
        let _ = stream.write_all(b"POST /v1/models/m/predict HTTP/1.1\r\nhost: loc");
        streams.push(stream);
    }
    streams
}

fn raise_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current, ..limit });
}

#[test]
fn connections_that_never_ask_give_way_to_those_that_do() {
    raise_files();
    let folder = with_text_model();
    let server = Server::start(&folder, "m --connections 100");
    let before = server.predict(ASK);
    let held = half_open(&server, 10_000);
    assert!(held.len() > 500, "{} connections", held.len());
    for _ in 0..20 {
        let began = Instant::now();
        assert_eq!(server.predict(ASK), before);
        assert!(began.elapsed() < Duration::from_secs(5));
    }
    assert!(server.figure("hapax_connections") <= 100.0);
    let closed = server.figure("hapax_connections_closed_total{reason=\"room\"}");
    assert!(closed >= held.len() as f64 - 100.0, "{closed}");
    drop(held);
    let began = Instant::now();
    while server.figure("hapax_connections") > 1.0 {
        assert!(began.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(50));
    }
    let ran = server.stop("-TERM");
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

#[test]
fn running_out_of_files_is_survived() {
    raise_files();
    let folder = with_text_model();
    // Enough to begin, too few for the connections that are allowed at least.
    for files in [12, 13, 14, 64] {
        let server = Server::with_files(&folder, "m --threads 1", files);
        let held = half_open(&server, 120);
        assert_eq!(held.len(), 120);
        thread::sleep(Duration::from_millis(300));
        drop(held);
        let got = server.predict(ASK);
        assert_eq!(got["answers"][0]["labels"][0]["name"], "stolen");
        if server.figure("hapax_accept_errors_total") > 0.0 {
            return;
        }
    }
    panic!("the files never ran out");
}

#[test]
fn a_connection_may_ask_again_and_again() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m --connections 4");
    let mut stream = server.connect();
    let host = &server.address;
    for _ in 0..50 {
        let length = ASK.len();
        write!(
            stream,
            "POST /v1/models/m/predict HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{ASK}"
        )
        .unwrap();
        let mut bytes = [0; 4096];
        let read = std::io::Read::read(&mut stream, &mut bytes).unwrap();
        let answer = String::from_utf8_lossy(&bytes[..read]);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}
