//! Requests that no honest client sends.

use super::{Server, with_text_model};
use std::{io::Write, thread};

const PREDICT: &str = "/v1/models/m/predict";

#[test]
fn only_our_own_names_are_answered() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m --allow-host Tags.example.org");
    let ask = |hosts: &str| {
        let request = format!("GET /v1/models HTTP/1.1\r\n{hosts}connection: close\r\n\r\n");
        server.send(request.as_bytes())
    };
    for host in ["127.0.0.1:1", "localhost", "[::1]", "tags.example.org:80"] {
        assert_eq!(ask(&format!("host: {host}\r\n")).status, 200, "{host}");
    }
    for hosts in [
        "host: evil.example\r\n",
        "host: 127.0.0.1.evil.example\r\n",
        "host: localhost\r\nhost: evil.example\r\n",
        "host: \r\n",
        "",
    ] {
        ask(hosts).refused(421, "other_host", "--allow-host");
    }
    let absolute = "GET http://evil.example/v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    server
        .send(absolute.as_bytes())
        .refused(421, "other_host", "evil.example");
    // Before the host is known nothing is read.
    let post = format!(
        "POST {PREDICT} HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 5\r\nconnection: close\r\n\r\n{{}}"
    );
    server
        .send(post.as_bytes())
        .refused(421, "other_host", "evil.example");
}

#[test]
fn pages_of_other_origins_get_no_permission() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    let origin = "origin: http://evil.example\r\ncontent-type: text/plain\r\n";
    let body = b"{\"texts\":[\"card\"]}";
    let got = server.ask("POST", PREDICT, origin, body);
    got.refused(415, "other_type", "content-type: application/json");
    assert!(!got.head.contains("access-control"), "{got:?}");
    let preflight = "origin: http://evil.example\r\naccess-control-request-method: POST\r\n";
    let got = server.ask("OPTIONS", PREDICT, preflight, b"");
    got.refused(405, "no_method", "does not answer OPTIONS");
    assert!(!got.head.contains("access-control"), "{got:?}");
    assert!(
        got.head.contains("x-content-type-options: nosniff"),
        "{got:?}"
    );
}

#[test]
fn bodies_that_are_no_request_are_told_what_to_send() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    for (body, status, code, part) in [
        ("", 400, "not_understood", "EOF while parsing"),
        ("nul", 400, "not_understood", "line 1 column"),
        ("[]", 400, "not_understood", "{\"texts\": "),
        (
            "{\"texts\":\"card\"}",
            400,
            "not_understood",
            "expected a sequence",
        ),
        (
            "{\"texts\":[1]}",
            400,
            "not_understood",
            "expected a string",
        ),
        (
            "{\"texts\":[\"a\"],\"K\":1}",
            400,
            "not_understood",
            "unknown field `K`",
        ),
        (
            "{\"texts\":[\"a\"],\"k\":-1}",
            400,
            "not_understood",
            "line 1",
        ),
        ("{\"texts\":[\"\\ud800\"]}", 400, "not_understood", "line 1"),
        ("{}", 422, "unfit", "neither \"texts\" nor \"rows\""),
        ("{\"texts\":[],\"rows\":[]}", 422, "unfit", "both"),
        (
            "{\"rows\":[{\"indices\":[1],\"values\":[]}]}",
            422,
            "unfit",
            "rows[0] has 1 indices",
        ),
        (
            "{\"rows\":[{\"indices\":[1],\"values\":[1e39]}]}",
            422,
            "unfit",
            "rows[0]",
        ),
        (
            "{\"rows\":[{\"indices\":[-1],\"values\":[1]}]}",
            400,
            "not_understood",
            "-1",
        ),
        (
            "{\"rows\":[{\"indices\":[4294967296],\"values\":[1]}]}",
            400,
            "not_understood",
            "4294967296",
        ),
    ] {
        server.post(PREDICT, body).refused(status, code, part);
    }
    let deep = format!("{{\"texts\":{}", "[".repeat(100_000));
    server
        .post(PREDICT, &deep)
        .refused(400, "not_understood", "column");
    assert_eq!(
        server.predict("{\"texts\":[]}")["answers"],
        serde_json::json!([])
    );
}

/// Bytes without an order, the same at each run.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| byte()).collect()
}

#[test]
fn random_bytes_change_nothing_but_counters() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    let before = server.predict("{\"texts\":[\"my card was stolen\"]}");
    thread::scope(|scope| {
        for client in 0..4u64 {
            let server = &server;
            scope.spawn(move || {
                let json = "content-type: application/json\r\n";
                let gzip = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
                let form = "content-type: application/x-www-form-urlencoded\r\n";
                for round in 0..40 {
                    let length = [0, 1, 7, 100, 5_000, 1_000_000][round % 6];
                    let bytes = noise(client * 1000 + round as u64, length);
                    let got = server.ask("POST", PREDICT, json, &bytes);
                    assert_eq!(got.status, 400, "{got:?}");
                    let got = server.ask("POST", PREDICT, gzip, &bytes);
                    assert_eq!(got.status, 400, "{got:?}");
                    let got = server.ask("POST", "/v1/projects/m/suggest", form, &bytes);
                    assert_eq!(got.status, 400, "{got:?}");
                    // Not even a head.
                    let got = server.send_all(&bytes);
                    assert!([0, 400, 431].contains(&got.status), "{got:?}");
                }
            });
        }
    });
    // A body that goes on and on is cut off; the client hears of it, or finds the door shut.
    let mut stream = server.connect();
    let head = format!(
        "POST {PREDICT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        1u64 << 30
    );
    stream.write_all(head.as_bytes()).unwrap();
    let block = noise(7, 1 << 20);
    let sent = (0..1 << 10)
        .take_while(|_| stream.write_all(&block).is_ok())
        .count();
    assert!(sent < 100, "{sent} MB were taken");
    assert_eq!(
        server.predict("{\"texts\":[\"my card was stolen\"]}"),
        before
    );
}
