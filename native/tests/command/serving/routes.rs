//! Each route, and that answers are those of `hapax predict`.

use super::{Server, with_text_model};
use crate::command::{
    folder::with_row_model,
    probabilities::{TEXTS as SURE_OR_NOT, with_calibrated_model},
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::{Value, json};
use std::io::{Read, Write};

const TEXTS: [&str; 4] = ["my card was stolen", "exchange rate", "zebra xylophone", ""];

#[test]
fn texts_get_what_predict_prints() {
    let folder = with_text_model();
    folder
        .run("train ovr train.tsv -o linear --min-documents 1")
        .good();
    let server = Server::start(&folder, "m linear=linear");
    for (model, explain) in [("m", false), ("m", true), ("linear", true)] {
        let body = json!({"texts": TEXTS, "k": 2, "explain": explain});
        let path = format!("/v1/models/{model}/predict");
        let got = server.post(&path, &body.to_string()).json();
        assert_eq!(got["model"], model);
        let answers = got["answers"].as_array().unwrap();
        assert_eq!(answers.len(), TEXTS.len());
        let explain = if explain { "--explain" } else { "" };
        let printed = folder
            .run_on(
                &format!("predict {model} -k 2 {explain}"),
                &TEXTS.join("\n"),
            )
            .good();
        for (answer, line) in answers.iter().zip(printed.lines()) {
            let mut line: Value = serde_json::from_str(line).unwrap();
            if line["problem"].is_string() {
                // Where there is no answer predict lists no evidence.
                line.as_object_mut().unwrap().remove("evidence");
            }
            assert_eq!(*answer, line);
        }
    }
    assert_eq!(server.figure("hapax_rows_total{model=\"m\"}"), 8.0);
}

#[test]
fn rows_get_what_predict_prints() {
    let folder = with_row_model();
    let server = Server::start(&folder, "m");
    let rows = json!([
        {"indices": [0, 1], "values": [1.0, 0.3]},
        {"indices": [3, 2, 3], "values": [0.125, 1.0, 0.125]},
        {"indices": [], "values": []},
        {"indices": [4_000_000_000_u32], "values": [1]},
    ]);
    let got = server.predict(&json!({ "rows": rows }).to_string());
    let printed = folder.run_on("predict m", "0:1 1:0.3\n2:1 3:0.25\n").good();
    for (at, line) in printed.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(got["answers"][at], line);
    }
    for unknown in [2, 3] {
        assert_eq!(got["answers"][unknown]["labels"], json!([]));
    }
}

#[test]
fn probabilities_and_thresholds_are_those_of_predict() {
    let folder = with_calibrated_model();
    let server = Server::start(&folder, "m");
    for (fields, options) in [
        (json!({}), "-k 5"),
        (json!({"k": 1}), "-k 1"),
        (json!({"at_most": 2}), "--at-most 2"),
        (json!({"above": 0.5}), "--above 0.5"),
        (json!({"above": 0}), "--above 0"),
        (json!({"above": "micro"}), "--above micro"),
        (
            json!({"above": "macro", "at_most": 1}),
            "--above macro --at-most 1",
        ),
        (json!({"abstain": true}), "--abstain -k 5"),
        (
            json!({"abstain": 1, "explain": true}),
            "--abstain=1 --explain -k 5",
        ),
        (json!({"abstain": false, "above": null}), "-k 5"),
    ] {
        let mut body = fields;
        body["texts"] = json!(SURE_OR_NOT);
        let got = server.predict(&body.to_string());
        let command = format!("predict m --output jsonl {options}");
        let printed = folder.run_on(&command, &SURE_OR_NOT.join("\n")).good();
        for (answer, line) in got["answers"]
            .as_array()
            .unwrap()
            .iter()
            .zip(printed.lines())
        {
            let mut line: Value = serde_json::from_str(line).unwrap();
            if line["problem"].is_string() {
                line.as_object_mut().unwrap().remove("evidence");
            }
            assert_eq!(*answer, line, "{options}");
        }
    }
    for (field, value, part) in [
        (
            "above",
            json!(1.5),
            "\"above\" is 1.5: send a probability from 0 to 1",
        ),
        ("above", json!("often"), "\"above\" is \"often\""),
        ("above", json!(true), "\"above\" is true"),
        (
            "abstain",
            json!("micro"),
            "send a probability from 0 to 1, or true",
        ),
        ("abstain", json!(-1), "\"abstain\" is -1"),
    ] {
        let body = json!({"texts": ["a"], field: value}).to_string();
        server
            .post("/v1/models/m/predict", &body)
            .refused(422, "unfit", part);
    }
    let both = server.post(
        "/v1/models/m/predict",
        "{\"texts\":[],\"k\":1,\"at_most\":1}",
    );
    both.refused(400, "not_understood", "duplicate field");
    let plain = with_text_model();
    let server = Server::start(&plain, "m");
    for body in [
        "{\"texts\":[\"card\"],\"above\":0.5}",
        "{\"texts\":[],\"abstain\":true}",
    ] {
        let got = server.post("/v1/models/m/predict", body);
        got.refused(422, "unfit", "has scores, but no probabilities");
    }
}

