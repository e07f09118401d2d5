//! One request of a Pingora session: HTTP/2 of our own listeners, and whatever the owner of another Pingora service hands
//! over (`proxy_http`).

use super::body::{self, BodyError, BodyLimits};
use super::handler::Handler;
use super::head;
use super::sse::{self, Sink};
use super::wire::{LINGER, LINGER_BYTES, Unwritten};
use crate::request::head::Head;
use crate::request::identity::Peer;
use crate::request::reply::{BodyKind, Reply};
use crate::serving::Answered;
use crate::serving::events::EventStream;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Method, Version};
use pingora_core::protocols::http::ServerSession;
use pingora_core::server::ShutdownWatch;
use pingora_core::{BError, Error, ErrorType};
use pingora_http::ResponseHeader;
use pingora_timeout::timeout;
use std::time::Duration;

/// What is written of a body at once: each piece has a time limit of its own, as the writes of our own HTTP/1 have.
const PIECE: usize = 64 << 10;

/// A session whose head was read, and what is known of its request.
struct Exchange<'s> {
    session: &'s mut ServerSession,
    head: Head,
    /// The client waits for a word before it sends the body.
    waits: bool,
}

/// Answers the request. `Err` is a client that left or does not read.
pub(crate) async fn serve<H: Handler>(
    handler: &H,
    session: &mut ServerSession,
    stopping: &mut ShutdownWatch,
) -> Result<(), BError> {
    let serving = handler.serving();
    let settings = &serving.settings;
    session.set_write_timeout(Some(settings.timeouts.write));
    let head = Head::from(&**session.req_header());
    // HTTP/2 has no use for the word.
    let waits = is_http1(session)
        && session.req_header().version == Version::HTTP_11
        && !session.is_body_empty()
        && body::expects_continue(&head);
    let mut exchange = Exchange { session, head, waits };
    let limits = BodyLimits { length: settings.limits.request_body, time: settings.timeouts.body };
    let mut reply = Reply::default();
    let peer = peer_of(exchange.session);
    let Some(routed) = handler.route(&serving, &exchange.head, &peer, &mut reply).await else {
        exchange.skip_body(&mut reply, limits).await;
        return exchange.send(reply).await;
    };
    let mut buffer = Vec::new();
    let whole = match exchange.read_body(&mut buffer, limits).await {
        Ok(whole) => whole,
        Err(BodyError::Gone) => return Err(client_left()),
        Err(BodyError::TooLarge) => {
            handler.too_large(&serving, &routed, &exchange.head, &mut reply);
            return exchange.cut(reply).await;
        }
        Err(BodyError::TooSlow) => {
            return exchange.cut(Reply::text(408, "the request's body took too long")).await;
        }
        Err(BodyError::Malformed) => {
            return exchange.cut(Reply::text(400, "the request's body is malformed")).await;
        }
    };
    let bytes = whole.as_deref().unwrap_or(&buffer);
    let answered = tokio::select! {
        biased;
        answered = handler.answer(&serving, &routed, &exchange.head, bytes, &mut reply) => answered,
        () = gone(exchange.session) => return Err(client_left()),
    };
    match answered {
        Answered::Reply => exchange.send(reply).await,
        Answered::Stream(events) => {
            let keep_alive = settings.timeouts.keep_alive;
            // An idle stream holds no bundle.
            drop(serving);
            exchange.stream(*events, &reply, stopping, keep_alive).await
        }
    }
}

