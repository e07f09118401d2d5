//! What is remembered of a call, for metrics and logs, and later the audit log.

use crate::telemetry::logging::RequestId;
use mcp_bundle::bind::ToolName;
use mcp_bundle::wire_enums::ProtocolVersion;
use std::time::Duration;

/// One finished call.
#[derive(Debug)]
pub struct CallRecord<'a> {
    pub request_id: &'a RequestId,
    pub tool: ToolName<'a>,
    /// `None` for the REST forms.
    pub era: Option<ProtocolVersion>,
    pub outcome: Outcome,
    /// What failed exactly, if anything did.
    pub reason: Option<&'static str>,
    /// Why the upstream could not be asked.
    pub error: Option<&'a str>,
    pub upstream_host: Option<&'a str>,
    pub upstream_status: Option<u16>,
    pub attempts: u8,
    pub total: Duration,
    /// Waiting for the upstream; zero for calls that never got there.
    pub upstream: Duration,
    pub request_bytes: usize,
    pub response_bytes: usize,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    /// Arguments that the tool does not take.
    InvalidArguments,
    /// The upstream answered with a status that is no success.
    UpstreamStatus,
    /// The upstream did not answer, or not with HTTP.
    UpstreamFailed,
    UpstreamTimeout,
    ResponseTooLarge,
    /// The answer could not be made into a result: a template, `select`, `output_schema` or its type.
    Unusable,
    /// Too many calls in flight.
    Overloaded,
    /// The client left before the answer.
    Cancelled,
}

impl Outcome {
    pub const ALL: [Outcome; 9] = [
        Outcome::Ok,
        Outcome::InvalidArguments,
        Outcome::UpstreamStatus,
        Outcome::UpstreamFailed,
        Outcome::UpstreamTimeout,
        Outcome::ResponseTooLarge,
        Outcome::Unusable,
        Outcome::Overloaded,
        Outcome::Cancelled,
    ];

    /// The label of metrics and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::InvalidArguments => "invalid_arguments",
            Outcome::UpstreamStatus => "upstream_status",
            Outcome::UpstreamFailed => "upstream_failed",
            Outcome::UpstreamTimeout => "upstream_timeout",
            Outcome::ResponseTooLarge => "response_too_large",
            Outcome::Unusable => "unusable_answer",
            Outcome::Overloaded => "overloaded",
            Outcome::Cancelled => "cancelled",
        }
    }
}
