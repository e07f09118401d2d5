//! Everything between a connection and the edge: HTTP/1 and HTTP/2 in, whole answers and event streams out.
//!
//! HTTP/1 has a connection loop of its own over Pingora's streams: `mcp_http1` says what a request is and where it ends, and
//! an answer's head and body leave in one write. HTTP/2 goes through Pingora's. Nothing here depends on MCP.

mod body;
mod certificate;
mod clients;
mod h1;
mod h2;
mod handler;
mod head;
mod input;
mod listening;
mod open;
pub(crate) mod session;
mod sse;
mod wire;

#[cfg(test)]
pub(crate) mod tests;

pub use certificate::{Certificate, CertificateError, Served, TlsFiles};
pub use clients::{ClientAuthority, read_authorities};
pub use handler::Handler;
pub(crate) use listening::{Endpoint, Listening, WhenAccepting};
pub(crate) use open::Open;

use crate::edge::Edge;
use crate::request::identity::Peer;
use async_trait::async_trait;
use pingora_core::apps::ServerApp;
use pingora_core::protocols::{ALPN, Stream};
use pingora_core::server::ShutdownWatch;
use pingora_core::services::listening::Service;
use pingora_timeout::timeout;
use std::sync::Arc;

const H2_PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Serves an edge on connections of Pingora's listeners.
#[derive(Debug)]
pub struct McpService<H = Arc<Edge>> {
    handler: H,
    open: Open,
}

/// A service for any Pingora `Server`: give it listeners (`add_tcp`, `add_tls_with_settings`…) and add it.
pub fn service(edge: Arc<Edge>) -> Service<McpService> {
    Service::new("mcp".to_owned(), McpService::new(edge, Open::default()))
}

impl<H: Handler> McpService<H> {
    pub(crate) fn new(handler: H, open: Open) -> McpService<H> {
        McpService { handler, open }
    }
}

#[async_trait]
impl<H: Handler> ServerApp for McpService<H> {
    async fn process_new(self: &Arc<Self>, stream: Stream, shutdown: &ShutdownWatch) -> Option<Stream> {
        // Beyond the limit there is nothing to say that would not itself need a connection.
        let _open = self.open.enter(self.handler.serving().settings.limits.connections)?;
        self.serve(stream, shutdown).await;
        None
    }
}

impl<H: Handler> McpService<H> {
    /// Serves a connection that is counted already.
    async fn serve(&self, mut stream: Stream, shutdown: &ShutdownWatch) {
        let idle = self.handler.serving().settings.timeouts.idle;
        let protocol = tokio::select! {
            biased;
            protocol = timeout(idle, protocol_of(&mut stream)) => protocol.ok().flatten(),
            () = h1::shut_down_unused(shutdown) => None,
        };
        let Some(protocol) = protocol else { return };
        match protocol {
            Protocol::Http1 => {
                let peer = Peer::of(&stream);
                h1::serve(&self.handler, stream, peer, shutdown).await;
            }
            // Boxed, so that the connections of HTTP/1 have no part in its size.
            Protocol::Http2 => Box::pin(h2::serve(&self.handler, stream, shutdown)).await,
        }
    }
}

enum Protocol {
    Http1,
    Http2,
}

/// What the client speaks; `None` if it left.
async fn protocol_of(stream: &mut Stream) -> Option<Protocol> {
    if matches!(stream.selected_alpn_proto(), Some(ALPN::H2)) {
        return Some(Protocol::Http2);
    }
    if stream.get_ssl_digest().is_some() {
        return Some(Protocol::Http1);
    }
    // The shortest request is shorter than the whole preface, so look at its first word only.
    let mut word = [0; 4];
    if !stream.try_peek(&mut word).await.ok()? || !H2_PREFACE.starts_with(&word) {
        return Some(Protocol::Http1);
    }
    let mut preface = [0; H2_PREFACE.len()];
    stream.try_peek(&mut preface).await.ok()?;
    Some(if preface == *H2_PREFACE { Protocol::Http2 } else { Protocol::Http1 })
}
