//! What is known of a request, for whoever observes it.

use super::id::RequestId;
use super::identity::{Caller, Peer};
use mcp_bundle::format::Revision;
use mcp_bundle::wire_enums::ProtocolVersion;

/// What is known of a message whatever becomes of it.
#[derive(Debug, Clone, Copy)]
pub struct RequestFacts<'a> {
    pub request_id: &'a RequestId,
    /// Anonymous until the caller is authenticated.
    pub caller: &'a Caller,
    pub peer: &'a Peer,
    /// Of the endpoint; `None` for one with all tools.
    pub toolset: Option<&'a str>,
    /// Of the bundle that serves it; `None` for what is refused before that matters.
    pub revision: Option<&'a Revision>,
    /// `None` for the REST forms, and for what is refused before the version is known.
    pub protocol: Option<ProtocolVersion>,
}
