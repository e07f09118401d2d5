//! The heads of HTTP/1 answers.

use crate::request::reply::Reply;
use crate::runtime::clock;
use std::cell::RefCell;
use std::time::{Duration, Instant, UNIX_EPOCH};

/// What of a request decides over the head of its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Framing {
    /// HTTP/1.0.
    pub(super) old: bool,
    /// The connection stays open after the answer.
    pub(super) keep: bool,
}

/// What every event stream begins with.
const STREAM_START: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
    x-accel-buffering: no\r\nx-content-type-options: nosniff\r\nconnection: close\r\n";

/// Appends the head of a whole answer.
pub(super) fn write(reply: &Reply, framing: Framing, now: Instant, out: &mut Vec<u8>) {
    write_status(reply.status, out);
    if let Some(content_type) = reply.kind.content_type() {
        out.extend_from_slice(b"content-type: ");
        out.extend_from_slice(content_type.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    if reply.kind == crate::request::reply::BodyKind::Events {
        out.extend_from_slice(b"cache-control: no-cache\r\nx-accel-buffering: no\r\n");
    }
    if may_have_body(reply.status) {
        out.extend_from_slice(b"content-length: ");
        out.extend_from_slice(itoa::Buffer::new().format(reply.body.len()).as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"x-content-type-options: nosniff\r\n");
    write_headers(reply, out);
    match framing {
        Framing { keep: false, .. } => out.extend_from_slice(b"connection: close\r\n"),
        Framing { keep: true, old: true } => out.extend_from_slice(b"connection: keep-alive\r\n"),
        Framing { keep: true, old: false } => {}
    }
    out.extend_from_slice(b"date: ");
    write_date(now, out);
    out.extend_from_slice(b"\r\n\r\n");
}

/// Appends the head of an event stream, which ends its connection: chunked where the client supports it.
pub(super) fn write_stream(reply: &Reply, old: bool, now: Instant, out: &mut Vec<u8>) {
    out.extend_from_slice(STREAM_START);
    write_headers(reply, out);
    out.extend_from_slice(b"date: ");
    write_date(now, out);
    out.extend_from_slice(if old { b"\r\n\r\n" } else { b"\r\ntransfer-encoding: chunked\r\n\r\n" });
}

fn write_headers(reply: &Reply, out: &mut Vec<u8>) {
    for (name, value) in reply.headers.iter().filter(|(_, value)| is_safe(value)) {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
}

/// Answers of these statuses end with their head.
pub(super) fn may_have_body(status: u16) -> bool {
    !matches!(status, 204 | 304)
}

/// A value that cannot begin another header. Ours never can; this is where it would matter.
pub(super) fn is_safe(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'\t' || !byte.is_ascii_control())
}

fn write_status(status: u16, out: &mut Vec<u8>) {
    let line: &[u8] = match status {
        200 => b"HTTP/1.1 200 OK\r\n",
        202 => b"HTTP/1.1 202 Accepted\r\n",
        400 => b"HTTP/1.1 400 Bad Request\r\n",
        404 => b"HTTP/1.1 404 Not Found\r\n",
        405 => b"HTTP/1.1 405 Method Not Allowed\r\n",
        other => return write_rare_status(other, out),
    };
    out.extend_from_slice(line);
}

fn write_rare_status(status: u16, out: &mut Vec<u8>) {
    let status = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(status.as_str().as_bytes());
    out.push(b' ');
    out.extend_from_slice(status.canonical_reason().unwrap_or_default().as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Appends a time. Its text is made once a second for each thread.
fn write_date(now: Instant, out: &mut Vec<u8>) {
    thread_local!(static DATE: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) });
    let second = clock::since_epoch(now).as_secs();
    DATE.with_borrow_mut(|(of, text)| {
        if *of != second || text.is_empty() {
            *of = second;
            *text = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(second));
        }
        out.extend_from_slice(text.as_bytes());
    });
}
