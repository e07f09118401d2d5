//! What a message is answered with, whatever interface it came by.

use crate::call::observe::Observer;
use crate::call::record::{AnswerKind, AnswerRecord, Refusal, RequestFacts};
use crate::catalog::View;
use crate::edge::Edge;
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::request::route::RoutedRequest;
use crate::settings::Settings;
use mcp_bundle::wire_enums::ProtocolVersion;
use std::sync::Arc;

/// Made once for each request; everything in it is borrowed.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub edge: &'a Arc<Edge>,
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
        let refusal = Refusal { request: self.facts(protocol), head: self.head, failure, status };
        self.edge.observers.refused(&refusal);
    }

    /// The message was answered without a tool.
    pub fn answered(&self, protocol: Option<ProtocolVersion>, kind: AnswerKind, response_bytes: usize) {
        let record = AnswerRecord { request: self.facts(protocol), kind, response_bytes };
        match kind {
            AnswerKind::List => self.edge.observers.listed(&record),
            _ => self.edge.observers.answered(&record),
        }
    }
}
