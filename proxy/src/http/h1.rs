//! The connection loop of HTTP/1.

use super::body::{self, BodyError, BodyLimits};
use super::handler::Handler;
use super::head::{self, Framing};
use super::sse::{self, Http1Sink};
use super::wire;
use crate::edge::Answered;
use crate::events::EventStream;
use crate::reply::{BodyKind, Reply};
use bytes::BytesMut;
use http::Version;
use pingora_core::protocols::Stream;
use pingora_core::protocols::http::v1::server::HttpSession;
use pingora_core::server::ShutdownWatch;
use pingora_http::RequestHeader;
use pingora_timeout::timeout;
use std::time::Duration;

/// Bodies up to this length are copied behind the head, so that an answer is one write.
const ONE_WRITE: usize = 16 << 10;
/// What each buffer of a connection may keep between two requests.
const KEPT: usize = 4 << 10;
/// How long a connection that has just begun may take to send its first request although we are leaving: it was accepted,
/// so somebody counts on it.
const FIRST_REQUEST: Duration = Duration::from_millis(200);

/// The memory of a connection, used again by each of its requests.
struct Connection<'a, H> {
    handler: &'a H,
    reply: Reply,
    /// A request's body, if it came in pieces.
    body: Vec<u8>,
    /// Head and short body of an answer.
    out: Vec<u8>,
}

/// What is to be done after a request.
enum Next {
    /// Send the reply.
    Reply(Ending),
    Stream(Box<EventStream>),
    /// The client left.
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The request was read to its end.
    Whole,
    /// The rest of the request will not be read.
    Cut,
}

/// What is known of a request after its head was handed over.
#[derive(Clone, Copy)]
struct Request {
    keep_alive: bool,
    /// HTTP/1.0.
    old: bool,
    /// Only the head of the answer is wanted.
    head_only: bool,
}

/// Serves a connection until it ends.
pub(super) async fn serve<H: Handler>(handler: &H, mut stream: Stream, shutdown: &ShutdownWatch) {
    let timeouts = &handler.settings().timeouts;
    let mut stopping = shutdown.clone();
    let mut connection = Connection { handler, reply: Reply::default(), body: Vec::new(), out: Vec::new() };
    let mut prefix = None;
    let mut first = true;
    loop {
        let mut session = open_session(stream, prefix.take());
        let read = tokio::select! {
            biased;
            read = timeout(timeouts.idle, session.read_request()) => read,
            () = leave(&mut stopping, first) => return,
        };
        first = false;
        // A request that cannot be read is answered like one of HTTP/1.1.
        let mut request = Request { keep_alive: false, old: false, head_only: false };
        let next = match read {
            Ok(Ok(Some(_))) => {
                request = Request::of(&session);
                connection.answer(&mut session).await
            }
            Ok(Err(error)) if body::kind_of(&error) == BodyError::Malformed => {
                connection.refuse(400, "the request is malformed");
                Next::Reply(Ending::Cut)
            }
            // The client left, or took too long for the head.
            _ => return,
        };
        match next {
            Next::Reply(ending) => {
                let keep = ending == Ending::Whole
                    && request.keep_alive
                    && !connection.reply.close
                    && !*stopping.borrow();
                let sent = connection.send(session, request, keep).await;
                match sent {
                    Some((next, rest)) if keep => (stream, prefix) = (next, rest),
                    Some((last, _)) if ending == Ending::Cut => return wire::close_gently(last).await,
                    Some((last, _)) => return wire::close(last).await,
                    None => return,
                }
                connection.shrink();
            }
            Next::Stream(events) => return connection.stream(session, request, *events, stopping).await,
            Next::Nothing => return,
        }
    }
}

/// Waits until the process is asked to leave.
pub(super) async fn leave(stopping: &mut ShutdownWatch, first_request: bool) {
    // A server without a sender is gone.
    let _ = stopping.wait_for(|stopping| *stopping).await;
    if first_request {
        pingora_timeout::sleep(FIRST_REQUEST).await;
    }
}

impl Request {
    fn of(session: &HttpSession) -> Request {
        let head = session.req_header();
        Request {
            keep_alive: session.will_keepalive(),
            old: head.version != Version::HTTP_11,
            head_only: head.method == http::Method::HEAD,
        }
    }
}

