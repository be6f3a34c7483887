//! Reading models again, and ending.
#![cfg(unix)]

use super::{Got, Server, with_text_model};
use crate::command::folder::QUESTIONS;
use std::{
    fs,
    io::Write,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

const ASK: &str = "{\"texts\":[\"my card was stolen\"],\"k\":1}";

#[test]
fn models_are_read_again_and_no_request_is_dropped() {
    let folder = with_text_model();
    folder.write("other.tsv", QUESTIONS.replace("stolen\n", "theft\n"));
    folder
        .run("train nearest other.tsv -o other --min-documents 1 --neighbors 3")
        .good();
    let server = Server::start(&folder, "m");
    let (first, second) = (folder.read("m"), folder.read("other"));
    let (asked, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let name = |got: &serde_json::Value| got["answers"][0]["labels"][0]["name"].clone();
    assert_eq!(name(&server.predict(ASK)), "stolen");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let name = name(&server.predict(ASK));
                    assert!(name == "stolen" || name == "theft", "{name}");
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 0..10 {
            let bytes = [&second, &first][round % 2];
            // In place, which a mapped file would not survive.
            fs::write(folder.path("m"), bytes).unwrap();
            server.signal("-HUP");
            server.said("read m again");
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert!(asked.load(Ordering::Relaxed) > 10);
    assert_eq!(
        server.figure("hapax_reloads_total{model=\"m\",result=\"ok\"}"),
        10.0
    );
}

#[test]
fn a_model_that_cannot_be_read_stays_as_it_was() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    let before = server.predict(ASK);
    let bytes = folder.read("m");
    folder.write("m", &bytes[..bytes.len() / 2]);
    server.signal("-HUP");
    let said = server.said("hapax: warning: m stays as it was");
    assert!(said.contains("the file cannot be read: m: "), "{said}");
    fs::remove_file(folder.path("m")).unwrap();
    server.signal("-HUP");
    server.said("hapax: warning: m stays as it was");
    assert_eq!(server.predict(ASK), before);
    assert_eq!(
        server.figure("hapax_reloads_total{model=\"m\",result=\"failed\"}"),
        2.0
    );
}

#[test]
fn requests_that_have_begun_are_answered_before_the_end() {
    for signal in ["-TERM", "-INT"] {
        let folder = with_text_model();
        let server = Server::start(&folder, "m");
        let mut begun = server.connect();
        let (front, back) = ASK.split_at(5);
        let length = ASK.len();
        write!(
            begun,
            "POST /v1/models/m/predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{front}"
        )
        .unwrap();
        // It must have been read before the signal comes.
        while server.figure("hapax_connections") < 2.0 {
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(200));
        let idle = server.connect();
        server.signal(signal);
        server.said("stopping");
        thread::sleep(Duration::from_millis(200));
        begun.write_all(back.as_bytes()).unwrap();
        let got = Got::read(begun).json();
        assert_eq!(got["answers"][0]["labels"][0]["name"], "stolen");
        let began = Instant::now();
        let ran = server.stop(signal);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(began.elapsed() < Duration::from_secs(8));
        drop(idle);
    }
}
