//! How a call fails: in words for the model, as an outcome for everyone else.

use super::admission::whole_seconds;
use super::{Done, redact};
use crate::catalog::Catalog;
use crate::limits::Limit;
use crate::observe::record::Outcome;
use crate::upstream::UpstreamError;
use crate::upstream::mcp::{McpCode, McpFailure};
use mcp_bundle::bind::{BindError, PreparedTool};
use mcp_bundle::json::write_string;
use mcp_bundle::shape::{self, McpFault};
use mcp_bundle::template::Fault;
use std::time::Duration;

/// Why there is no response to make a result of.
#[derive(Debug)]
pub(super) enum CallFailure {
    /// A rate was exceeded.
    RateLimited {
        limit: Limit,
        wait: Duration,
    },
    /// There was no place.
    Overloaded(Limit),
    /// The upstream fails and is left alone.
    Unavailable {
        wait: Duration,
    },
    InvalidArguments(BindError),
    Upstream(UpstreamError),
}

impl CallFailure {
    /// Appends the members of the result.
    pub(super) fn write(&self, catalog: &Catalog, tool: &PreparedTool<'_>, out: &mut Vec<u8>) -> Done {
        let is_mcp = catalog.contents.tools.get(tool.index()).is_some_and(|tool| tool.mcp().is_some());
        let mcp = match self {
            CallFailure::Upstream(error) if is_mcp => Some(McpFailure::from(error).code),
            CallFailure::Unavailable { .. } if is_mcp => Some(McpCode::Unreachable),
            CallFailure::InvalidArguments(_) if is_mcp => Some(McpCode::InvalidParams),
            _ => None,
        };
        let mut upstream_status = None;
        let mut retry_after_seconds = None;
        let (outcome, reason) = match self {
            CallFailure::RateLimited { limit, wait } => {
                let seconds = whole_seconds(*wait);
                retry_after_seconds = Some(seconds);
                if *limit == Limit::SharedAway {
                    write_text(full(*limit), out);
                    (Outcome::Overloaded, limit.as_str())
                } else {
                    write_text(&format!("Rate limit reached. Try again in {seconds} s."), out);
                    (Outcome::RateLimited, limit.as_str())
                }
            }
            CallFailure::Overloaded(limit) => {
                retry_after_seconds = Some(if *limit == Limit::SharedAway { AWAY } else { SOON });
                write_text(full(*limit), out);
                (Outcome::Overloaded, limit.as_str())
            }
            CallFailure::Unavailable { wait } => {
                let seconds = whole_seconds(*wait);
                retry_after_seconds = Some(seconds);
                let text = format!(
                    "The upstream of this tool keeps failing and is left alone. Try again in {seconds} s."
                );
                write_text(&text, out);
                (Outcome::UpstreamUnavailable, Limit::Breaker.as_str())
            }
            CallFailure::Upstream(UpstreamError::NoRoom) => {
                retry_after_seconds = Some(SOON);
                write_text(full(Limit::AnswerBytes), out);
                (Outcome::Overloaded, Limit::AnswerBytes.as_str())
            }
            CallFailure::InvalidArguments(error) => {
                write_text(&error.to_string(), out);
                let first = error.problems.first();
                (Outcome::InvalidArguments, first.map_or("invalid_arguments", |first| first.kind.as_str()))
            }
            CallFailure::Upstream(error @ UpstreamError::TooLarge { status, limit }) => {
                shape::too_large(&catalog.contents, tool.shaping(), *status, *limit, out);
                upstream_status = Some(*status);
                (Outcome::ResponseTooLarge, error.name())
            }
            CallFailure::Upstream(error @ (UpstreamError::Timeout(_) | UpstreamError::ConnectTimeout(_))) => {
                write_text(&format!("Upstream request failed: {error}. Try again later."), out);
                (Outcome::UpstreamTimeout, error.name())
            }
            CallFailure::Upstream(error @ UpstreamError::Mcp(failure)) => {
                let McpFailure { code, reason, last_words: _ } = failure;
                write_text(&format!("The MCP server gave no result: {reason}. {}", code.advice()), out);
                let timeout = *code == McpCode::Timeout;
                (if timeout { Outcome::UpstreamTimeout } else { Outcome::UpstreamFailed }, error.name())
            }
            CallFailure::Upstream(error) => {
                write_text(&format!("Upstream request failed: {error}."), out);
                (Outcome::UpstreamFailed, error.name())
            }
        };
        let reason = Some(reason);
        let (has_structured, input_required) = (false, false);
        Done { outcome, reason, upstream_status, retry_after_seconds, has_structured, mcp, input_required }
    }

    pub(super) fn arguments(&self) -> Option<&BindError> {
        match self {
            CallFailure::InvalidArguments(error) => Some(error),
            _ => None,
        }
    }

    /// Why the upstream did not respond.
    pub(super) fn error(&self) -> Option<String> {
        match self {
            CallFailure::Upstream(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

/// When a place may be free again.
const SOON: u32 = 1;
/// When a store of shared limits may answer again.
const AWAY: u32 = 5;

/// What there was no place for, and what to do.
const fn full(limit: Limit) -> &'static str {
    match limit {
        Limit::TenantInFlight => {
            "You have too many calls in flight. Wait for some of them to end, then try again."
        }
        Limit::UpstreamInFlight => {
            "The upstream of this tool has too many calls in flight. Try again in a moment."
        }
        Limit::SharedAway => {
            "A limit of this tool is counted for several servers, and the counter does not answer. Try again in 5 s."
        }
        Limit::AnswerBytes => {
            "The server holds too many large responses. Try again in a moment, or ask for less."
        }
        _ => "The server has too many calls in flight. Try again in a moment.",
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
    write_string(text, out);
    out.extend_from_slice(b"}],\"isError\":true");
}

pub(super) fn outcome(failure: Option<&shape::ShapeFailure>) -> Outcome {
    match failure {
        None => Outcome::Ok,
        Some(shape::ShapeFailure::Status(_)) => Outcome::UpstreamStatus,
        Some(shape::ShapeFailure::Mcp(McpFault::Refused { .. } | McpFault::ToolFailed)) => {
            Outcome::UpstreamStatus
        }
        Some(shape::ShapeFailure::TooLarge { .. }) => Outcome::ResponseTooLarge,
        Some(_) => Outcome::Unusable,
    }
}

/// Where a template failed and how, without anything of the answer: this is logged.
pub(super) fn render_error(failure: &shape::ShapeFailure) -> Option<String> {
    let shape::ShapeFailure::Template { key, error } = failure else { return None };
    let place = error.at.map(|(line, column)| format!("line {line}, column {column}: ")).unwrap_or_default();
    Some(match &error.fault {
        Fault::Value(message) => format!("{key}: {place}{}", redact::message(message)),
        // Its words may quote the caller.
        Fault::Refused(_) => format!("{key}: {place}{}", error.fault.name()),
        fault => format!("{key}: {place}{fault}"),
    })
}
