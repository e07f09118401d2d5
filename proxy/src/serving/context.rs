//! What a message is answered with, whatever interface it came by.

use super::shared::Shared;
use crate::catalog::View;
use crate::observe::Observer;
use crate::observe::record::{AnswerKind, AnswerRecord};
use crate::request::facts::RequestFacts;
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::request::route::RoutedRequest;
use crate::settings::Settings;
use crate::upstream::mcp::Notices;
use mcp_bundle::bind::PreparedTool;
use mcp_bundle::strings::StrId;
use mcp_bundle::wire_enums::ProtocolVersion;
use std::sync::Arc;

/// Made once for each request; everything in it is borrowed.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub shared: &'a Arc<Shared>,
    pub settings: &'a Settings,
    /// The tools that this caller sees at this endpoint.
    pub view: View<'a>,
    pub head: &'a Head,
    pub request: &'a RoutedRequest,
    /// Takes what the upstream of a call says while it works.
    pub notices: Option<&'a Arc<dyn Notices>>,
    /// An answer may be a stream of events.
    pub may_stream: bool,
}

impl<'a> Context<'a> {
    pub fn facts(&self, protocol: Option<ProtocolVersion>) -> RequestFacts<'a> {
        RequestFacts {
            toolset: self.view.toolset(),
            revision: Some(&self.view.catalog().revision),
            protocol,
            ..self.request.facts()
        }
    }

    /// Whether the caller holds what a tool needs. Without authentication everyone may call everything.
    #[inline]
    pub fn check_scopes(&self, tool: &PreparedTool<'_>) -> Result<(), Failure> {
        let contents = &self.view.catalog().contents;
        let policy = contents.policies.get(tool.policy() as usize);
        match policy {
            Some(policy) if !policy.scopes.is_empty() => self.check_needed(&policy.scopes),
            _ => Ok(()),
        }
    }

    fn check_needed(&self, needed: &[StrId]) -> Result<(), Failure> {
        let Some(identity) = self.request.caller.identity() else { return Ok(()) };
        let catalog = self.view.catalog();
        let needed = needed.iter().map(|scope| catalog.contents.strings.get(*scope));
        if needed.clone().all(|scope| identity.scopes.iter().any(|held| held == scope)) {
            return Ok(());
        }
        Err(catalog.directory.missing_scopes(&needed.collect::<Vec<_>>()))
    }

    /// The message was refused.
    pub fn refused(&self, protocol: Option<ProtocolVersion>, failure: &Failure, status: u16) {
        self.shared.refused(self.head, self.facts(protocol), failure, status);
    }

    /// The message was answered without a tool.
    pub fn answered(&self, protocol: Option<ProtocolVersion>, kind: AnswerKind, response_bytes: usize) {
        let record = AnswerRecord { request: self.facts(protocol), kind, response_bytes };
        match kind {
            AnswerKind::List => self.shared.observers.listed(&record),
            _ => self.shared.observers.answered(&record),
        }
    }
}
