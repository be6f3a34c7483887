//! Each limit, and what is said beyond it.

use super::{Got, Server, with_text_model};
use serde_json::json;
use std::{
    io::Write,
    time::{Duration, Instant},
};

#[test]
fn bodies_have_a_length_whether_they_state_it_or_not() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m --max-body 10kB");
    let long = json!({"texts": ["x".repeat(20_000)]}).to_string();
    let path = "/v1/models/m/predict";
    let part = "longer than 10000 bytes: send fewer texts a request";
    server
        .post(path, &long)
        .refused(413, "body_too_large", part);
    let chunk = format!("2000\r\n{}\r\n", "y".repeat(0x2000));
    let chunked = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n"
    );
    server
        .send(chunked.as_bytes())
        .refused(413, "body_too_large", part);
    // A few bytes that decompress to many.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&vec![b' '; 10_000_000]).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 10_000);
    let headers = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
    server
        .ask("POST", path, headers, &packed)
        .refused(413, "body_too_large", part);
    server.predict("{\"texts\":[\"card\"]}");
}

#[test]
fn suggestions_of_a_request_are_counted_before_any_work() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    let ask = |texts: usize, k: usize, explain: bool| {
        let body = json!({"texts": vec!["a"; texts], "k": k, "explain": explain});
        server.post("/v1/models/m/predict", &body.to_string())
    };
    // The model has four labels, so k is at most 4.
    assert_eq!(ask(25_000, 1_000_000, false).status, 200);
    ask(25_001, 1_000_000, false).refused(422, "unfit", "25001 texts or rows with 4 labels");
    assert_eq!(ask(2_500, 4, true).status, 200);
    ask(2_501, 4, true).refused(422, "unfit", "more than the 10000 suggestions");
    ask(1, 0, false).refused(422, "unfit", "k is 0");
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m --timeout 1");
    let mut stream = server.connect();
    let began = Instant::now();
    stream
        .write_all(b"POST /v1/models/m/predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"te")
        .unwrap();
    Got::read(stream).refused(408, "slow_body", "did not come within 1 seconds");
    assert!(began.elapsed() < Duration::from_secs(9));
}

#[test]
fn an_answer_that_takes_too_long_is_given_up() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m --timeout 1 --threads 1 --max-body 100MB");
    // One text of many words is one piece of work.
    let text = "card lost stolen exchange rate ".repeat(1_500_000);
    let body = json!({"texts": [text, "card"]}).to_string();
    server
        .post("/v1/models/m/predict", &body)
        .refused(503, "late", "no answer within 1 seconds");
    let waiting = Instant::now();
    while server
        .post("/v1/models/m/predict", "{\"texts\":[\"card\"]}")
        .status
        != 200
    {
        assert!(waiting.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn heads_have_a_time_and_a_length() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    let mut slow = server.connect();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nhost: ").unwrap();
    let long = format!(
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n",
        "y".repeat(1 << 20)
    );
    assert_eq!(server.send(long.as_bytes()).status, 431);
    let many = "x: y\r\n".repeat(200);
    let many = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{many}\r\n");
    assert_eq!(server.send(many.as_bytes()).status, 431);
    let far = format!(
        "GET /{} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        "y".repeat(60_000)
    );
    let status = server.send(far.as_bytes()).status;
    assert!([404, 414].contains(&status), "{status}");
    // The slow one is closed after ten seconds, with or without a word.
    let began = Instant::now();
    let got = Got::read(slow);
    assert!([0, 408].contains(&got.status), "{got:?}");
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn wrong_options_are_refused() {
    let folder = with_text_model();
    folder.run("serve absent").refused_for("absent: ");
    folder.run("serve train.tsv").refused_for("train.tsv: ");
    folder
        .run("serve m m")
        .refused_for("two models have the name \"m\"");
    folder
        .run("serve m --listen nowhere")
        .refused_for("cannot listen at nowhere");
    let server = Server::start(&folder, "m");
    let address = &server.address;
    folder
        .run(&format!("serve m --listen {address}"))
        .refused_for("is taken by another program: choose another port");
    assert_eq!(folder.run("serve m --timeout 0").status, Some(2));
    assert_eq!(folder.run("serve").status, Some(2));
}