impl<H: Handler> Connection<'_, H> {
    /// Answers the request whose head was read.
    async fn answer(&mut self, session: &mut HttpSession) -> Next {
        let settings = self.handler.settings();
        let limits = BodyLimits { length: settings.limits.request_body, time: settings.timeouts.body };
        // Asking settles the framing of the body, for which the session needs the head.
        let bodiless = session.is_body_done();
        let head = take_head(session);
        let waits = !bodiless && body::expects_continue(&head);
        let Some(endpoint) = self.handler.route(&head, &mut self.reply) else {
            return self.skip_body(session, bodiless, waits, limits).await;
        };
        let mut whole = None;
        if !bodiless {
            if body::declares_more(&head, limits.length) {
                self.handler.too_large(&head, &mut self.reply);
                return Next::Reply(Ending::Cut);
            }
            if waits && !say_continue(session, settings.timeouts.write).await {
                return Next::Nothing;
            }
            match body::read(session, &mut self.body, limits).await {
                Ok(bytes) => whole = bytes,
                Err(BodyError::Gone) => return Next::Nothing,
                Err(BodyError::TooLarge) => {
                    self.handler.too_large(&head, &mut self.reply);
                    return Next::Reply(Ending::Cut);
                }
                Err(BodyError::TooSlow) => {
                    self.refuse(408, "the request's body took too long");
                    return Next::Reply(Ending::Cut);
                }
                Err(BodyError::Malformed) => {
                    self.refuse(400, "the request's body is malformed");
                    return Next::Reply(Ending::Cut);
                }
            }
        } else {
            self.body.clear();
        }
        let bytes = whole.as_deref().unwrap_or(&self.body);
        let answered = tokio::select! {
            biased;
            answered = self.handler.answer(&endpoint, &head, bytes, &mut self.reply) => answered,
            // Ends only when the client leaves; what it sends meanwhile is kept for the next request.
            _ = session.read_body_or_idle(true) => return Next::Nothing,
        };
        match answered {
            Answered::Reply => Next::Reply(Ending::Whole),
            Answered::Stream(events) => Next::Stream(events),
        }
    }

    /// The reply is written by the head alone. The body is read and dropped, so that the connection stays of use, unless
    /// the client waits with it.
    async fn skip_body(
        &mut self,
        session: &mut HttpSession,
        bodiless: bool,
        waits: bool,
        limits: BodyLimits,
    ) -> Next {
        if bodiless {
            return Next::Reply(Ending::Whole);
        }
        if waits || self.reply.close {
            return Next::Reply(Ending::Cut);
        }
        match body::read(session, &mut self.body, limits).await {
            Ok(_) => Next::Reply(Ending::Whole),
            Err(BodyError::Gone) => Next::Nothing,
            Err(_) => Next::Reply(Ending::Cut),
        }
    }

    /// A reply to what never reached the handler.
    fn refuse(&mut self, status: u16, reason: &str) {
        self.reply.clear();
        self.reply.status = status;
        self.reply.kind = BodyKind::Text;
        self.reply.body.extend_from_slice(reason.as_bytes());
        self.reply.body.push(b'\n');
    }

    /// Sends the reply and gives the connection back, with what was read of the next request; `None` if it broke.
    async fn send(
        &mut self,
        session: HttpSession,
        request: Request,
        keep: bool,
    ) -> Option<(Stream, Option<BytesMut>)> {
        let Connection { handler, reply, out, .. } = self;
        out.clear();
        head::write(reply, Framing { old: request.old, keep }, out);
        let mut rest: &[u8] = &[];
        if !request.head_only && head::may_have_body(reply.status) {
            if reply.body.len() <= ONE_WRITE {
                out.extend_from_slice(&reply.body);
            } else {
                rest = &reply.body;
            }
        }
        let (mut stream, prefix) =
            if keep { session.reuse().await.ok()??.into_parts() } else { (session.into_inner(), None) };
        wire::write(&mut stream, [out, rest], handler.settings().timeouts.write).await.ok()?;
        Some((stream, prefix))
    }

    /// Sends an event stream, which is the last answer of its connection.
    async fn stream(
        mut self,
        session: HttpSession,
        request: Request,
        events: EventStream,
        mut stopping: ShutdownWatch,
    ) {
        let timeouts = &self.handler.settings().timeouts;
        self.out.clear();
        head::write_stream(&self.reply, request.old, &mut self.out);
        let mut stream = session.into_inner();
        if request.head_only {
            let _ = wire::write(&mut stream, [&self.out, &[]], timeouts.write).await;
            return wire::close(stream).await;
        }
        let mut sink =
            Http1Sink { stream, chunked: !request.old, write_limit: timeouts.write, out: self.out };
        // An idle stream needs none of it.
        drop((self.reply, self.body));
        if sse::run(&mut sink, events, &mut stopping, timeouts.keep_alive).await.is_ok() {
            wire::close(sink.stream).await;
        }
    }

    /// An idle connection holds little.
    fn shrink(&mut self) {
        for buffer in [&mut self.reply.body, &mut self.body, &mut self.out] {
            if buffer.capacity() > KEPT {
                *buffer = Vec::new();
            }
        }
    }
}

fn open_session(stream: Stream, prefix: Option<BytesMut>) -> HttpSession {
    let mut session = HttpSession::new(stream);
    session.set_pipelining_enabled(true);
    // The time limits are ours: over a whole head and a whole body, not over each read.
    session.set_read_timeout(None);
    // Otherwise `100 Continue` would end the connection.
    session.set_close_on_response_before_downstream_finish(false);
    if let Some(prefix) = prefix {
        session.set_pipelined_prefix(prefix);
    }
    session
}

/// Takes the head out of a session, which is watched for the client's leaving while the head is in use.
fn take_head(session: &mut HttpSession) -> RequestHeader {
    let blank = RequestHeader::from(http::Request::new(()).into_parts().0);
    std::mem::replace(session.req_header_mut(), blank)
}

async fn say_continue(session: &mut HttpSession, limit: Duration) -> bool {
    matches!(timeout(limit, session.write_continue_response()).await, Ok(Ok(())))
}
