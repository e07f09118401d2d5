//! A tool at a server, ready to be called: everything of its message that does not depend on the call.

use super::http::{self, TYPES};
use super::pin::PinnedTool;
use super::server::Live;
use super::supervisor::Supervised;
use super::{McpCode, McpFailure, message};
use crate::protocol::MODERN;
use mcp_bundle::json::write_string;
use std::sync::Arc;

/// A tool of a bundle that a server answers.
#[derive(Debug)]
pub(crate) struct McpTool {
    pub supervised: Arc<Supervised>,
    pub pin: Arc<PinnedTool>,
    /// Headers that name the tool, for the stateless revision.
    routing: Box<[u8]>,
    /// What comes before the arguments.
    pub before: Box<[u8]>,
    /// Whether binding leaves the type of the body to us.
    types: &'static str,
    /// Its arguments may hold secrets, which no log shows.
    pub is_sensitive: bool,
    /// Arguments that headers repeat.
    pub mirrored: Box<[super::mirror::Mirror]>,
}

/// What a call says beside its arguments.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said<'a> {
    /// The JSON of what the caller can be asked for.
    pub capabilities: Option<&'a str>,
    /// Members of the parameters that answer what the server asked for: each begins with a comma.
    pub answers: &'a str,
    pub wants_progress: bool,
}

impl McpTool {
    pub fn new(
        supervised: Arc<Supervised>,
        pin: Arc<PinnedTool>,
        has_content_type: bool,
        is_sensitive: bool,
    ) -> McpTool {
        let mut before = br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"#.to_vec();
        write_string(&pin.name, &mut before);
        before.extend_from_slice(br#","arguments":"#);
        let mut routing = Vec::new();
        http::routing("tools/call", Some(&pin.name), &mut routing);
        let types = if has_content_type { ACCEPT } else { TYPES };
        let mirrored = super::mirror::of(&pin.definition);
        McpTool {
            supervised,
            pin,
            routing: routing.into(),
            before: before.into(),
            types,
            is_sensitive,
            mirrored,
        }
    }

    /// A tool that is not what was reviewed is not called.
    pub fn check(&self) -> Result<(), McpFailure> {
        if self.pin.is_refused() {
            let reason = "the server defines the tool in another way than was reviewed, so it is not called until it is reviewed again";
            return Err(McpFailure::new(McpCode::ToolNotFound, reason));
        }
        Ok(())
    }

    /// The headers of a call over HTTP, beside those of the connection.
    pub fn head(&self, live: &Live, arguments: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(self.types.as_bytes());
        if live.opened.version == MODERN {
            out.extend_from_slice(&self.routing);
            if !self.mirrored.is_empty() {
                super::mirror::write(&self.mirrored, arguments, out);
            }
        }
    }

    /// What comes after the arguments.
    pub fn after(&self, live: &Live, id: u64, said: Said<'_>, out: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(id).as_bytes();
        if live.opened.version == MODERN {
            out.extend_from_slice(said.answers.as_bytes());
            out.extend_from_slice(b",\"_meta\":{");
            let members = message::meta_members(said.capabilities.unwrap_or("{}"));
            out.extend_from_slice(members.as_bytes());
            if said.wants_progress {
                out.extend_from_slice(b",\"progressToken\":");
                out.extend_from_slice(digits);
            }
            out.push(b'}');
        } else if said.wants_progress {
            out.extend_from_slice(b",\"_meta\":{\"progressToken\":");
            out.extend_from_slice(digits);
            out.push(b'}');
        }
        out.extend_from_slice(b"},\"id\":");
        out.extend_from_slice(digits);
        out.push(b'}');
    }
}

const ACCEPT: &str = "accept: application/json, text/event-stream\r\n";
