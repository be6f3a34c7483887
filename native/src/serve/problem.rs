//! Errors as clients get them: a status, a code for programs, a sentence for people.

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
    response::IntoResponse,
};
use serde::Serialize;

/// Why a request has no answer.
#[derive(Clone, Debug)]
pub struct Problem {
    pub status: StatusCode,
    /// The same for all problems of a kind.
    pub code: &'static str,
    /// What happened, where, and what to do.
    pub message: String,
}

#[derive(Serialize)]
struct Told<'a> {
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: &'a str,
    message: &'a str,
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            status,
            code,
            message,
        }
    }

    /// What was asked cannot be answered, however often it is asked.
    pub fn unfit(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unfit", message)
    }

    /// Too much is asked for at the moment.
    pub fn busy(what: &str) -> Self {
        let message = format!("{what}: ask again in a second, or with fewer requests at once");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
    }

    /// The request took too long.
    pub fn late(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "late", message)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let (code, message) = (self.code, self.message.as_str());
        let told = serde_json::to_vec(&Told {
            error: Error { code, message },
        });
        let mut response = json(told.unwrap_or_default());
        *response.status_mut() = self.status;
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// A response of JSON.
pub fn json(body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
