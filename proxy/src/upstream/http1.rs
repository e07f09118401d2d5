//! One exchange over an HTTP/1.1 connection. The request leaves in one write; the answer's framing is Pingora's.

use super::answer::{self, Failure, Hints};
use super::decode::Body;
use super::early::{Early, Replayed};
use super::{Exchange, Received, UpstreamError, wire};
use mcp_bundle::tag::Method;
use pingora_core::protocols::Stream;
use pingora_core::protocols::http::v1::client::HttpSession;
use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// A body up to here is copied behind its head; a larger one is written after it.
const MAX_COPIED_BODY: usize = 64 << 10;
/// A request up to here leaves in one system call: if that fails, nothing was sent.
const ONE_CALL: usize = 1024;
/// Answers of the 1xx kind before the real one.
const MAX_INFORMATIONAL: usize = 16;
/// A server's keep-alive time is cut by this, so that a request does not meet the close on its way.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);

thread_local! {
    /// The buffer that requests are written from.
    static WIRE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A connection that is good for another exchange.
pub(super) struct Kept {
    pub stream: Stream,
    /// How long the upstream said it keeps it.
    pub lifetime: Option<Duration>,
}

/// How the request went out.
struct Sent {
    /// Whether the upstream may have seen any of it.
    any: bool,
    /// Whether the connection is as good as before.
    clean: bool,
}

pub(super) async fn exchange(
    stream: Stream,
    call: &Exchange<'_>,
    target: &[u8],
    received: &mut Received,
) -> Result<(Hints, Option<Kept>), Failure> {
    let (mut session, sent) = match call.request.method {
        Method::Head => send_head_request(stream, call, target).await?,
        _ => send(stream, call, target).await,
    };
    if sent.any {
        received.attempts = received.attempts.saturating_add(1);
    }
    if let Err(error) = read_final_head(&mut session).await {
        return Err(Failure { error, sent: sent.any, answered: false });
    }
    let Some(head) = session.resp_header() else {
        return Err(Failure::unanswered(UpstreamError::Protocol));
    };
    if has_other_coding(&head.headers) {
        return Err(Failure::answered(UpstreamError::Protocol));
    }
    let hints = answer::take_head(head, received);
    let lifetime = answer::text(&head.headers, "keep-alive").and_then(|value| keep_alive(&value));
    read_body(&mut session, call.max_response, received).await.map_err(Failure::answered)?;
    session.respect_keepalive();
    if !sent.clean || !session.will_keepalive() || lifetime == Some(Duration::ZERO) {
        return Ok((hints, None));
    }
    let kept = session.reuse().await.map(|stream| Kept { stream, lifetime });
    Ok((hints, kept))
}

/// Pingora must write a HEAD request itself to know that its answer has no body.
async fn send_head_request(
    stream: Stream,
    call: &Exchange<'_>,
    target: &[u8],
) -> Result<(HttpSession, Sent), Failure> {
    let header = wire::header(call, target).ok_or_else(|| Failure::unsent(unspeakable()))?;
    let mut session = HttpSession::new(stream);
    match session.write_request_header(header).await {
        Ok(_) => Ok((session, Sent { any: true, clean: true })),
        Err(_) => Err(Failure::unanswered(UpstreamError::Closed)),
    }
}

/// Writes head and body. A failure is not the end: an upstream that refuses a body may have answered already.
async fn send(mut stream: Stream, call: &Exchange<'_>, target: &[u8]) -> (HttpSession, Sent) {
    let mut buffer = WIRE.take();
    buffer.clear();
    wire::write_head(&mut buffer, call, target);
    let mut rest = call.request.body().unwrap_or_default();
    if rest.len() <= MAX_COPIED_BODY {
        buffer.extend_from_slice(rest);
        rest = &[];
    }
    let mut early = Early::default();
    let written = async {
        write_all(&mut stream, &buffer, &mut early).await?;
        write_all(&mut stream, rest, &mut early).await?;
        stream.flush().await
    };
    let whole = written.await.is_ok();
    let any = whole || buffer.len() + rest.len() > ONE_CALL;
    WIRE.set(buffer);
    let early = early.into_bytes();
    let clean = whole && early.is_empty();
    if !early.is_empty() {
        stream = Box::new(Replayed::new(early, stream));
    }
    (HttpSession::new(stream), Sent { any, clean })
}

/// Writes `bytes`, and looks for an early answer whenever the upstream does not take them.
async fn write_all(stream: &mut Stream, bytes: &[u8], early: &mut Early) -> io::Result<()> {
    let mut rest = bytes;
    std::future::poll_fn(|context| {
        while !rest.is_empty() {
            match Pin::new(&mut *stream).poll_write(context, rest) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(written)) => rest = rest.get(written..).unwrap_or_default(),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    return early
                        .poll_refusal(stream, context)
                        .map(|()| Err(io::ErrorKind::BrokenPipe.into()));
                }
            }
        }
        Poll::Ready(Ok(()))
    })
    .await
}

async fn read_final_head(session: &mut HttpSession) -> Result<(), UpstreamError> {
    for _ in 0..MAX_INFORMATIONAL {
        session.read_response().await.map_err(|error| answer::read_error(&error))?;
        match session.get_status().map(|status| status.as_u16()) {
            // Nobody asked for another protocol.
            None | Some(101) => return Err(UpstreamError::Protocol),
            Some(100..=199) => {}
            Some(_) => return Ok(()),
        }
    }
    Err(UpstreamError::Protocol)
}

async fn read_body(
    session: &mut HttpSession,
    limit: usize,
    received: &mut Received,
) -> Result<(), UpstreamError> {
    if session.is_body_done() {
        return Ok(());
    }
    let Some(head) = session.resp_header() else { return Err(UpstreamError::Protocol) };
    let mut body = Body::new(&head.headers, received.status, limit, &mut received.body)?;
    while let Some(bytes) = session.read_body_ref().await.map_err(|error| answer::read_error(&error))? {
        body.push(bytes)?;
    }
    body.finish()
}

/// Whether a body is coded in another way than in chunks, which nobody asked for and only the framing would see.
fn has_other_coding(headers: &http::HeaderMap) -> bool {
    let codings = headers.get_all(http::header::TRANSFER_ENCODING).iter();
    codings
        .enumerate()
        .any(|(index, coding)| index > 0 || !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
}

/// The time in `timeout=5, max=100`, with a margin.
fn keep_alive(value: &str) -> Option<Duration> {
    let parameters = value.split(',').filter_map(|parameter| parameter.split_once('='));
    let (_, seconds) =
        parameters.into_iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("timeout"))?;
    let seconds = seconds.trim().parse::<u32>().ok()?;
    Some(Duration::from_secs(seconds.into()).saturating_sub(KEEP_ALIVE_MARGIN))
}

fn unspeakable() -> UpstreamError {
    UpstreamError::Connect("the request cannot be written".to_owned())
}
