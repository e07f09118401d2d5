//! Calls of tools at MCP servers: what a caller says to the server beside the arguments, and what the server says of its result.

use super::{Done, PendingCall, meta};
use crate::protocol::{self, MODERN};
use crate::upstream::mcp::McpCode;
use crate::upstream::mcp::Notices;
use crate::upstream::mcp::call::call;
use crate::upstream::mcp::tool::{McpTool, Said};
use crate::upstream::{Exchange, Received, UpstreamError};
use mcp_bundle::shape::{self, ShapeFailure, Shaped};
use mcp_bundle::wire_enums::ProtocolVersion;
use std::sync::Arc;

/// What a caller says beside the arguments, as JSON texts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside<'m> {
    /// What it can be asked for.
    pub capabilities: Option<&'m str>,
    /// Its answers to what the tool asked before.
    pub input_responses: Option<&'m str>,
    pub request_state: Option<&'m str>,
    /// Takes what the server says meanwhile.
    pub notices: Option<&'m Arc<dyn Notices>>,
}

/// The same, kept until the server is asked.
#[derive(Debug, Default)]
pub(super) struct Kept {
    capabilities: Option<Box<str>>,
    answers: String,
    notices: Option<Arc<dyn Notices>>,
}

/// Texts of a caller that are longer go to no server.
const MOST_CAPABILITIES: usize = 4 << 10;

impl Kept {
    /// `None` if there is nothing to keep.
    pub fn of(beside: &Beside<'_>) -> Option<Box<Kept>> {
        let Beside { capabilities, input_responses, request_state, notices } = *beside;
        let capabilities = capabilities.filter(|text| *text != "{}" && text.len() <= MOST_CAPABILITIES);
        let mut answers = String::new();
        for (name, value) in [("inputResponses", input_responses), ("requestState", request_state)] {
            if let Some(value) = value {
                answers.push_str(&format!(",\"{name}\":{value}"));
            }
        }
        if capabilities.is_none() && answers.is_empty() && notices.is_none() {
            return None;
        }
        Some(Box::new(Kept { capabilities: capabilities.map(Box::from), answers, notices: notices.cloned() }))
    }
}

impl Kept {
    pub fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }
}

/// Asks the server.
pub(super) async fn send(
    tool: &McpTool,
    kept: Option<&Kept>,
    exchange: &Exchange<'_>,
    received: &mut Received,
) -> Result<(), UpstreamError> {
    let said = kept.map_or_else(Said::default, |kept| Said {
        capabilities: kept.capabilities.as_deref(),
        answers: &kept.answers,
        wants_progress: kept.notices.is_some(),
    });
    let notices = kept.and_then(|kept| kept.notices.as_deref());
    call(tool, said, notices, exchange, received).await
}

/// What a result for callers of a revision may hold, if that is not just what `limits` says.
pub(super) fn of_revision(version: ProtocolVersion, limits: &shape::Limits) -> Option<shape::Limits> {
    let (audio, resource_links) = (protocol::has_audio(version), protocol::has_resource_links(version));
    let input_required = version == MODERN;
    let is_other = !audio || !resource_links || input_required;
    is_other.then(|| shape::Limits { audio, resource_links, input_required, ..limits.clone() })
}

/// The code of a failure of a tool at an MCP server.
pub(super) fn code(failure: &ShapeFailure) -> Option<McpCode> {
    match failure {
        ShapeFailure::Mcp(fault) => Some(fault.code()),
        _ => None,
    }
}

impl PendingCall<'_> {
    /// Adds what the server says of its result, to the result whose members begin at `start` of `out`. Gives where they begin
    /// then.
    pub(super) fn add_said(&self, shaped: &Shaped, start: usize, out: &mut Vec<u8>) -> usize {
        const COMPLETE: &[u8] = b"\"resultType\":\"complete\"";
        const INPUT_REQUIRED: &[u8] = b"\"resultType\":\"input_required\"";
        let mut start = start;
        if shaped.input_required {
            let opened = start.checked_sub(self.context.view.modern_start().len());
            let at = opened.filter(|at| out.get(*at..).is_some_and(|text| text.starts_with(COMPLETE)));
            if let Some(at) = at {
                out.splice(at..at + COMPLETE.len(), INPUT_REQUIRED.iter().copied());
                start += INPUT_REQUIRED.len() - COMPLETE.len();
            }
        }
        match &shaped.meta {
            Some(members) => meta::insert_first(members.clone().into_bytes(), self.protocol, start, out),
            None => start,
        }
    }

    /// Counts the end of a call at its server.
    pub(super) fn count(&self, done: &Done) {
        if let Some(tool) = self.context.view.catalog().mcp_tool(&self.tool) {
            tool.supervised.server.count(done.mcp);
        }
    }
}
