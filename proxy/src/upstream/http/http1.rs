//! One exchange over an HTTP/1.1 connection. The request leaves in one write; a plain body of known length is read to where it
//! stays.

use super::answer::{self, ExchangeFailure, Hints, Wanted};
use super::decode::{Body, Coding};
use super::events::Events;
use super::link::Link;
use super::{early, wire};
use crate::runtime::buffers;
use crate::upstream::{Exchange, Received, UpstreamError};
use mcp_bundle::wire_enums::Method;
use mcp_http1::{Body as Framing, Chunked, Field, read_response};
use std::cell::Cell;
use std::io;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A body up to here is copied behind its head; a larger one is written after it.
const MAX_COPIED_BODY: usize = 64 << 10;
/// A request up to here leaves in one system call: if that fails, nothing was sent.
const ONE_CALL: usize = 1024;
/// Answers of the 1xx kind before the real one.
const MAX_INFORMATIONAL: usize = 16;
/// Longest head of an answer.
const MAX_HEAD: usize = 64 << 10;
/// Room for a head and, nearly always, the whole of a short body.
const FIRST_READ: usize = 2 << 10;
/// Room for what is decoded before it is kept.
const NEXT_READ: usize = 16 << 10;
/// What may follow an answer on its stream, for the connection to be used again.
const MOST_REST: usize = 64 << 10;
/// A plain body is read in steps of this, whatever length it was announced with.
const BODY_STEP: usize = 1 << 20;
/// A server's keep-alive time is cut by this, so that a request does not meet the close on its way.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);

thread_local! {
    /// The buffer that requests are written from.
    static WIRE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// The headers of the answer that is being read.
    static FIELDS: Cell<Vec<Field>> = const { Cell::new(Vec::new()) };
}

/// A connection that is good for another exchange.
pub(super) struct Kept {
    pub stream: Link,
    /// How long the upstream said it keeps it.
    pub lifetime: Option<Duration>,
    /// What has to be read before.
    pub rest: Option<Box<Rest>>,
}

/// What follows an answer that ended before its body did.
pub(super) struct Rest {
    chunked: Chunked,
    input: Vec<u8>,
}

/// How the request went out.
struct Sent {
    /// Whether the upstream may have seen any of it.
    any: bool,
    /// Whether the connection is as good as before.
    clean: bool,
}

/// What the head of an answer says.
struct Head {
    length: usize,
    framing: Framing,
    keep_alive: bool,
    lifetime: Option<Duration>,
    coding: Result<Coding, UpstreamError>,
    hints: Hints,
}

pub(super) async fn exchange(
    mut stream: Link,
    call: &Exchange<'_>,
    target: &[u8],
    received: &mut Received,
) -> Result<(Hints, Option<Kept>), ExchangeFailure> {
    let sent = send(&mut stream, call, target, &mut received.input).await;
    if sent.any {
        received.attempts = received.attempts.saturating_add(1);
    }
    let to_head_request = call.request.method == Method::Head;
    let mut head = read_final_head(&mut stream, to_head_request, received)
        .await
        .map_err(|error| ExchangeFailure { error, sent: sent.any, answered: false })?;
    let Head { keep_alive, lifetime, .. } = head;
    let hints = std::mem::take(&mut head.hints);
    let end = read_body(&mut stream, head, call, received).await.map_err(ExchangeFailure::answered)?;
    let rest = match end {
        End::Whole => None,
        End::Chunked(chunked) => Some(Box::new(Rest { chunked, input: std::mem::take(&mut received.input) })),
        End::Cut => return Ok((hints, None)),
    };
    // More than the answer would be taken for the next one.
    let clean = sent.clean && received.input.is_empty();
    let keep = clean && keep_alive && lifetime != Some(Duration::ZERO);
    Ok((hints, keep.then_some(Kept { stream, lifetime, rest })))
}

/// How far a body was read.
enum End {
    Whole,
    /// Up to the answer, which is not all of it.
    Chunked(Chunked),
    Cut,
}

impl Rest {
    /// Reads it, if there is not much of it. True if the connection can be used again.
    pub async fn drain(self, stream: &mut Link) -> bool {
        let Rest { mut chunked, mut input } = self;
        let mut left = MOST_REST;
        loop {
            let mut rest = input.as_slice();
            while let Ok(Some(_)) = chunked.next(&mut rest) {}
            let used = input.len() - rest.len();
            input.drain(..used);
            if chunked.is_done() {
                return input.is_empty();
            }
            let before = input.len();
            if left == 0 || read_more(stream, &mut input, FIRST_READ).await.is_err() {
                return false;
            }
            left = left.saturating_sub(input.len() - before);
        }
    }
}

