//! HTTP/2: Pingora runs the connection, each of its streams is one request.

use super::body::{self, BodyError, BodyLimits};
use super::handler::Handler;
use super::head;
use super::sse::{self, Sink};
use super::wire::Unwritten;
use crate::edge::Answered;
use crate::request::events::EventStream;
use crate::request::head::Head;
use crate::request::reply::{BodyKind, Reply};
use async_trait::async_trait;
use bytes::Bytes;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use pingora_core::BError;
use pingora_core::apps::{HttpServerApp, HttpServerOptions, ReusedHttpStream, ServerApp};
use pingora_core::protocols::Stream;
use pingora_core::protocols::http::ServerSession;
use pingora_core::protocols::http::v2::server::HttpSession;
use pingora_core::server::ShutdownWatch;
use pingora_http::ResponseHeader;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One connection.
struct Connection<H> {
    handler: H,
    options: HttpServerOptions,
    /// A request has arrived.
    begun: AtomicBool,
}

/// Serves a connection until it ends.
pub(super) async fn serve<H: Handler>(handler: &H, stream: Stream, shutdown: &ShutdownWatch) {
    let idle = handler.settings().timeouts.idle;
    let mut options = HttpServerOptions::default();
    options.h2c = true;
    options.h2_idle_timeout = Some(idle);
    let connection =
        Arc::new(Connection { handler: handler.clone(), options, begun: AtomicBool::new(false) });
    // Pingora's own limit begins after the handshake.
    let never_begins = async {
        pingora_timeout::sleep(idle).await;
        if connection.begun.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = connection.process_new(stream, shutdown) => {}
        () = never_begins => {}
    }
}

#[async_trait]
impl<H: Handler> HttpServerApp for Connection<H> {
    async fn process_new_http(
        self: &Arc<Self>,
        session: ServerSession,
        shutdown: &ShutdownWatch,
    ) -> Option<ReusedHttpStream> {
        self.begun.store(true, Ordering::Relaxed);
        // Only connections with the preface of HTTP/2 get here.
        if let ServerSession::H2(mut session) = session {
            session.set_write_timeout(Some(self.handler.settings().timeouts.write));
            // A stream that cannot be written to is the client's loss.
            let _ = exchange(&self.handler, session, shutdown.clone()).await;
        }
        None
    }

    fn server_options(&self) -> Option<&HttpServerOptions> {
        Some(&self.options)
    }
}

async fn exchange<H: Handler>(
    handler: &H,
    mut session: HttpSession,
    mut stopping: ShutdownWatch,
) -> Result<(), BError> {
    let settings = handler.settings();
    let limits = BodyLimits { length: settings.limits.request_body, time: settings.timeouts.body };
    let head = Head::from(&**session.req_header());
    let head_only = head.method == http::Method::HEAD;
    let mut reply = Reply::default();
    let Some(endpoint) = handler.route(&head, &mut reply) else {
        return send(&mut session, reply, head_only).await;
    };
    let mut buffer = Vec::new();
    let read = if head.declares_more(limits.length) {
        Err(BodyError::TooLarge)
    } else {
        body::read(&mut session, &mut buffer, limits).await
    };
    let whole = match read {
        Ok(whole) => whole,
        Err(BodyError::TooLarge) => {
            handler.too_large(&head, &mut reply);
            return send(&mut session, reply, head_only).await;
        }
        Err(BodyError::TooSlow) => {
            reply.clear();
            reply.status = 408;
            return send(&mut session, reply, head_only).await;
        }
        Err(BodyError::Gone | BodyError::Malformed) => return Ok(()),
    };
    let bytes = whole.as_deref().unwrap_or(&buffer);
    let answered = tokio::select! {
        biased;
        answered = handler.answer(&endpoint, &head, bytes, &mut reply) => answered,
        _ = session.idle() => return Ok(()),
    };
    match answered {
        Answered::Reply => send(&mut session, reply, head_only).await,
        Answered::Stream(events) => {
            stream(&mut session, *events, &reply, head_only, &mut stopping, settings.timeouts.keep_alive)
                .await
        }
    }
}

/// What is written of a body at once.
const PIECE: usize = 64 << 10;

async fn send(session: &mut HttpSession, reply: Reply, head_only: bool) -> Result<(), BError> {
    let status = http::StatusCode::from_u16(reply.status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    let mut header = ResponseHeader::build_no_case(status, Some(4 + reply.headers.len()))?;
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
    let end = head_only || !with_body || reply.body.is_empty();
    session.write_response_header(Box::new(header), end)?;
    // Each piece has a time limit of its own, as the writes of HTTP/1 have.
    let mut rest = Bytes::from(reply.body);
    while !end && !rest.is_empty() {
        let piece = rest.split_to(rest.len().min(PIECE));
        session.write_body(piece, rest.is_empty()).await?;
    }
    session.finish()
}

async fn stream(
    session: &mut HttpSession,
    events: EventStream,
    reply: &Reply,
    head_only: bool,
    stopping: &mut ShutdownWatch,
    keep_alive: std::time::Duration,
) -> Result<(), BError> {
    let mut header = ResponseHeader::build_no_case(200, Some(4))?;
    header.insert_header(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))?;
    header.insert_header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))?;
    mark_unbuffered(&mut header)?;
    add_headers(reply, &mut header)?;
    session.write_response_header(Box::new(header), head_only)?;
    if !head_only {
        // The client left: there is nobody to tell.
        let _ = sse::run(session, events, stopping, keep_alive).await;
    }
    Ok(())
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

impl Sink for HttpSession {
    async fn send(&mut self, data: Bytes) -> Result<(), Unwritten> {
        self.write_body(data, false).await.map_err(|_| Unwritten)
    }

    async fn closed(&mut self) {
        // Both a reset and a broken connection end it.
        let _ = self.idle().await;
    }

    async fn end(&mut self) -> Result<(), Unwritten> {
        self.finish().map_err(|_| Unwritten)
    }
}
