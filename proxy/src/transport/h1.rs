//! The connection loop of HTTP/1.

use super::body::{self, BodyError, BodyLimits};
use super::handler::Handler;
use super::head::{self as answer_head, Framing};
use super::input::{self, HeadError, Input, Read, Request};
use super::sse::{self, Http1Sink};
use super::wire;
use crate::request::head::Head;
use crate::request::identity::Peer;
use crate::request::reply::Reply;
use crate::runtime::arrived::{Arrived, arrived};
use crate::runtime::buffers;
use crate::runtime::deadline::within_since;
use crate::serving::events::EventStream;
use crate::serving::{Answered, Serving};
use crate::settings::Timeouts;
use pingora_core::protocols::Stream;
use pingora_core::server::ShutdownWatch;
use pingora_timeout::timeout;
use std::pin::pin;
use std::time::{Duration, Instant};

/// Bodies up to this length are copied behind the head, so that an answer is one write.
const ONE_WRITE: usize = 16 << 10;
/// What the memory of a connection may keep between two requests.
const KEPT: usize = 4 << 10;
/// How long a connection may take to send one more request although we shut down. A client that has just been accepted or
/// answered counts on it: its next request may be on its way.
const LAST_REQUEST: Duration = Duration::from_millis(200);

/// A connection and its memory, used again by each of its requests.
struct Connection<'a, H> {
    handler: &'a H,
    stream: Stream,
    peer: Peer,
    input: Input,
    head: Head,
    reply: Reply,
}

/// What is to be done after a request.
enum Next {
    /// Send the reply; the request was read to its end.
    Reply(Read),
    /// Send the reply; the rest of the request will not be read.
    Cut,
    Stream(Box<EventStream>),
    /// The client left.
    Nothing,
}

/// A request that cannot be read is answered like one of HTTP/1.1.
const UNREAD: Framing = Framing { old: false, keep: false };

/// Serves a connection until it ends.
pub(super) async fn serve<H: Handler>(handler: &H, stream: Stream, peer: Peer, shutdown: &ShutdownWatch) {
    let mut idle = handler.serving().settings.timeouts.idle;
    let stopping = shutdown.clone();
    // One for all requests: to begin this wait is much work, to go on with it little.
    let mut asked = shutdown.clone();
    let mut shutting_down = pin!(shut_down(&mut asked));
    let mut connection = Connection {
        handler,
        stream,
        peer,
        input: Input::default(),
        head: Head::default(),
        reply: Reply::default(),
    };
    let mut idle_since = Instant::now();
    loop {
        let Connection { stream, input, head, .. } = &mut connection;
        let read = {
            let reading = pin!(input.head(stream, head));
            tokio::select! {
                biased;
                read = within_since(idle_since, idle, reading) => Some(read),
                () = shutting_down.as_mut() => None,
            }
        };
        let read = match read {
            Some(read) => read,
            // What is rare is boxed: it would be part of every connection's future.
            None => match Box::pin(connection.last_request()).await {
                Some(read) => Ok(read),
                None => return,
            },
        };
        let request = match read {
            Ok(Ok(request)) => request,
            Ok(Err(HeadError::Malformed)) => {
                return Box::pin(connection.turn_away(400, "the request is malformed")).await;
            }
            Ok(Err(HeadError::TooLong)) => {
                return Box::pin(connection.turn_away(431, "the request's head is too long")).await;
            }
            // The client left, or took too long for the head.
            Ok(Err(HeadError::Gone)) | Err(_) => return,
        };
        let old = request.old;
        let serving = handler.serving();
        let timeouts = &serving.settings.timeouts;
        idle = timeouts.idle;
        match connection.answer(&serving, &request).await {
            Next::Reply(read) => {
                let keep = request.keep_alive && !connection.reply.close && !*stopping.borrow();
                match connection.send(timeouts.write, Framing { old, keep }, request.head_only).await {
                    Ok(sent) => idle_since = sent,
                    Err(wire::Unwritten) => return,
                }
                if !keep {
                    return wire::close(connection.stream).await;
                }
                connection.input.finish(read);
                connection.shrink();
            }
            Next::Cut => {
                let framing = Framing { old, keep: false };
                if connection.send(timeouts.write, framing, request.head_only).await.is_ok() {
                    Box::pin(wire::close_gently(connection.stream)).await;
                }
                return;
            }
            Next::Stream(events) => {
                let timeouts = timeouts.clone();
                // An idle stream holds no bundle.
                drop(serving);
                return Box::pin(connection.stream(request, *events, timeouts, stopping)).await;
            }
            Next::Nothing => return,
        }
    }
}

