//! A request as it goes over a connection.

use crate::upstream::Exchange;
use http::header::{CONTENT_LENGTH, HOST};
use http::{HeaderName, HeaderValue};
use mcp_bundle::wire_enums::Method;
use pingora_http::RequestHeader;

/// The answers that [`super::decode`] understands.
const ACCEPT_ENCODING: &str = "gzip, br, zstd";
const USER_AGENT: &str = concat!("mcp-edge/", env!("CARGO_PKG_VERSION"));

/// Headers that the connection owns, or that HTTP/2 forbids.
const CONNECTION_HEADERS: [&str; 8] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Which headers the request leaves to us.
struct Missing {
    accept_encoding: bool,
    user_agent: bool,
}

/// Writes the head of an HTTP/1.1 request.
pub(super) fn write_head(out: &mut Vec<u8>, call: &Exchange<'_>, target: &[u8]) {
    let missing = Missing::of(call);
    let pieces = [call.request.method.as_str().as_bytes(), b" ", target, b" HTTP/1.1\r\nhost: "];
    pieces.iter().for_each(|piece| out.extend_from_slice(piece));
    out.extend_from_slice(call.authority.as_bytes());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(call.request.head());
    if let Some(authorization) = call.authorization {
        out.extend_from_slice(b"authorization: ");
        out.extend_from_slice(authorization.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    for lines in call.envelope.iter().flat_map(|envelope| envelope.head) {
        out.extend_from_slice(lines);
    }
    let mut line = |name: &str, value: &str| {
        for piece in [name, ": ", value, "\r\n"] {
            out.extend_from_slice(piece.as_bytes());
        }
    };
    if missing.accept_encoding {
        line("accept-encoding", ACCEPT_ENCODING);
    }
    if let Some(length) = content_length(call) {
        line("content-length", itoa::Buffer::new().format(length));
    }
    if missing.user_agent {
        line("user-agent", USER_AGENT);
    }
    out.extend_from_slice(b"\r\n");
}

/// The same head as a value, for what Pingora writes itself; `None` if it cannot be said that way.
pub(super) fn header(call: &Exchange<'_>, target: &[u8]) -> Option<Box<RequestHeader>> {
    let method = call.request.method.as_str();
    let mut header = RequestHeader::build_no_case(method, target, Some(12)).ok()?;
    let mut append = |name: HeaderName, value: &str| {
        let value = HeaderValue::from_bytes(value.as_bytes()).ok()?;
        header.append_header(name, value).ok()
    };
    append(HOST, call.authority)?;
    for (name, value) in call.request.headers() {
        if !CONNECTION_HEADERS.contains(&name) {
            append(HeaderName::from_bytes(name.as_bytes()).ok()?, value)?;
        }
    }
    for (name, value) in call.envelope.iter().flat_map(|envelope| envelope.head).flat_map(lines) {
        append(HeaderName::from_bytes(name).ok()?, std::str::from_utf8(value).ok()?)?;
    }
    if let Some(authorization) = call.authorization {
        append(http::header::AUTHORIZATION, authorization)?;
    }
    let missing = Missing::of(call);
    if missing.accept_encoding {
        append(http::header::ACCEPT_ENCODING, ACCEPT_ENCODING)?;
    }
    if let Some(length) = content_length(call) {
        append(CONTENT_LENGTH, itoa::Buffer::new().format(length))?;
    }
    if missing.user_agent {
        append(http::header::USER_AGENT, USER_AGENT)?;
    }
    Some(Box::new(header))
}

impl Missing {
    fn of(call: &Exchange<'_>) -> Missing {
        let mut missing = Missing { accept_encoding: true, user_agent: true };
        for (name, _) in call.request.headers() {
            missing.accept_encoding &= name != "accept-encoding";
            missing.user_agent &= name != "user-agent";
        }
        missing
    }
}

/// Headers in their wire form, one by one.
fn lines(head: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    head.split(|byte| *byte == b'\n').filter_map(|line| {
        let line = line.strip_suffix(b"\r")?;
        let colon = line.iter().position(|byte| *byte == b':')?;
        Some((line.get(..colon)?, line.get(colon + 1..)?.trim_ascii()))
    })
}

/// The body's pieces, in order.
pub(super) fn body<'a>(call: &Exchange<'a>) -> [&'a [u8]; 3] {
    let body = call.request.body().unwrap_or_default();
    match call.envelope {
        Some(around) => [around.before, body, around.after],
        None => [&[], body, &[]],
    }
}

/// Methods that mean a body say so even when it is empty (RFC 9110 §8.6).
fn content_length(call: &Exchange<'_>) -> Option<usize> {
    match call.request.body() {
        Some(_) => Some(body(call).iter().map(|piece| piece.len()).sum()),
        None => matches!(call.request.method, Method::Post | Method::Put | Method::Patch).then_some(0),
    }
}