/// Writes head and body. A failure is not the end: an upstream that refuses a body may have answered already.
async fn send(stream: &mut Link, call: &Exchange<'_>, target: &[u8], input: &mut Vec<u8>) -> Sent {
    input.clear();
    let mut buffer = WIRE.take();
    buffer.clear();
    wire::write_head(&mut buffer, call, target);
    let mut pieces = wire::body(call);
    let rest = pieces.iter().map(|piece| piece.len()).sum::<usize>();
    let is_large = rest > MAX_COPIED_BODY;
    if !is_large {
        pieces.iter_mut().for_each(|piece| buffer.extend_from_slice(std::mem::take(piece)));
    }
    let written = async {
        write_all(stream, &buffer, input).await?;
        for piece in pieces {
            write_all(stream, piece, input).await?;
        }
        stream.flush().await
    };
    let whole = written.await.is_ok();
    let any = whole || is_large || buffer.len() > ONE_CALL;
    WIRE.set(buffer);
    Sent { any, clean: whole && input.is_empty() }
}

/// Writes `bytes`, and looks for an early answer whenever the upstream does not take them.
async fn write_all(stream: &mut Link, bytes: &[u8], input: &mut Vec<u8>) -> io::Result<()> {
    let mut rest = bytes;
    std::future::poll_fn(|context| {
        while !rest.is_empty() {
            match Pin::new(&mut *stream).poll_write(context, rest) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(written)) => rest = rest.get(written..).unwrap_or_default(),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    return early::poll_refusal(stream, input, context)
                        .map(|()| Err(io::ErrorKind::BrokenPipe.into()));
                }
            }
        }
        Poll::Ready(Ok(()))
    })
    .await
}

/// Reads heads until one is not of the 1xx kind.
async fn read_final_head(
    stream: &mut Link,
    to_head_request: bool,
    received: &mut Received,
) -> Result<Head, UpstreamError> {
    let (mut informational, mut looked_at) = (0, 0);
    loop {
        // A head ends with a line: later bytes without one are not worth another look at all of it.
        let is_first = looked_at == 0 && !received.input.is_empty();
        let is_worth_it = is_first || received.input.get(looked_at..).is_some_and(|new| new.contains(&b'\n'));
        let head = if is_worth_it { parse_head(to_head_request, received)? } else { None };
        match head {
            Some(head) => match received.status {
                // Nobody asked for another protocol.
                101 => return Err(UpstreamError::Protocol),
                100..=199 => {
                    informational += 1;
                    if informational > MAX_INFORMATIONAL {
                        return Err(UpstreamError::Protocol);
                    }
                    received.input.drain(..head.length);
                    looked_at = 0;
                }
                _ => return Ok(head),
            },
            None if received.input.len() >= MAX_HEAD => return Err(UpstreamError::Protocol),
            None => {
                looked_at = received.input.len();
                read_more(stream, &mut received.input, FIRST_READ).await?;
            }
        }
    }
}

/// `None` if the head is not whole yet.
fn parse_head(to_head_request: bool, received: &mut Received) -> Result<Option<Head>, UpstreamError> {
    let input = std::mem::take(&mut received.input);
    let mut fields = FIELDS.take();
    let read = read_response(&input, to_head_request, &mut fields);
    let head = read.map(|head| {
        head.map(|head| {
            let pairs = fields.iter().map(|field| (field.name(&input), field.value(&input)));
            let wanted = Wanted::of(pairs);
            Head {
                length: head.length,
                framing: head.body,
                keep_alive: head.keep_alive,
                lifetime: answer::text(wanted.keep_alive).and_then(|value| keep_alive(&value)),
                coding: Coding::of(&wanted),
                hints: wanted.take(head.status, received),
            }
        })
    });
    FIELDS.set(fields);
    received.input = input;
    head.map_err(|_| UpstreamError::Protocol)
}

