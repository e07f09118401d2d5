//! What can keep an answer from becoming a good result.

use super::body;
use super::mcp::McpFault;
use super::status::Status;
use crate::template::RenderError;
use std::fmt;

/// Characters of a reason, which may quote parts of the answer.
const MAX_REASON: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShapeFailure {
    /// The upstream answered with a status other than 2xx.
    Status(u16),
    /// `response_template` or `error_template` could not be rendered.
    Template { key: &'static str, error: RenderError },
    /// The answer has nothing that the paths of `select` could lead into.
    Select(String),
    /// The answer is not what `output_schema` promises.
    OutputSchema(String),
    /// The body is not text, which the tool needs.
    NotText { content_type: Option<String>, bytes: usize },
    /// The body is not a multipart message, though it says so.
    Multipart(String),
    /// The body has more bytes than the tool takes.
    TooLarge { status: u16, limit: usize },
    /// The response of an MCP server.
    Mcp(McpFault),
}

impl ShapeFailure {
    /// A stable name, for logs and metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            ShapeFailure::Status(_) => "upstream_status",
            ShapeFailure::Template { .. } => "template_render",
            ShapeFailure::Select(_) => "select",
            ShapeFailure::OutputSchema(_) => "output_schema",
            ShapeFailure::NotText { .. } => "not_text",
            ShapeFailure::Multipart(_) => "multipart",
            ShapeFailure::TooLarge { .. } => "response_too_large",
            ShapeFailure::Mcp(fault) => fault.name(),
        }
    }

    /// The message for the model that called.
    pub(super) fn words(&self, tool: &str) -> String {
        match self {
            ShapeFailure::Status(status) => {
                let end = if Status(*status).is_redirect() { ", which is not followed." } else { "." };
                format!("The upstream answered {}{end}", Status(*status))
            }
            ShapeFailure::Template { key, error } => {
                let join = if error.at.is_some() { ',' } else { ':' };
                format!("The answer could not be rendered: {key} of `{tool}`{join} {}", bounded(error))
            }
            ShapeFailure::Select(reason) => {
                format!("The answer does not have what `select` of `{tool}` takes from it: {reason}")
            }
            ShapeFailure::OutputSchema(problems) => {
                format!("The answer is not what `output_schema` of `{tool}` promises: {problems}")
            }
            ShapeFailure::NotText { content_type, bytes } => {
                format!("The answer is not text ({}).", body::describe(content_type.as_deref(), *bytes))
            }
            ShapeFailure::Multipart(reason) => {
                format!("The answer is not a multipart message that can be read: {reason}")
            }
            ShapeFailure::TooLarge { status, limit } => format!(
                "The upstream answered {} with more than {limit} bytes, the most that `{tool}` takes. Ask for less.",
                Status(*status)
            ),
            ShapeFailure::Mcp(fault) => fault.words(),
        }
    }
}

impl fmt::Display for ShapeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeFailure::Status(status) => write!(f, "the upstream answered {}", Status(*status)),
            ShapeFailure::Template { key, error } => write!(f, "{key}: {error}"),
            ShapeFailure::Select(reason) => write!(f, "select: {reason}"),
            ShapeFailure::OutputSchema(problems) => write!(f, "output_schema: {problems}"),
            ShapeFailure::NotText { content_type, bytes } => {
                write!(f, "the answer is not text ({})", body::describe(content_type.as_deref(), *bytes))
            }
            ShapeFailure::Multipart(reason) => write!(f, "multipart: {reason}"),
            ShapeFailure::TooLarge { limit, .. } => write!(f, "the answer has more than {limit} bytes"),
            ShapeFailure::Mcp(fault) => f.write_str(&fault.words()),
        }
    }
}

impl std::error::Error for ShapeFailure {}

/// A reason cut to what a message may hold.
pub(super) fn bounded(reason: &impl fmt::Display) -> String {
    let mut text = reason.to_string();
    if let Some((end, _)) = text.char_indices().nth(MAX_REASON) {
        text.truncate(end);
        text.push('…');
    }
    text
}
