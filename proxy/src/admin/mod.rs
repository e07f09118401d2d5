//! The admin listener: health, status, metrics, reload. It has no authentication. So it answers
//! only local callers unless it is configured to listen elsewhere, and never a web page.

mod listener;
mod status_json;
#[cfg(test)]
mod tests;

pub use listener::bind;

use crate::activation::Activation;
use crate::request::reply::{BodyKind, Reply};
use async_trait::async_trait;
use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use pingora_core::apps::http_app::ServeHttp;
use pingora_core::protocols::http::ServerSession;
use pingora_core::services::ServiceWithDependents;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

/// Answers requests to the admin listener.
#[derive(Debug)]
pub struct Admin {
    activation: Arc<Activation>,
    /// Only those on this machine can reach the listener.
    loopback: bool,
    started: Instant,
}

/// The admin listener as a service of a Pingora server. Without a `listener` (the process takes over from another one) the
/// socket of `address` is expected from that process.
pub fn service(
    admin: Admin,
    address: SocketAddr,
    listener: Option<TcpListener>,
) -> Box<dyn ServiceWithDependents> {
    Box::new(listener::AdminService::new(admin, address, listener))
}

impl Admin {
    pub fn new(activation: Arc<Activation>, address: SocketAddr) -> Admin {
        Admin { activation, loopback: address.ip().is_loopback(), started: Instant::now() }
    }

    /// The answer to a request. `POST /reload` takes as long as the reload.
    pub async fn answer(&self, head: &Parts) -> Reply {
        if !self.is_local(head) {
            return Reply::text(
                403,
                "this listener answers only to local names; use `127.0.0.1` or `localhost`",
            );
        }
        let path = head.uri.path();
        let known: &[Method] = match path {
            "/healthz" | "/readyz" | "/status" | "/metrics" => &[Method::GET, Method::HEAD],
            "/reload" => &[Method::POST],
            _ => return Reply::text(404, "the paths are /healthz, /readyz, /status, /metrics and /reload"),
        };
        if !known.contains(&head.method) {
            let allowed: Vec<&str> = known.iter().map(Method::as_str).collect();
            let mut reply = Reply::text(405, "this path does not take this method");
            reply.headers.push(("allow", allowed.join(", ")));
            return reply;
        }
        match path {
            "/healthz" => Reply::text(200, "ok"),
            "/readyz" => match self.activation.edge().problem() {
                None => Reply::text(200, "ready"),
                Some(problem) => Reply::text(503, &problem),
            },
            "/status" => json(200, &status_json::of(&self.activation.status(), self.started.elapsed())),
            "/metrics" => Reply {
                status: 200,
                kind: BodyKind::Metrics,
                body: self.activation.edge().metrics.encode().into_bytes(),
                ..Reply::default()
            },
            _ => self.reload(head).await,
        }
    }

    async fn reload(&self, head: &Parts) -> Reply {
        // Browsers name the page that sends a request; no page has any business here.
        if head.headers.contains_key(ORIGIN) {
            return Reply::text(403, "reload is not for web pages");
        }
        let activation = Arc::clone(&self.activation);
        match tokio::task::spawn_blocking(move || activation.reload()).await {
            Ok(Ok(reloaded)) => {
                let revision = reloaded.revision.to_string();
                let needs_upgrade = reloaded.needs_upgrade;
                json(200, &serde_json::json!({ "revision": revision, "needs_upgrade": needs_upgrade }))
            }
            Ok(Err(error)) => json(422, &serde_json::json!({ "error": error.to_string() })),
            Err(_) => json(500, &serde_json::json!({ "error": "the reload was interrupted; see the log" })),
        }
    }

    /// A page that was loaded from a name which now leads here (DNS rebinding) sends that name. An address cannot be
    /// rebound.
    fn is_local(&self, head: &Parts) -> bool {
        let mut hosts = head.headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            (None, _) => head.uri.authority().map_or("", |authority| authority.as_str()),
            _ => return false,
        };
        let Ok(authority) = host.parse::<http::uri::Authority>() else { return false };
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        match name.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.loopback,
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }
}

#[async_trait]
impl ServeHttp for Admin {
    async fn response(&self, session: &mut ServerSession) -> Response<Vec<u8>> {
        let head: &Parts = session.req_header();
        let is_head = head.method == Method::HEAD;
        let reply = self.answer(head).await;
        // Nothing here takes a body; what comes is not read.
        session.set_keepalive(None);
        let mut response = Response::builder()
            .status(StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
            .header("content-length", reply.body.len())
            .header("cache-control", "no-store")
            .header("x-content-type-options", "nosniff");
        if let Some(kind) = reply.kind.content_type() {
            response = response.header("content-type", kind);
        }
        for (name, value) in &reply.headers {
            response = response.header(*name, value);
        }
        response.body(if is_head { Vec::new() } else { reply.body }).unwrap_or_default()
    }
}

fn json(status: u16, value: &serde_json::Value) -> Reply {
    let body = format!("{value}\n").into_bytes();
    Reply { status, kind: BodyKind::Json, body, ..Reply::default() }
}
