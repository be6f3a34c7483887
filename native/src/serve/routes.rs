//! What is where: the addresses, and what every request goes through.

use super::{
    Server, annif, asked, body, host,
    models::Loaded,
    pool::Parse,
    problem::{Problem, json},
};
use axum::{
    Router,
    body::Body,
    extract::{MatchedPath, Path, Request, State, rejection::PathRejection},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json as value};
use std::{sync::Arc, time::Instant};
use tower_http::{
    CompressionLevel,
    compression::{CompressionLayer, predicate::SizeAbove},
    decompression::RequestDecompressionLayer,
};

/// The description of all routes, which `/openapi.json` serves.
const OPENAPI: &str = include_str!("openapi.json");
/// Answers of so many bytes are worth compressing.
const WORTH_COMPRESSING: u16 = 1024;
/// What browsers are told with each answer.
const HEADERS: [(HeaderName, &str); 2] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
];

type Shared = State<Arc<Server>>;
type Name = Result<Path<String>, PathRejection>;

pub fn router(server: &Arc<Server>) -> Router {
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(WORTH_COMPRESSING));
    Router::new()
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(openapi))
        .route("/v1/models", get(models))
        .route("/v1/models/{model}", get(model))
        .route("/v1/models/{model}/predict", post(predict))
        .route("/v1/projects", get(projects))
        .route("/v1/projects/{model}", get(project))
        .route("/v1/projects/{model}/suggest", post(suggest))
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(RequestDecompressionLayer::new())
        .layer(compression)
        .layer(middleware::from_fn_with_state(Arc::clone(server), guard))
        .with_state(Arc::clone(server))
}

/// Refuses hosts that are not ours, keeps time, and counts.
async fn guard(State(server): Shared, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| "none".to_owned(), |route| route.as_str().to_owned());
    let checked = check_host(&server.hosts, &request);
    let mut response = match checked {
        Ok(()) => {
            // A little longer than what is inside gets, whose words are better.
            let time = server.limits.time + server.limits.time / 10;
            let answered = tokio::time::timeout(time, next.run(request));
            answered
                .await
                .unwrap_or_else(|_| late(&server).into_response())
        }
        Err(problem) => problem.into_response(),
    };
    for (name, told) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(told));
    }
    server
        .metrics
        .answered(&route, response.status().as_u16(), began.elapsed());
    response
}

/// Refuses a request that names another host than an address, `localhost` or one of these.
pub fn check_host(hosts: &[String], request: &Request) -> Result<(), Problem> {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let header = headers.next().and_then(|host| host.to_str().ok());
    let named = request
        .uri()
        .authority()
        .map(axum::http::uri::Authority::as_str);
    let allowed = |host: &str| host::is_allowed(host, hosts);
    if headers.next().is_none() && header.is_some_and(allowed) && named.is_none_or(allowed) {
        return Ok(());
    }
    let host = named.or(header).unwrap_or_default();
    let message = format!(
        "the request names the host {host:?}, which is neither an address nor localhost: start the server with \
         --allow-host and the name if it is yours"
    );
    Err(Problem::new(
        StatusCode::MISDIRECTED_REQUEST,
        "other_host",
        message,
    ))
}

async fn health() -> Response {
    json(b"{\"status\":\"ok\"}".to_vec())
}

async fn metrics(State(server): Shared) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], server.metrics.text()).into_response()
}

async fn openapi() -> Response {
    json(OPENAPI.as_bytes().to_vec())
}

async fn models(State(server): Shared) -> Response {
    let models = server.shelf.all();
    let models: Vec<_> = models.iter().map(|loaded| about(loaded)).collect();
    shown(&value!({ "models": models }))
}

async fn model(State(server): Shared, name: Name) -> Result<Response, Problem> {
    Ok(shown(&about(&*find(&server, name)?)))
}

/// What a model is.
fn about(loaded: &Loaded) -> Value {
    let model = &loaded.model;
    let provenance = model.provenance();
    value!({
        "name": loaded.name,
        "kind": loaded.kind(),
        "algorithm": provenance.algorithm,
        "input": if model.vectorizer().is_some() { "texts" } else { "rows" },
        "features": model.features(),
        "labels": model.labels(),
        "rows": provenance.rows,
        "bytes": loaded.bytes,
        "modification_time": httpdate(loaded),
    })
}

async fn projects(State(server): Shared) -> Response {
    let models = server.shelf.all();
    let projects: Vec<_> = models.iter().map(|loaded| about_project(loaded)).collect();
    shown(&value!({ "projects": projects }))
}

async fn project(State(server): Shared, name: Name) -> Result<Response, Problem> {
    Ok(shown(&about_project(&*find(&server, name)?)))
}

/// A model as Annif speaks of projects.
fn about_project(loaded: &Loaded) -> Value {
    value!({
        "project_id": loaded.name,
        "name": loaded.name,
        "backend": { "backend_id": "hapax" },
        "is_trained": true,
        "modification_time": httpdate(loaded),
    })
}

fn httpdate(loaded: &Loaded) -> String {
    httpdate::fmt_http_date(loaded.modified)
}

async fn predict(
    State(server): Shared,
    name: Name,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    answer(
        &server,
        name,
        (&headers, "application/json"),
        body,
        asked::parse,
    )
    .await
}

async fn suggest(
    State(server): Shared,
    name: Name,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let kind = "application/x-www-form-urlencoded";
    answer(&server, name, (&headers, kind), body, annif::parse).await
}

/// Reads a body of this kind and has it answered by the model of this name.
async fn answer(
    server: &Server,
    name: Name,
    (headers, kind): (&HeaderMap, &str),
    body: Body,
    parse: Parse,
) -> Result<Response, Problem> {
    let until = tokio::time::Instant::now() + server.limits.time;
    let loaded = find(server, name)?;
    let sent = headers
        .get(header::CONTENT_TYPE)
        .and_then(|sent| sent.to_str().ok());
    let sent = sent.unwrap_or_default();
    // A page of another origin may send other kinds without asking first.
    if !sent
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case(kind)
    {
        let message = format!("the body is of type {sent:?}: send it with content-type: {kind}");
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "other_type",
            message,
        ));
    }
    let read = body::read(server, body, until).await?;
    let answered = server.pool.answer(loaded, read, parse, &server.limits);
    let answered = tokio::time::timeout_at(until, answered).await;
    Ok(json(answered.unwrap_or_else(|_| Err(late(server)))?))
}

fn late(server: &Server) -> Problem {
    let seconds = server.limits.time.as_secs_f64();
    Problem::late(format!(
        "there was no answer within {seconds} seconds: ask for fewer texts a request, or start the \
         server with a longer --timeout"
    ))
}

fn find(server: &Server, name: Name) -> Result<Arc<Loaded>, Problem> {
    let name = name.map(|Path(name)| name).unwrap_or_default();
    server.shelf.find(&name).ok_or_else(|| {
        let known = server.shelf.names().join(", ");
        let message = format!("there is no model {name:?}: ask one of {known}");
        Problem::new(StatusCode::NOT_FOUND, "no_model", message)
    })
}

async fn no_route(uri: Uri) -> Problem {
    let path = uri.path();
    let message = format!("there is nothing at {path}: see /openapi.json for what there is");
    Problem::new(StatusCode::NOT_FOUND, "no_route", message)
}

async fn no_method(method: Method, uri: Uri) -> Problem {
    let path = uri.path();
    let message = format!("{path} does not answer {method}: see /openapi.json for what it does");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "no_method", message)
}

fn shown(value: &Value) -> Response {
    json(value.to_string().into_bytes())
}
