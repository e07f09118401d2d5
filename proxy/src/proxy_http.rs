//! MCP on the listener of a Pingora proxy that is there already.
//!
//! The owner of a `ProxyHttp` service calls [`serve`] in `request_filter`:
//!
//! ```
//! # use async_trait::async_trait;
//! # use mcp_edge::Edge;
//! # use pingora_core::{Result, upstreams::peer::HttpPeer};
//! # use pingora_proxy::{ProxyHttp, Session};
//! # use std::sync::Arc;
//! struct Site {
//!     edge: Arc<Edge>,
//! }
//!
//! #[async_trait]
//! impl ProxyHttp for Site {
//! #     type CTX = ();
//! #     fn new_ctx(&self) {}
//! #     async fn upstream_peer(&self, _: &mut Session, (): &mut ()) -> Result<Box<HttpPeer>> {
//! #         Ok(Box::new(HttpPeer::new("127.0.0.1:3000", false, String::new())))
//! #     }
//!     async fn request_filter(&self, session: &mut Session, _: &mut ()) -> Result<bool> {
//!         mcp_edge::proxy_http::serve(&self.edge, session).await
//!     }
//! }
//! ```
//!
//! The edge comes from an [`Activation`](crate::activation::Activation), whose watcher follows the bundle and ends event
//! streams when the server stops: add it to the server as well. `proxy/examples/plugin.rs` is a whole program.
//!
//! Requests pass through Pingora's sessions here, not through our own HTTP/1. Limits, time limits, metrics and logs are
//! those of the edge, except for what belongs to the listener: `limits.connections`, `timeouts.idle_seconds` and
//! `timeouts.grace_seconds` are its owner's matter.

use crate::Edge;
use crate::transport::session;
use pingora_core::Result;
use pingora_core::protocols::http::ServerSession;
use std::sync::Arc;

/// Answers the request if its path is one of the edge's. `false` leaves a request untouched: nothing of its body was read.
/// An error is a client that left or does not read, as Pingora has them.
pub async fn serve(edge: &Arc<Edge>, session: &mut ServerSession) -> Result<bool> {
    if !edge.serves(session.req_header().uri.path()) {
        return Ok(false);
    }
    session::serve(edge, session, &mut edge.stopping()).await.map(|()| true)
}
