//! What can go wrong with a request's body, and how one is read from a session of Pingora: never more than allowed and never longer.

use crate::request::head::Head;
use bytes::Bytes;
use pingora_core::protocols::http::ServerSession;
use pingora_core::{BError, ErrorType};
use pingora_timeout::timeout;
use std::time::Duration;

/// Why there is no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyError {
    /// The client left.
    Gone,
    Malformed,
    TooLarge,
    TooSlow,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    pub(super) length: usize,
    pub(super) time: Duration,
}

/// Reads a whole body. A body that arrived in one piece is returned as it is; any other is in `buffer`.
pub(super) async fn read(
    session: &mut ServerSession,
    buffer: &mut Vec<u8>,
    limits: BodyLimits,
) -> Result<Option<Bytes>, BodyError> {
    buffer.clear();
    let all = async {
        while let Some(piece) = session.read_request_body().await.map_err(|error| kind_of(&error))? {
            if buffer.len() + piece.len() > limits.length {
                return Err(BodyError::TooLarge);
            }
            if buffer.is_empty() && session.is_body_done() {
                return Ok(Some(piece));
            }
            buffer.extend_from_slice(&piece);
        }
        Ok(None)
    };
    timeout(limits.time, all).await.unwrap_or(Err(BodyError::TooSlow))
}

/// The client waits for a word before it sends the body.
pub(super) fn expects_continue(head: &Head) -> bool {
    head.headers.first("expect").is_some_and(|value| value.eq_ignore_ascii_case(b"100-continue"))
}

/// Whether a client that fails like this is still there to read an answer.
fn kind_of(error: &BError) -> BodyError {
    match error.etype() {
        ErrorType::ConnectionClosed | ErrorType::ReadError | ErrorType::ReadTimedout => BodyError::Gone,
        _ => BodyError::Malformed,
    }
}
