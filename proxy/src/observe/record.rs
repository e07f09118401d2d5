//! What is remembered of a message when it has ended, for every observer: logs, metrics, the audit, and later traces.
//! Everything is borrowed: an observer that needs a text makes it itself.

use super::counts::Counts;
use crate::request::facts::RequestFacts;
use crate::request::failure::Failure;
use crate::request::head::Head;
use mcp_bundle::bind::Problem;
use mcp_bundle::plan::Contents;
use mcp_bundle::template::Ambient;
use std::time::Duration;

/// A call of a tool that begins.
#[derive(Debug, Clone, Copy)]
pub struct CallStart<'a> {
    /// The tool's index in the bundle.
    pub index: usize,
    pub contents: &'a Contents,
    /// As the caller sent them, so they may hold values of `sensitive` parameters.
    pub arguments: Option<&'a str>,
}

/// A call of a tool that has ended, also one that was cancelled.
#[derive(Debug, Clone, Copy)]
pub struct CallRecord<'a> {
    pub request: RequestFacts<'a>,
    pub tool: &'a str,
    /// The tool's index in the bundle.
    pub index: usize,
    pub contents: &'a Contents,
    pub counts: &'a Counts,
    /// Where the calls of the caller's tenant are counted, and its index there.
    pub tenant_counts: Option<(&'a Counts, usize)>,
    pub outcome: Outcome,
    /// What failed exactly, if anything did.
    pub reason: Option<&'static str>,
    /// Every problem with the arguments; the first is the reason.
    pub problems: &'a [Problem],
    /// Why there is no response, or why it could not be rendered. Holds nothing of either.
    pub error: Option<&'a str>,
    pub upstream_host: Option<&'a str>,
    pub upstream_status: Option<u16>,
    pub attempts: u8,
    pub total: Duration,
    /// Waiting for the upstream; zero for calls that never got there.
    pub upstream: Duration,
    /// Binding the arguments, and making the result of the answer; measured for some of the calls.
    pub bind: Option<Duration>,
    pub render: Option<Duration>,
    pub request_bytes: usize,
    pub response_bytes: usize,
    /// As the caller sent them, so they may hold values of `sensitive` parameters. `None` unless an observer
    /// [keeps them](super::Observer::keeps_arguments).
    pub arguments: Option<&'a str>,
    /// What templates got as time and chance.
    pub ambient: Ambient,
}

/// A message that was refused before it reached a tool.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'a> {
    pub request: RequestFacts<'a>,
    pub head: &'a Head,
    pub failure: &'a Failure,
    /// Of the answer; 200 where the protocol wants that for errors.
    pub status: u16,
}

/// A message that was answered without a tool.
#[derive(Debug, Clone, Copy)]
pub struct AnswerRecord<'a> {
    pub request: RequestFacts<'a>,
    pub kind: AnswerKind,
    pub response_bytes: usize,
}

/// What a message asked for that is neither a call nor refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    /// The tools, by `tools/list` or a REST form.
    List,
    Discover,
    Initialize,
    Ping,
    /// A stream of changes or a session of HTTP+SSE was opened.
    Stream,
    /// Something that needs no answer: a notification, or an answer to a request that we never sent.
    Notification,
}

impl<'a> CallRecord<'a> {
    /// The toolset that the tool belongs to, whichever endpoint it was called by.
    pub fn toolset(&self) -> Option<&'a str> {
        let toolset = self.contents.tools.get(self.index)?.toolset;
        let toolset = self.contents.manifest.toolsets.get(toolset as usize)?;
        Some(self.contents.strings.get(toolset.name))
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    /// Arguments that the tool does not take.
    InvalidArguments,
    /// The upstream answered with a status other than 2xx.
    UpstreamStatus,
    /// The upstream did not answer, or not with HTTP.
    UpstreamFailed,
    UpstreamTimeout,
    ResponseTooLarge,
    /// The answer could not be made into a result: a template, `select`, `output_schema` or its type.
    Unusable,
    /// Too many calls in flight, or too many bytes.
    Overloaded,
    /// Too many calls in a time.
    RateLimited,
    /// The upstream fails and is left alone.
    UpstreamUnavailable,
    /// The client disconnected before the answer.
    Cancelled,
}

impl Outcome {
    pub const ALL: [Outcome; 11] = [
        Outcome::Ok,
        Outcome::InvalidArguments,
        Outcome::UpstreamStatus,
        Outcome::UpstreamFailed,
        Outcome::UpstreamTimeout,
        Outcome::ResponseTooLarge,
        Outcome::Unusable,
        Outcome::Overloaded,
        Outcome::RateLimited,
        Outcome::UpstreamUnavailable,
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
            Outcome::RateLimited => "rate_limited",
            Outcome::UpstreamUnavailable => "upstream_unavailable",
            Outcome::Cancelled => "cancelled",
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::observe::counts::CallCounts;
    use crate::request::id::RequestId;
    use crate::request::identity::{Caller, Peer};
    use std::sync::LazyLock;

    static CONTENTS: LazyLock<Contents> = LazyLock::new(Contents::default);
    static COUNTS: LazyLock<Counts> = LazyLock::new(|| CallCounts::default().of(["get_order"].into_iter()));
    static PEER: Peer = Peer { address: None, tls: None };

    /// A call of someone anonymous, by REST.
    pub(crate) fn call_record(request_id: &RequestId, outcome: Outcome) -> CallRecord<'_> {
        let caller = &Caller::Anonymous;
        let (toolset, revision, protocol) = (None, None, None);
        CallRecord {
            request: RequestFacts { request_id, caller, peer: &PEER, toolset, revision, protocol },
            tool: "get_order",
            index: 0,
            contents: &CONTENTS,
            counts: &COUNTS,
            tenant_counts: None,
            outcome,
            reason: None,
            problems: &[],
            error: None,
            upstream_host: None,
            upstream_status: Some(200),
            attempts: 1,
            total: Duration::ZERO,
            upstream: Duration::ZERO,
            bind: None,
            render: None,
            request_bytes: 0,
            response_bytes: 0,
            arguments: None,
            ambient: Ambient::default(),
        }
    }
}
