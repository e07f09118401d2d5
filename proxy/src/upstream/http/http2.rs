//! One exchange over a stream of a shared HTTP/2 connection.

use super::answer::{ExchangeFailure, Hints, Wanted};
use super::decode::{Body, Coding};
use super::events::Events;
use super::network::Origin;
use super::{interim, pool, wire};
use crate::upstream::{Exchange, Received, UpstreamError};
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use mcp_bundle::wire_enums::Method;
use pingora_core::connectors::http::v2::ConnectionRef;
use pingora_core::protocols::http::v2::client::Http2Session;
use pingora_core::{Error, ErrorType, RetryType};

/// A request that nothing has been heard about. If the call gives up on it, the connection may be dead, and others are not
/// to wait on it as well.
struct Silence<'a> {
    origin: &'a Origin,
    connection: &'a ConnectionRef,
}

impl Silence<'_> {
    fn broken(self) {
        std::mem::forget(self);
    }
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        pool::forget(self.origin, self.connection);
    }
}

/// Dropping the future resets the stream; other streams of the connection live on.
pub(super) async fn exchange(
    connection: &ConnectionRef,
    call: &Exchange<'_>,
    target: &[u8],
    received: &mut Received,
) -> Result<Hints, ExchangeFailure> {
    let header = wire::header(call, target).ok_or_else(|| ExchangeFailure::unsent(unspeakable()))?;
    let Ok(Some(mut session)) = connection.spawn_stream().await else {
        return Err(ExchangeFailure::unsent(UpstreamError::Closed));
    };
    let body = wire::body(call).concat();
    let body = (!body.is_empty()).then(|| Bytes::from(body));
    session.write_request_header(header, body.is_none()).map_err(|error| match error.etype {
        ErrorType::InvalidHTTPHeader => ExchangeFailure::unsent(unspeakable()),
        _ => ExchangeFailure::unsent(UpstreamError::Closed),
    })?;
    received.attempts = received.attempts.saturating_add(1);
    let silence = Silence { origin: call.origin, connection };
    if let Some(body) = body {
        // An upstream that refuses the body may have answered already, so the answer decides whether it failed.
        let _ = session.write_request_body(body, true).await;
    }
    let head = interim::bounded(session.read_response_header()).await;
    // An upstream that says nothing but "wait" is asked no longer.
    let head = head.ok_or_else(|| ExchangeFailure::unanswered(UpstreamError::Protocol))?;
    head.map_err(|error| unanswered(&error))?;
    silence.broken();
    let Some(head) = session.response_header() else {
        return Err(ExchangeFailure::unanswered(UpstreamError::Protocol));
    };
    let headers = head.headers.iter().map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()));
    let wanted = Wanted::of(headers);
    let hints = wanted.take(head.status.as_u16(), received);
    let coding = Coding::of(&wanted);
    let length = head.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let body = match (call.request.method, received.status) {
        // Their `content-length` speaks of a body that does not come.
        (Method::Head, _) | (_, 204 | 304) => read_nothing(&mut session).await,
        _ => match coding {
            Ok(coding) => read_body(&mut session, coding, length, call, received).await,
            Err(error) => Err(error),
        },
    };
    body.map_err(ExchangeFailure::answered)?;
    Ok(hints)
}

async fn read_body(
    session: &mut Http2Session,
    coding: Coding,
    length: Option<u64>,
    call: &Exchange<'_>,
    received: &mut Received,
) -> Result<(), UpstreamError> {
    let Received { body: out, status, held, content_type, .. } = received;
    let events = Events::of(call, *status, content_type.as_deref());
    let mut body = Body::new(coding, length, *status, call, events, out, held)?;
    while let Some(bytes) = read(session).await? {
        body.push(&bytes)?;
        if body.settle().await? {
            return Ok(());
        }
    }
    body.finish()
}

async fn read_nothing(session: &mut Http2Session) -> Result<(), UpstreamError> {
    while let Some(bytes) = read(session).await? {
        if !bytes.is_empty() {
            return Err(UpstreamError::Protocol);
        }
    }
    Ok(())
}

async fn read(session: &mut Http2Session) -> Result<Option<Bytes>, UpstreamError> {
    session.read_response_body().await.map_err(|_| UpstreamError::Closed)
}

/// A graceful goodbye or a refused stream says that the upstream did not look at the request.
fn unanswered(error: &Error) -> ExchangeFailure {
    let refused = error.etype == ErrorType::H2Error && matches!(error.retry, RetryType::Decided(true));
    match error.etype {
        _ if refused => ExchangeFailure::unsent(UpstreamError::Closed),
        ErrorType::InvalidH2 | ErrorType::H2Downgrade => ExchangeFailure::unanswered(UpstreamError::Protocol),
        _ => ExchangeFailure::unanswered(UpstreamError::Closed),
    }
}

fn unspeakable() -> UpstreamError {
    UpstreamError::Connect("the request cannot be written as HTTP/2".to_owned())
}
