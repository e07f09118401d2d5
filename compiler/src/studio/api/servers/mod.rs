//! MCP servers: the paths and shapes of workflow editors that configure them, kept in specs.
//!
//! A server is an upstream of kind `mcp`. Its keys are variables: their values are in a file of secrets, and in no answer.

mod adding;
mod call;
mod changing;
mod choosing;
mod described;
mod listing;

pub use adding::{add, delete};
pub use call::call;
pub use changing::change;
pub use choosing::choose;
pub use described::{Known, list, state};
pub use listing::{test, test_unsaved, tools};

use crate::checked::CheckedToolset;
use crate::language::json::Json;
use crate::plan::SERVER_RETRIES;
use crate::servers::PRESETS;
use crate::spec::UpstreamSpec;
use crate::studio::error::ApiError;
use crate::studio::json::{Members, array, object};
use crate::studio::workspace::Snapshot;
use mcp_diagnostics::suggest;
use std::ops::RangeInclusive;

/// The transport of a server that says nothing else.
const TRANSPORT: &str = "http";

/// Milliseconds of a call, as `timeout_seconds` takes them.
const TIMEOUT: RangeInclusive<u32> = 1..=86_400_000;

/// As `retry_count` takes them.
const RETRIES: RangeInclusive<u32> = 0..=10;

/// How often a call of a server is repeated, where a document says so.
fn retries(members: &Members<'_>) -> Result<Option<u32>, ApiError> {
    let most = members.number("maxRetries", "", RETRIES)?;
    let is_wanted = members.get("retryOnError").map(|_| members.flag("retryOnError")).transpose()?;
    Ok(match (is_wanted, most) {
        (Some(false), _) => Some(0),
        (Some(true), None) => Some(SERVER_RETRIES.into()),
        (_, most) => most,
    })
}

/// A server of the specs.
#[derive(Debug, Clone, Copy)]
pub struct Server<'s> {
    pub toolset: &'s CheckedToolset,
    pub upstream: &'s UpstreamSpec,
}

impl<'s> Server<'s> {
    pub fn all(snapshot: &'s Snapshot) -> impl Iterator<Item = Server<'s>> {
        let toolsets = snapshot.report.toolsets.iter();
        toolsets.flat_map(|toolset| {
            let servers = toolset.upstreams.iter().filter(|upstream| upstream.server.is_some());
            servers.map(move |upstream| Server { toolset, upstream })
        })
    }

    pub fn find(snapshot: &'s Snapshot, id: &str) -> Result<Server<'s>, ApiError> {
        Server::all(snapshot).find(|server| server.id() == id).ok_or_else(|| {
            let meant = suggest::did_you_mean(id, Server::all(snapshot).map(|server| server.id()));
            let meant = meant.map(|meant| format!("; {meant}")).unwrap_or_default();
            ApiError::not_found(format!("there is no MCP server `{id}`{meant}"))
        })
    }

    pub fn id(&self) -> &'s str {
        &self.upstream.name.value
    }

    /// Its tools in the spec: their names there, and at the server.
    pub fn tools(&self) -> impl Iterator<Item = (&'s crate::checked::CheckedTool, &'s str)> + use<'s> {
        let id = self.id();
        let its = self.toolset.tools.iter().filter(move |tool| {
            tool.mcp.is_some() && tool.upstream.as_ref().is_some_and(|upstream| upstream.value == id)
        });
        its.map(|tool| {
            let theirs = tool.mcp.as_ref().and_then(|mcp| mcp.name.as_ref());
            (tool, theirs.map_or_else(|| tool.label(), |name| name.value.as_str()))
        })
    }
}

pub fn presets() -> Json {
    let presets = PRESETS.iter().map(|preset| {
        object([
            ("id", preset.id.into()),
            ("name", preset.title.into()),
            ("url", preset.url.into()),
            ("description", preset.description.into()),
            ("transport", TRANSPORT.into()),
            ("tools", array(preset.tools.iter().copied())),
            ("presetType", preset_type(preset.id).into()),
        ])
    });
    object([("presets", array(presets))])
}

/// `modelscope` of `modelscope/fetch`.
fn preset_type(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}
