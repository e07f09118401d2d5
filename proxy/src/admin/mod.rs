//! The admin listener: health, status, tools, limits, last calls, metrics, reload. It has no authentication. So it answers
//! only local callers unless it is configured to listen elsewhere, and never a web page.

mod listener;
mod servers_json;
mod status_json;
#[cfg(test)]
mod tests;
mod tools_json;

pub use listener::{bind, service};

use crate::activation::Activation;
use crate::request::head::{Head, visible};
use crate::request::identity::Peer;
use crate::request::reply::{BodyKind, Reply};
use crate::serving::{Answered, Loaded, Serving};
use crate::transport::Handler;
use http::Method;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;

/// Answers requests to the admin listener.
#[derive(Debug)]
pub struct Admin {
    activation: Arc<Activation>,
    /// Only those on this machine can reach the listener.
    loopback: bool,
    started: Instant,
    /// Whoever holds it may use a thread to reload.
    reloading: Mutex<()>,
}

impl Admin {
    pub fn new(activation: Arc<Activation>, address: SocketAddr) -> Admin {
        Admin {
            activation,
            loopback: address.ip().is_loopback(),
            started: Instant::now(),
            reloading: Mutex::new(()),
        }
    }

    /// The answer to a request. `POST /reload` takes as long as the reload.
    pub async fn answer(&self, head: &Head) -> Reply {
        if !self.is_local(head) {
            return Reply::text(
                403,
                "this listener answers only to local names; use `127.0.0.1` or `localhost`",
            );
        }
        let path = head.uri.path();
        let known: &[Method] = match path {
            "/healthz" | "/readyz" | "/status" | "/tools" | "/limits" | "/calls" | "/metrics" => {
                &[Method::GET, Method::HEAD]
            }
            "/reload" => &[Method::POST],
            _ => {
                let paths = "/healthz, /readyz, /status, /tools, /limits, /calls, /metrics and /reload";
                return Reply::text(404, &format!("the paths are {paths}"));
            }
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
            "/status" => {
                let catalog = self.activation.edge().catalog();
                let servers = catalog.as_ref().map(|catalog| catalog.mcp.servers()).unwrap_or_default();
                let store = self.activation.edge().shared_limits().status();
                let status = self.activation.status();
                json(200, &status_json::of(&status, self.started.elapsed(), servers, store))
            }
            "/tools" => json(200, &tools_json::tools(self.activation.edge())),
            "/limits" => json(200, &tools_json::limits(self.activation.edge())),
            "/calls" => match self.activation.recent_calls() {
                Some(recent) => json(200, &recent.json()),
                None => json(200, &serde_json::json!({ "kept": 0, "calls": [] })),
            },
            "/metrics" => Reply {
                status: 200,
                kind: BodyKind::Metrics,
                body: self.activation.edge().metrics.encode().into_bytes(),
                ..Reply::default()
            },
            _ => self.reload(head).await,
        }
    }

    async fn reload(&self, head: &Head) -> Reply {
        // Browsers name the page that sends a request; no page has any business here.
        if head.headers.first("origin").is_some() {
            return Reply::text(403, "reload is not for web pages");
        }
        let (activation, asked) = (Arc::clone(&self.activation), self.activation.begun());
        // Those who wait need no thread for it; most of them get the outcome of another one's reload.
        let _turn = self.reloading.lock().await;
        match tokio::task::spawn_blocking(move || activation.reload_since(asked)).await {
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
    fn is_local(&self, head: &Head) -> bool {
        let host = match head.headers.one("host") {
            Ok(Some(host)) => visible(host).unwrap_or_default(),
            Ok(None) => head.uri.authority().map_or("", |authority| authority.as_str()),
            Err(_) => return false,
        };
        let Ok(authority) = host.parse::<http::uri::Authority>() else { return false };
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        match name.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.loopback,
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }
}

impl Handler for Arc<Admin> {
    /// Every request is answered by its head.
    type Request = ();

    fn serving(&self) -> Loaded {
        self.activation.edge().serving()
    }

    async fn route(&self, _: &Serving, head: &Head, _: &Peer, reply: &mut Reply) -> Option<()> {
        *reply = Admin::answer(self, head).await;
        reply.headers.push(("cache-control", "no-store".to_owned()));
        // Nothing here takes a body; what comes is not read.
        reply.close = true;
        None
    }

    fn too_large(&self, _: &Serving, (): &(), _: &Head, _: &mut Reply) {}

    async fn answer(&self, _: &Serving, (): &(), _: &Head, _: &[u8], _: &mut Reply) -> Answered {
        Answered::Reply
    }
}

fn json(status: u16, value: &serde_json::Value) -> Reply {
    let body = format!("{value}\n").into_bytes();
    Reply { status, kind: BodyKind::Json, body, ..Reply::default() }
}