#[test]
fn annif_gets_the_probabilities_of_a_calibrated_model() {
    let folder = with_calibrated_model();
    let server = Server::start(&folder, "m");
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let suggest = |body: &str| server.ask("POST", "/v1/projects/m/suggest", form, body.as_bytes());
    let printed = folder
        .run_on("predict m --output jsonl -k 5", SURE_OR_NOT[0])
        .json();
    let expected = printed["labels"].as_array().unwrap();
    for limit in [1, 5] {
        let got = suggest(&format!(
            "text={}&limit={limit}",
            SURE_OR_NOT[0].replace(' ', "+")
        ))
        .json();
        let results = got["results"].as_array().unwrap();
        assert_eq!(results.len(), limit.min(expected.len()));
        for (subject, label) in results.iter().zip(expected) {
            assert_eq!(subject["uri"], label["name"]);
            let off = subject["score"].as_f64().unwrap() - label["probability"].as_f64().unwrap();
            assert!(off.abs() < 1e-4, "{subject} {label}");
        }
    }
    let sure = suggest("text=wake+me+up+at+0+in+the+morning&threshold=0.5").json();
    assert_eq!(sure["results"].as_array().unwrap().len(), 1, "{sure}");
}

#[test]
fn models_are_listed_and_described() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m other=m");
    let listed = server.get("/v1/models").json();
    let names: Vec<_> = listed["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["name"])
        .collect();
    assert_eq!(names, ["m", "other"]);
    let model = server.get("/v1/models/m").json();
    assert_eq!(model, listed["models"][0]);
    assert_eq!(model["kind"], "nearest");
    assert_eq!(model["input"], "texts");
    assert_eq!(model["labels"], 4);
    assert_eq!(model["bytes"], folder.read("m").len());
    server
        .get("/v1/models/absent")
        .refused(404, "no_model", "ask one of m, other");
    server
        .post("/v1/models/%ff/predict", "{}")
        .refused(404, "no_model", "ask one of");
    assert_eq!(server.get("/healthz").json(), json!({"status": "ok"}));
    server
        .get("/elsewhere")
        .refused(404, "no_route", "/openapi.json");
    server
        .get("/v1/models/m/predict")
        .refused(405, "no_method", "does not answer GET");
}

#[test]
fn annif_gets_subjects_and_asks_whether_it_is_trained() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    let project = server.get("/v1/projects/m").json();
    assert_eq!(project["is_trained"], true);
    let time = project["modification_time"].as_str().unwrap();
    assert!(time.ends_with(" GMT"), "{time}");
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let suggest = |body: &str| server.ask("POST", "/v1/projects/m/suggest", form, body.as_bytes());
    let got = suggest("text=my+card+was+stolen&project=m&limit=2").json();
    let results = got["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["uri"], "stolen");
    let scores: Vec<f64> = results
        .iter()
        .map(|r| r["score"].as_f64().unwrap())
        .collect();
    assert!(
        1.0 > scores[0] && scores[0] >= scores[1] && scores[1] > 0.0,
        "{scores:?}"
    );
    let none = suggest("text=zebra").json();
    assert_eq!(none, json!({"results": []}));
    let few = suggest("text=my%20card&threshold=0.99").json();
    assert_eq!(few, json!({"results": []}));
    suggest("limit=3").refused(400, "not_understood", "no field \"text\"");
    suggest("text=a&limit=x").refused(400, "not_understood", "limit is \"x\"");
}

#[test]
fn long_answers_are_compressed_and_bodies_may_be() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    let body = json!({"texts": vec!["my card was stolen"; 50]}).to_string();
    let plain = server.predict(&body);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(body.as_bytes()).unwrap();
    let headers =
        "content-type: application/json\r\ncontent-encoding: gzip\r\naccept-encoding: gzip\r\n";
    let got = server.ask(
        "POST",
        "/v1/models/m/predict",
        headers,
        &packed.finish().unwrap(),
    );
    assert_eq!(got.status, 200, "{got:?}");
    assert!(got.head.contains("content-encoding: gzip"), "{got:?}");
    let mut unpacked = String::new();
    let chunks = unchunked(&got.body);
    GzDecoder::new(&chunks[..])
        .read_to_string(&mut unpacked)
        .unwrap();
    assert!(got.body.len() * 4 < unpacked.len());
    assert_eq!(serde_json::from_str::<Value>(&unpacked).unwrap(), plain);
}

/// The bytes of a chunked body.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|at| at == b"\r\n").unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
}

#[test]
fn metrics_count_requests_by_route_and_status() {
    let folder = with_text_model();
    let server = Server::start(&folder, "m");
    for _ in 0..3 {
        server.predict("{\"texts\":[\"card\"]}");
    }
    server
        .post("/v1/models/m/predict", "{")
        .refused(400, "not_understood", "line 1");
    let route = "route=\"/v1/models/{model}/predict\"";
    let figure = |status| {
        server.figure(&format!(
            "hapax_requests_total{{{route},status=\"{status}\"}}"
        ))
    };
    assert_eq!((figure(200), figure(400)), (3.0, 1.0));
    assert_eq!(server.figure("hapax_connections"), 1.0);
    assert!(server.figure("hapax_request_seconds_count") >= 6.0);
    let got = server.get("/metrics");
    assert!(got.head.contains("application/openmetrics-text"), "{got:?}");
    assert!(got.text().ends_with("# EOF\n"));
}
