//! How a call fails: in words for the model, as an outcome for everyone else.

use super::{Done, redact};
use crate::catalog::Catalog;
use crate::observe::record::Outcome;
use crate::upstream::UpstreamError;
use mcp_bundle::bind::{BindError, PreparedTool};
use mcp_bundle::json::write_string;
use mcp_bundle::shape;
use mcp_bundle::template::Fault;

/// Why there is no response to make a result of.
#[derive(Debug)]
pub(super) enum CallFailure {
    Overloaded,
    InvalidArguments(BindError),
    Upstream(UpstreamError),
}

impl CallFailure {
    /// Appends the members of the result.
    pub(super) fn write(&self, catalog: &Catalog, tool: &PreparedTool<'_>, out: &mut Vec<u8>) -> Done {
        let mut upstream_status = None;
        let (outcome, reason) = match self {
            CallFailure::Overloaded => {
                write_text("The server has too many calls in flight. Try again in a moment.", out);
                (Outcome::Overloaded, "overloaded")
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
            CallFailure::Upstream(error) => {
                write_text(&format!("Upstream request failed: {error}."), out);
                (Outcome::UpstreamFailed, error.name())
            }
        };
        Done { outcome, reason: Some(reason), upstream_status, has_structured: false }
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

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
    write_string(text, out);
    out.extend_from_slice(b"}],\"isError\":true");
}

pub(super) fn outcome(failure: Option<&shape::ShapeFailure>) -> Outcome {
    match failure {
        None => Outcome::Ok,
        Some(shape::ShapeFailure::Status(_)) => Outcome::UpstreamStatus,
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