/// Waits until the process is asked to shut down.
pub(super) async fn shut_down(stopping: &mut ShutdownWatch) {
    // A server without a sender is gone.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

/// The same for a connection that has sent no request yet.
pub(super) async fn shut_down_unused(stopping: &ShutdownWatch) {
    shut_down(&mut stopping.clone()).await;
    pingora_timeout::sleep(LAST_REQUEST).await;
}

impl<H: Handler> Connection<'_, H> {
    /// Answers the request whose head was read.
    async fn answer(&mut self, serving: &Serving, request: &Request) -> Next {
        let settings = &serving.settings;
        let limits = BodyLimits { length: settings.limits.request_body, time: settings.timeouts.body };
        let bodiless = request.framing == mcp_http1::Body::None;
        let waits = !bodiless && !request.old && body::expects_continue(&self.head);
        let Some(routed) = self.handler.route(serving, &self.head, &self.peer, &mut self.reply).await else {
            return self.skip_body(request, waits, limits).await;
        };
        if waits && !self.head.declares_more(limits.length) {
            let said = wire::write(&mut self.stream, [CONTINUE, &[]], settings.timeouts.write).await;
            if said.is_err() {
                return Next::Nothing;
            }
        }
        let read = match self.input.body(&mut self.stream, request, limits).await {
            Ok(read) => read,
            Err(BodyError::Gone) => return Next::Nothing,
            Err(BodyError::TooLarge) => {
                self.handler.too_large(serving, &routed, &self.head, &mut self.reply);
                return Next::Cut;
            }
            Err(BodyError::TooSlow) => {
                self.refuse(408, "the request's body took too long");
                return Next::Cut;
            }
            Err(BodyError::Malformed) => {
                self.refuse(400, "the request's body is malformed");
                return Next::Cut;
            }
        };
        let (bytes, ahead) = self.input.split(read);
        let answered = tokio::select! {
            biased;
            answered = self.handler.answer(serving, &routed, &self.head, bytes, &mut self.reply) => answered,
            () = input::gone(&mut self.stream, ahead) => return Next::Nothing,
        };
        match answered {
            Answered::Reply => Next::Reply(read),
            Answered::Stream(events) => Next::Stream(events),
        }
    }

    /// The request that is answered although we shut down; `None` if none comes. A client must never see a connection close
    /// that has its request: it could not know whether it may send it again.
    async fn last_request(&mut self) -> Option<Result<Request, HeadError>> {
        let Connection { stream, input, head, .. } = self;
        if let Ok(read) = timeout(LAST_REQUEST, input.head(stream, head)).await {
            return Some(read);
        }
        // The runtime may not have heard of it yet.
        let is_there = input.has_begun() || arrived(stream.id()) == Arrived::Bytes;
        if !is_there {
            return None;
        }
        timeout(LAST_REQUEST, input.head(stream, head)).await.ok()
    }

    /// The reply is written by the head alone. The body is read and dropped, so that the connection stays of use, unless
    /// the client waits with it.
    async fn skip_body(&mut self, request: &Request, waits: bool, limits: BodyLimits) -> Next {
        if waits || (self.reply.close && request.framing != mcp_http1::Body::None) {
            return Next::Cut;
        }
        match self.input.body(&mut self.stream, request, limits).await {
            Ok(read) => Next::Reply(read),
            Err(BodyError::Gone) => Next::Nothing,
            Err(_) => Next::Cut,
        }
    }

    /// Answers what is not a request, and ends the connection.
    async fn turn_away(mut self, status: u16, reason: &str) {
        self.refuse(status, reason);
        let limit = self.handler.serving().settings.timeouts.write;
        if self.send(limit, UNREAD, false).await.is_ok() {
            wire::close_gently(self.stream).await;
        }
    }

    /// A reply to what never reached the handler.
    fn refuse(&mut self, status: u16, reason: &str) {
        self.reply = Reply::text(status, reason);
    }

    /// Sends the reply; returns when that was done.
    async fn send(
        &mut self,
        limit: Duration,
        framing: Framing,
        head_only: bool,
    ) -> Result<Instant, wire::Unwritten> {
        let Connection { stream, reply, .. } = self;
        let now = Instant::now();
        let mut out = buffers::take_bytes();
        answer_head::write(reply, framing, now, &mut out);
        let mut rest: &[u8] = &[];
        if !head_only && answer_head::may_have_body(reply.status) {
            if reply.body.len() <= ONE_WRITE {
                out.extend_from_slice(&reply.body);
            } else {
                rest = &reply.body;
            }
        }
        let written = wire::write(stream, [&out, rest], limit).await?;
        buffers::give_bytes(&mut out);
        // Nearly always it is a matter of microseconds, and not worth another look at the clock.
        Ok(if written.waited { Instant::now() } else { now })
    }

    /// Sends an event stream, which is the last answer of its connection.
    async fn stream(
        self,
        request: Request,
        events: EventStream,
        timeouts: Timeouts,
        mut stopping: ShutdownWatch,
    ) {
        let mut out = Vec::new();
        answer_head::write_stream(&self.reply, request.old, Instant::now(), &mut out);
        let mut stream = self.stream;
        if request.head_only {
            let _ = wire::write(&mut stream, [&out, &[]], timeouts.write).await;
            return wire::close(stream).await;
        }
        let mut sink = Http1Sink { stream, chunked: !request.old, write_limit: timeouts.write, out };
        // An idle stream needs none of it.
        drop((self.reply, self.input, self.head));
        if sse::run(&mut sink, events, &mut stopping, timeouts.keep_alive).await.is_ok() {
            wire::close(sink.stream).await;
        }
    }

    /// An idle connection holds little.
    fn shrink(&mut self) {
        self.reply.held.give();
        self.head.headers.shrink(KEPT);
        if self.reply.body.capacity() > KEPT {
            self.reply.body = Vec::new();
        }
    }
}

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
