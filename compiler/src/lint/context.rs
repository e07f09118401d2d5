//! What a rule can look at.

use crate::checked::{CheckedTool, CheckedToolset};
use crate::lint::Config;
use crate::lint::helpers::reach::Reach;
use crate::spec::UpstreamSpec;
use mcp_diagnostics::Sources;

/// One tool and its surroundings.
#[derive(Debug, Clone, Copy)]
pub struct ToolContext<'a> {
    pub sources: &'a Sources,
    pub config: &'a Config,
    pub toolset: &'a CheckedToolset,
    pub tool: &'a CheckedTool,
    /// The tool's upstream, if the file declares it.
    pub upstream: Option<&'a UpstreamSpec>,
    /// Estimated tokens of the tool's entry in `tools/list`.
    pub tokens: usize,
}

/// One file.
#[derive(Debug, Clone, Copy)]
pub struct ToolsetContext<'a> {
    pub sources: &'a Sources,
    pub config: &'a Config,
    pub toolset: &'a CheckedToolset,
    /// Where variables of all files go first.
    pub reach: &'a Reach,
}

/// All files of a run.
#[derive(Debug, Clone, Copy)]
pub struct SetContext<'a> {
    pub sources: &'a Sources,
    pub config: &'a Config,
    pub toolsets: &'a [CheckedToolset],
    /// Estimated tokens of the whole `tools/list`.
    pub tokens: usize,
}

impl SetContext<'_> {
    pub fn tools(&self) -> impl Iterator<Item = (&CheckedToolset, &CheckedTool)> {
        self.toolsets.iter().flat_map(|toolset| toolset.tools.iter().map(move |tool| (toolset, tool)))
    }
}
