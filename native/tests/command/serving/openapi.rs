//! That the description is true: routes, statuses and the shape of each answer.

use super::{Server, with_text_model};
use crate::command::probabilities::with_calibrated_model;
use serde_json::{Value, json};

/// Whether a value is as a schema says; only what our own document uses is known.
#[track_caller]
fn fits(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.strip_prefix('#').unwrap();
        return fits(document, document.pointer(pointer).unwrap(), value, at);
    }
    if let Some(either) = schema["anyOf"].as_array() {
        let fitting = either
            .iter()
            .any(|schema| std::panic::catch_unwind(|| fits(document, schema, value, at)).is_ok());
        assert!(fitting, "{at}: {value} fits none of {schema}");
        return;
    }
    let right = match schema["type"].as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{at}: type {other}"),
    };
    assert!(right, "{at}: {value} is no {}", schema["type"]);
    if let Some(kinds) = schema["enum"].as_array() {
        assert!(kinds.contains(value), "{at}: {value}");
    }
    for (place, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(document, &schema["items"], item, &format!("{at}[{place}]"));
    }
    for required in schema["required"].as_array().into_iter().flatten() {
        assert!(
            value.get(required.as_str().unwrap()).is_some(),
            "{at} lacks {required}"
        );
    }
    for (name, part) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match schema["properties"].get(name) {
            Some(schema) => fits(document, schema, part, &at),
            None => assert!(
                schema["additionalProperties"] != false,
                "{at} is not described"
            ),
        }
    }
}

#[test]
fn every_route_that_is_described_answers_as_described() {
    let folder = with_text_model();
    folder
        .run("train ovr train.tsv -o linear --min-documents 1")
        .good();
    let server = Server::start(&folder, "m linear");
    let document = server.get("/openapi.json").json();
    let problem = json!({"$ref": "#/components/schemas/Problem"});
    let mut routes = Vec::new();
    for (route, methods) in document["paths"].as_object().unwrap() {
        for (method, described) in methods.as_object().unwrap() {
            routes.push(route.clone());
            let method = method.to_uppercase();
            let path = route.replace("{model}", "m");
            let contents = described["requestBody"]["content"].as_object();
            let kind = contents.map(|contents| contents.keys().next().unwrap().clone());
            let (headers, body) = match kind.as_deref() {
                None => (String::new(), ""),
                Some(kind) => (
                    format!("content-type: {kind}\r\n"),
                    match kind {
                        "application/json" => "{\"texts\":[\"my card\",\"?\"],\"explain\":true}",
                        _ => "text=my+card",
                    },
                ),
            };
            let got = server.ask(&method, &path, &headers, body.as_bytes());
            let content = &described["responses"]["200"]["content"];
            let (kind, content) = content.as_object().unwrap().iter().next().unwrap();
            assert!(got.head.contains(kind.as_str()), "{got:?}");
            if kind == "application/json" {
                fits(&document, &content["schema"], &got.json(), &path);
            } else {
                got.text();
            }
            // Another method is refused, as every problem is described.
            let other = if method == "GET" { "DELETE" } else { "GET" };
            let got = server.ask(other, &path, "", b"");
            got.refused(405, "no_method", "/openapi.json");
            let told = serde_json::from_slice(&got.body).unwrap();
            fits(&document, &problem, &told, &path);
        }
    }
    let linear = server.post(
        "/v1/models/linear/predict",
        "{\"texts\":[\"my card\"],\"explain\":true}",
    );
    let answers = json!({"$ref": "#/components/schemas/Answers"});
    fits(&document, &answers, &linear.json(), "linear");
    // Answers of a calibrated model have more fields, and requests to it.
    let calibrated = with_calibrated_model();
    let server = Server::start(&calibrated, "m");
    for field in ["\"k\":3", "\"above\":0.5", "\"abstain\":1", "\"at_most\":2"] {
        let body = format!("{{\"texts\":[\"wake me up\"],{field}}}");
        let got = server.predict(&body);
        assert!(got["answers"][0]["none"].is_number(), "{got}");
        fits(&document, &answers, &got, field);
        let request = json!({"$ref": "#/components/schemas/Request"});
        fits(
            &document,
            &request,
            &serde_json::from_str(&body).unwrap(),
            field,
        );
    }
    // And nothing is there that is not described.
    let source = include_str!("../../../src/serve/routes.rs");
    let mut there: Vec<_> = source
        .split(".route(\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect();
    there.sort();
    routes.sort();
    assert_eq!(there, routes);
}