/// Reads the body behind a head; what is left of the input does not belong to the answer.
async fn read_body(
    stream: &mut Link,
    head: Head,
    call: &Exchange<'_>,
    received: &mut Received,
) -> Result<End, UpstreamError> {
    let Received { input, body: out, status, held, content_type, .. } = received;
    let Head { framing, coding, .. } = head;
    input.drain(..head.length);
    let length = match framing {
        Framing::None => return Ok(End::Whole),
        Framing::Length(length) => Some(length),
        Framing::Chunked | Framing::UntilClose => None,
    };
    let events = Events::of(call, *status, content_type.as_deref());
    let body = Body::new(coding?, length, *status, call, events, out, held)?;
    match (framing, length) {
        (_, Some(length)) if body.is_plain() => {
            let out = match body.into_out(length) {
                Ok(out) => out,
                // Boxed, as all that is rare.
                Err(body) => Box::pin(body.make_room(length)).await?,
            };
            read_plain(stream, input, length, out).await.map(|()| End::Whole)
        }
        // Boxed, so that calls that do not need it have no part in its size.
        (_, Some(length)) => Box::pin(read_coded(stream, input, length, body)).await,
        (Framing::Chunked, _) => Box::pin(read_chunked(stream, input, body)).await,
        _ => Box::pin(read_to_end(stream, input, body)).await,
    }
}

async fn read_plain(
    stream: &mut Link,
    input: &mut Vec<u8>,
    length: u64,
    out: &mut Vec<u8>,
) -> Result<(), UpstreamError> {
    // The caller's limit is below the size of memory.
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let here = length.min(input.len());
    out.extend_from_slice(input.get(..here).unwrap_or_default());
    input.drain(..here);
    while out.len() < length {
        let left = length - out.len();
        out.reserve(left.min(BODY_STEP));
        let most = left.min(BODY_STEP) as u64;
        match (&mut *stream).take(most).read_buf(out).await {
            Ok(read) if read > 0 => {}
            _ => return Err(UpstreamError::Closed),
        }
    }
    Ok(())
}

async fn read_coded(
    stream: &mut Link,
    input: &mut Vec<u8>,
    mut left: u64,
    mut body: Body<'_>,
) -> Result<End, UpstreamError> {
    loop {
        let here = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
        body.push(input.get(..here).unwrap_or_default())?;
        let is_answered = body.settle().await?;
        input.drain(..here);
        left -= here as u64;
        if is_answered {
            return Ok(if left == 0 { End::Whole } else { End::Cut });
        }
        if left == 0 {
            return body.finish().map(|()| End::Whole);
        }
        read_more(stream, input, NEXT_READ).await?;
    }
}

async fn read_chunked(
    stream: &mut Link,
    input: &mut Vec<u8>,
    mut body: Body<'_>,
) -> Result<End, UpstreamError> {
    let mut chunked = Chunked::default();
    loop {
        let mut rest = input.as_slice();
        while let Some(data) = chunked.next(&mut rest).map_err(|_| UpstreamError::Protocol)? {
            body.push(data)?;
        }
        let is_answered = body.settle().await?;
        let used = input.len() - rest.len();
        input.drain(..used);
        match (is_answered, chunked.is_done()) {
            (true, true) => return Ok(End::Whole),
            (true, false) => return Ok(End::Chunked(chunked)),
            (false, true) => return body.finish().map(|()| End::Whole),
            (false, false) => {}
        }
        read_more(stream, input, NEXT_READ).await?;
    }
}

async fn read_to_end(
    stream: &mut Link,
    input: &mut Vec<u8>,
    mut body: Body<'_>,
) -> Result<End, UpstreamError> {
    loop {
        body.push(input)?;
        if body.settle().await? {
            return Ok(End::Cut);
        }
        input.clear();
        input.reserve(NEXT_READ);
        match stream.read_buf(input).await {
            Ok(0) => return body.finish().map(|()| End::Whole),
            Ok(_) => {}
            Err(_) => return Err(UpstreamError::Closed),
        }
    }
}

/// Reads what is there, as soon as there is something. Until then no memory is held for it.
async fn read_more(stream: &mut Link, input: &mut Vec<u8>, room: usize) -> Result<(), UpstreamError> {
    let read = std::future::poll_fn(|context| {
        if input.capacity() == 0 {
            *input = buffers::take_bytes();
        }
        input.reserve(room);
        let read = pin!(stream.read_buf(input)).poll(context);
        if read.is_pending() && input.is_empty() {
            buffers::give_bytes(input);
        }
        read
    });
    match read.await {
        Ok(read) if read > 0 => Ok(()),
        _ => Err(UpstreamError::Closed),
    }
}

/// The time in `timeout=5, max=100`, with a margin.
fn keep_alive(value: &str) -> Option<Duration> {
    let parameters = value.split(',').filter_map(|parameter| parameter.split_once('='));
    let (_, seconds) =
        parameters.into_iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("timeout"))?;
    let seconds = seconds.trim().parse::<u32>().ok()?;
    Some(Duration::from_secs(seconds.into()).saturating_sub(KEEP_ALIVE_MARGIN))
}
