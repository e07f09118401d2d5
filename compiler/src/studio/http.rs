//! The studio on a connection: heads and bodies in, replies and event streams out.

use super::api::{self, Call};
use super::assets::{self, Asset};
use super::error::ApiError;
use super::guard;
use super::{Studio, json};
use http::Method;
use mcp_edge::request::head::{Head, visible};
use mcp_edge::request::identity::Peer;
use mcp_edge::request::reply::{BodyKind, Reply};
use mcp_edge::serving::{Answered, Loaded, Serving};
use mcp_edge::transport::Handler;
use std::sync::Arc;

/// Nothing is loaded from elsewhere, nothing inline runs, and no text becomes HTML: what upstreams say is only ever text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

#[derive(Debug, Clone)]
pub struct Service(pub Arc<Studio>);

/// What a head asks for.
enum Asked {
    Asset(&'static Asset),
    Api(Call),
}

impl Handler for Service {
    type Request = Call;

    fn serving(&self) -> Loaded {
        self.0.host.serving()
    }

    async fn route(&self, _: &Serving, head: &Head, _: &Peer, reply: &mut Reply) -> Option<Call> {
        reply.clear();
        for (name, value) in [
            ("content-security-policy", POLICY),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
        ] {
            reply.headers.push((name, value.to_owned()));
        }
        match self.asked(head) {
            Ok(Asked::Api(call)) => Some(call),
            Ok(Asked::Asset(asset)) => {
                // Another version of the program has other files.
                reply.headers.push(("cache-control", "no-cache".to_owned()));
                reply.kind = BodyKind::File(asset.content_type);
                asset.write(&mut reply.body);
                None
            }
            Err(error) => {
                refuse(&error, reply);
                None
            }
        }
    }

    fn too_large(&self, _: &Serving, _: &Call, _: &Head, reply: &mut Reply) {
        refuse(&ApiError::too_large(), reply);
    }

    async fn answer(&self, _: &Serving, call: &Call, _: &Head, body: &[u8], reply: &mut Reply) -> Answered {
        if call.is_events() {
            let studio = &self.0;
            return match studio.subscribers.open("hello", || api::session::hello(studio)) {
                Some(stream) => Answered::Stream(Box::new(stream)),
                None => {
                    refuse(&ApiError::not_usable("too many pages are open; close some"), reply);
                    Answered::Reply
                }
            };
        }
        let (studio, call, body) = (Arc::clone(&self.0), call.clone(), body.to_vec());
        // It reads files and calls upstreams.
        let answered = tokio::task::spawn_blocking(move || api::answer(&studio, &call, &body)).await;
        let answered = answered.unwrap_or_else(|_| {
            Err(ApiError::internal("the studio failed at this; its standard error says where"))
        });
        match answered {
            Ok(api::Answer { status, body }) => write(status, &body, reply),
            Err(error) => refuse(&error, reply),
        }
        Answered::Reply
    }
}

impl Service {
    fn asked(&self, head: &Head) -> Result<Asked, ApiError> {
        guard::check_origin(head, self.0.port)?;
        let path = head.uri.path();
        if !path.starts_with("/api/") {
            let asset = assets::find(path);
            let asset = asset.ok_or_else(|| ApiError::not_found("there is no such file"))?;
            return match head.method {
                Method::GET | Method::HEAD => Ok(Asked::Asset(asset)),
                _ => Err(ApiError::method_not_allowed(&["GET", "HEAD"])),
            };
        }
        guard::check_token(head, &self.0.token)?;
        let has_body = head.length.is_some_and(|length| length > 0);
        let content_type = head.headers.first("content-type").and_then(visible);
        if has_body && !content_type.is_some_and(is_json) {
            return Err(ApiError::bad_request(
                "the body must be JSON, with `content-type: application/json`",
            ));
        }
        api::route(&self.0, &head.method, path, head.uri.query().unwrap_or_default()).map(Asked::Api)
    }
}

fn is_json(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

fn write(status: u16, body: &json::Json, reply: &mut Reply) {
    reply.status = status;
    reply.kind = BodyKind::Json;
    reply.headers.push(("cache-control", "no-store".to_owned()));
    reply.body = format!("{}\n", body.to_text()).into_bytes();
}

fn refuse(error: &ApiError, reply: &mut Reply) {
    if let Some(allow) = &error.allow {
        reply.headers.push(("allow", allow.clone()));
    }
    write(error.status, &error.body(), reply);
}
