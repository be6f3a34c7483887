//! Reading the body of a request, which may be too long, too slow, or one too many.

use super::{Server, problem::Problem};
use axum::{body::Body, http::StatusCode};
use hapax_core::bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use std::sync::Arc;
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout_at},
};

/// Bytes of bodies are counted in units of this size.
pub const UNIT: usize = 1024;

/// A body, and its share of the bytes that all may hold.
pub struct Read {
    pub bytes: Bytes,
    pub held: Option<OwnedSemaphorePermit>,
}

/// Reads a whole body within the limits.
pub async fn read(server: &Server, body: Body, until: Instant) -> Result<Read, Problem> {
    let seconds = server.limits.time.as_secs_f64();
    timeout_at(until, collect(server, body))
        .await
        .unwrap_or_else(|_| {
            let message = format!(
                "the body did not come within {seconds} seconds: send it faster, or in several requests"
            );
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "slow_body", message))
        })
}

async fn collect(server: &Server, mut body: Body) -> Result<Read, Problem> {
    let limit = server.limits.body;
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    let mut held: Option<OwnedSemaphorePermit> = None;
    let mut units = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(&error))?;
        let Ok(bytes) = frame.into_data() else {
            continue;
        };
        let length = first.len() + rest.len() + bytes.len();
        if length > limit {
            let message = format!(
                "the body is longer than {limit} bytes: send fewer texts a request, or start the \
                 server with a higher --max-body"
            );
            return Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "body_too_large",
                message,
            ));
        }
        let needed = length.div_ceil(UNIT) - units;
        let more = u32::try_from(needed).unwrap_or(u32::MAX);
        let permit = Arc::clone(&server.bodies).try_acquire_many_owned(more);
        let permit = permit.map_err(|_| Problem::busy("too many bytes are being read"))?;
        units += needed;
        match &mut held {
            Some(held) => held.merge(permit),
            none => *none = Some(permit),
        }
        // Most bodies come in one piece, which needs no copy.
        if first.is_empty() {
            first = bytes;
        } else {
            rest.extend_from_slice(&bytes);
        }
    }
    if !rest.is_empty() {
        let mut whole = BytesMut::with_capacity(first.len() + rest.len());
        whole.extend_from_slice(&first);
        whole.extend_from_slice(&rest);
        first = whole.freeze();
    }
    Ok(Read { bytes: first, held })
}

/// A body that breaks off, or whose compression is damaged.
fn broken(error: &axum::Error) -> Problem {
    let message = format!("the body cannot be read: {error}");
    Problem::new(StatusCode::BAD_REQUEST, "broken_body", message)
}
