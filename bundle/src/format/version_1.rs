//! Sections as their first version wrote them, read into those of today.
//!
//! Only what has changed since is kept here; a change to another structure of a plan copies the old one.
//! Format version 1 had these sections, and the first releases of version 2 had all but the tools. This
//! file, its tests and `tests/fixtures/format-1.*` may be deleted when format version 3 is written: a
//! reader takes its own version and the one before.

use crate::plan::{
    Backend, BodyPlan, Check, HttpPlan, Parameter, Part, Placed, Policy, ResponsePlan, ToolPlan, Upstream,
};
use crate::strings::StrId;
use crate::wire_enums::{BodyKind, Method, Scheme};
use serde::Deserialize;

/// Every tool had the fields of a request, also one with a fixed answer.
#[derive(Deserialize)]
pub(super) struct OldToolPlan {
    name: StrId,
    toolset: u32,
    upstream: Option<u32>,
    method: Method,
    path: Vec<Part>,
    query: Vec<Placed>,
    headers: Vec<Placed>,
    cookies: Vec<Placed>,
    body: BodyPlan,
    parameters: Vec<Parameter>,
    additional: Option<u32>,
    checks: Vec<Check>,
    schema: Option<u32>,
    policy: u32,
    response: OldResponsePlan,
}

#[derive(Deserialize)]
struct OldResponsePlan {
    template: Option<u32>,
    error_template: Option<u32>,
    select: Vec<StrId>,
    output_schema: Option<u32>,
    respond: Option<StrId>,
}

impl OldToolPlan {
    fn sends_nothing(&self) -> bool {
        let BodyPlan { kind, content_type, ops, whole } = &self.body;
        let no_body = *kind == BodyKind::None && content_type.is_none() && ops.is_empty() && whole.is_none();
        let nothing_placed = self.query.is_empty() && self.headers.is_empty() && self.cookies.is_empty();
        self.path.is_empty() && nothing_placed && no_body
    }
}

impl TryFrom<OldToolPlan> for ToolPlan {
    type Error = &'static str;

    fn try_from(old: OldToolPlan) -> Result<ToolPlan, &'static str> {
        let backend = match (old.upstream, old.response.respond) {
            (None, None) => return Err("a tool has neither an upstream nor a fixed answer"),
            (Some(_), Some(_)) => return Err("a tool has both an upstream and a fixed answer"),
            (None, Some(_)) if !old.sends_nothing() => {
                return Err("a tool has a fixed answer, but also a request");
            }
            (None, Some(answer)) => Backend::Fixed(answer),
            (Some(upstream), None) => Backend::Http(HttpPlan {
                upstream,
                method: old.method,
                path: old.path,
                query: old.query,
                headers: old.headers,
                cookies: old.cookies,
                body: old.body,
            }),
        };
        let OldResponsePlan { template, error_template, select, output_schema, .. } = old.response;
        Ok(ToolPlan {
            name: old.name,
            toolset: old.toolset,
            backend,
            parameters: old.parameters,
            additional: old.additional,
            checks: old.checks,
            schema: old.schema,
            policy: old.policy,
            response: ResponsePlan { template, error_template, select, output_schema },
        })
    }
}

/// Every origin was fixed.
#[derive(Deserialize)]
pub(super) struct OldUpstream {
    name: StrId,
    scheme: Scheme,
    host: StrId,
    port: u16,
    authority: StrId,
    connect_timeout_ms: u32,
}

impl From<OldUpstream> for Upstream {
    fn from(old: OldUpstream) -> Upstream {
        let OldUpstream { name, scheme, host, port, authority, connect_timeout_ms } = old;
        Upstream { name, scheme, host, port, authority, connect_timeout_ms, url: None, is_database: false }
    }
}

/// Attempts had no limit of their own, and lists were not cut.
#[derive(Deserialize)]
pub(super) struct OldPolicy {
    timeout_ms: u32,
    retry_count: u8,
    idempotent: bool,
    cache_seconds: u32,
    max_response_bytes: Option<u32>,
    max_text_bytes: Option<u32>,
    scopes: Vec<StrId>,
}

impl From<OldPolicy> for Policy {
    fn from(old: OldPolicy) -> Policy {
        Policy {
            timeout_ms: old.timeout_ms,
            attempt_timeout_ms: None,
            retry_count: old.retry_count,
            idempotent: old.idempotent,
            cache_seconds: old.cache_seconds,
            max_response_bytes: old.max_response_bytes,
            max_text_bytes: old.max_text_bytes,
            max_results: None,
            scopes: old.scopes,
        }
    }
}