impl Exchange<'_> {
    fn head_only(&self) -> bool {
        self.head.method == Method::HEAD
    }

    async fn read_body(
        &mut self,
        buffer: &mut Vec<u8>,
        limits: BodyLimits,
    ) -> Result<Option<Bytes>, BodyError> {
        if self.head.declares_more(limits.length) {
            return Err(BodyError::TooLarge);
        }
        if self.waits {
            // Pingora takes the word for an answer before the end of the body, and would close the connection.
            let keep_alive = self.session.get_keepalive();
            self.session.write_continue_response().await.map_err(|_| BodyError::Gone)?;
            self.session.set_keepalive(keep_alive);
            self.waits = false;
        }
        body::read(self.session, buffer, limits).await
    }

    /// The reply is decided by the head alone. A body of HTTP/1 is read and dropped, so that the connection stays of use,
    /// unless the client waits with it.
    async fn skip_body(&mut self, reply: &mut Reply, limits: BodyLimits) {
        if !is_http1(self.session) || self.session.is_body_empty() {
            return;
        }
        reply.close |= self.waits || self.read_body(&mut Vec::new(), limits).await.is_err();
    }

    /// Sends a reply to a request that is not read to its end. Closing the connection at once would reset it, and a reset
    /// takes the answer away from a client that still sends.
    async fn cut(mut self, mut reply: Reply) -> Result<(), BError> {
        reply.close = true;
        self.write(reply).await?;
        if is_http1(self.session) {
            let drain = async {
                let mut left = LINGER_BYTES;
                while let Ok(Some(piece)) = self.session.read_request_body().await
                    && left > 0
                {
                    left = left.saturating_sub(piece.len());
                }
            };
            let _ = timeout(LINGER, drain).await;
        }
        Ok(())
    }

    async fn send(mut self, reply: Reply) -> Result<(), BError> {
        self.write(reply).await
    }

    async fn write(&mut self, reply: Reply) -> Result<(), BError> {
        if reply.close {
            self.session.set_keepalive(None);
        }
        let status =
            http::StatusCode::from_u16(reply.status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
        let mut header = ResponseHeader::build_no_case(status, Some(6 + reply.headers.len()))?;
        if let Some(content_type) = reply.kind.content_type() {
            header.insert_header(CONTENT_TYPE, HeaderValue::from_static(content_type))?;
        }
        if reply.kind == BodyKind::Events {
            mark_unbuffered(&mut header)?;
        }
        let with_body = head::may_have_body(reply.status);
        if with_body {
            header.insert_header(CONTENT_LENGTH, HeaderValue::from(reply.body.len()))?;
        }
        header.insert_header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))?;
        add_headers(&reply, &mut header)?;
        self.session.write_response_header(Box::new(header)).await?;
        let mut rest = if with_body && !self.head_only() { Bytes::from(reply.body) } else { Bytes::new() };
        while !rest.is_empty() {
            let piece = rest.split_to(rest.len().min(PIECE));
            self.session.write_response_body(piece, rest.is_empty()).await?;
        }
        self.session.finish_body().await
    }

    /// Sends an event stream, which is the last answer of an HTTP/1 connection.
    async fn stream(
        self,
        events: EventStream,
        reply: &Reply,
        stopping: &mut ShutdownWatch,
        keep_alive: Duration,
    ) -> Result<(), BError> {
        self.session.set_keepalive(None);
        let mut header = ResponseHeader::build_no_case(200, Some(6))?;
        header.insert_header(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))?;
        header.insert_header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))?;
        mark_unbuffered(&mut header)?;
        add_headers(reply, &mut header)?;
        if is_http1(self.session) && self.session.req_header().version == Version::HTTP_11 {
            header.insert_header(TRANSFER_ENCODING, HeaderValue::from_static("chunked"))?;
        }
        let head_only = self.head_only();
        self.session.write_response_header(Box::new(header)).await?;
        if head_only {
            return self.session.finish_body().await;
        }
        sse::run(self.session, events, stopping, keep_alive).await.map_err(|Unwritten| client_left())
    }
}

fn peer_of(session: &ServerSession) -> Peer {
    let tls = session.digest().and_then(|digest| digest.ssl_digest.clone());
    Peer { address: session.client_addr().and_then(|address| address.as_inet().copied()), tls }
}

fn is_http1(session: &ServerSession) -> bool {
    session.as_http1().is_some()
}

/// Waits until the client has left. Safe to cancel.
async fn gone(session: &mut ServerSession) {
    let Err(error) = session.read_body_or_idle(true).await else { return };
    if is_sent_ahead(&error) {
        // A byte of the next request is lost, so the client must send it again, on another connection.
        session.set_keepalive(None);
        std::future::pending::<()>().await;
    }
}

/// Bytes came instead of an end.
fn is_sent_ahead(error: &Error) -> bool {
    *error.etype() == ErrorType::ConnectError
}

fn client_left() -> BError {
    Error::explain(ErrorType::ConnectionClosed, "the client left").into_down()
}

fn add_headers(reply: &Reply, header: &mut ResponseHeader) -> Result<(), BError> {
    for (name, value) in reply.headers.iter().filter(|(_, value)| head::is_safe(value)) {
        header.append_header(*name, value.as_str())?;
    }
    Ok(())
}

fn mark_unbuffered(header: &mut ResponseHeader) -> Result<(), BError> {
    header.insert_header(CACHE_CONTROL, HeaderValue::from_static("no-cache"))?;
    header.insert_header("x-accel-buffering", HeaderValue::from_static("no"))
}

impl Sink for ServerSession {
    async fn send(&mut self, data: Bytes) -> Result<(), Unwritten> {
        self.write_response_body(data, false).await.map_err(|_| Unwritten)
    }

    async fn closed(&mut self) {
        // What a client sends after a request whose answer ends the connection does not matter.
        while self.read_body_or_idle(true).await.is_err_and(|error| is_sent_ahead(&error)) {}
    }

    async fn end(&mut self) -> Result<(), Unwritten> {
        self.finish_body().await.map_err(|_| Unwritten)
    }
}
