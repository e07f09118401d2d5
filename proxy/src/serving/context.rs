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
