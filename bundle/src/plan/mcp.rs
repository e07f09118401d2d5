//! Tools of MCP servers, and the servers: a section of its own, which only bundles have that need it.

use super::{Contents, HttpPlan, ToolPlan};
use crate::strings::StrId;
use crate::wire_enums::{OnDrift, Transport};
use serde::{Deserialize, Serialize};

/// An MCP server that tools come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    pub transport: Transport,
    /// A message to it, without the message: where it goes, with the fixed headers. Its upstream has the server's name.
    /// For [`Transport::Stdio`] only the upstream counts.
    pub request: HttpPlan,
    /// What the place calls the program, for [`Transport::Stdio`]. A bundle never says which program runs.
    pub program: Option<StrId>,
}

/// What a call of a tool at an MCP server is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpPlan {
    /// Index in [`Contents::servers`].
    pub server: u32,
    /// That of the server, but with a body: the `arguments` of the call.
    pub request: HttpPlan,
    /// The tool's name at the server.
    pub name: StrId,
    /// What was reviewed of its definition, as [`crate::definition::canonical`] writes it. The pin is its digest.
    pub definition: StrId,
    pub on_drift: OnDrift,
}

impl ToolPlan {
    /// Its call at an MCP server, if one answers it.
    pub fn mcp(&self) -> Option<&McpPlan> {
        match &self.backend {
            super::Backend::Mcp(plan) => Some(plan),
            _ => None,
        }
    }
}

impl Contents {
    /// The name of a server, which is that of its upstream.
    pub fn server_name(&self, server: usize) -> Option<&str> {
        self.upstream_name(self.servers.get(server)?.request.upstream as usize)
    }
}
