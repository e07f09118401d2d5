//! Where a change is in the files of the new side.

use super::operand::Loaded;
use crate::check::Report;
use crate::diff::Change;
use mcp_diagnostics::{Location, Span};
use std::collections::BTreeMap;

/// The places of tools.
pub struct Places<'l> {
    report: Option<&'l Report>,
    tools: BTreeMap<&'l str, Span>,
    name: &'l str,
}

/// A place in a file; of a bundle, its beginning.
pub struct Place<'l> {
    pub file: &'l str,
    pub start: Location,
    pub end: Location,
}

impl<'l> Places<'l> {
    pub fn of(new: &'l Loaded) -> Places<'l> {
        let toolsets = new.report.iter().flat_map(|report| &report.toolsets);
        let tools = toolsets.flat_map(|toolset| &toolset.tools).map(|tool| (tool.label(), tool.label_span()));
        Places { report: new.report.as_ref(), tools: tools.collect(), name: &new.name }
    }

    /// Of a change that is about no tool which is there, the place is the first file.
    pub fn of_change(&self, change: &Change) -> Place<'l> {
        let beginning = Location { line: 1, column: 1, offset: 0 };
        let Some(report) = self.report else {
            return Place { file: self.name, start: beginning, end: beginning };
        };
        let sources = &report.sources;
        let span = change.tool.as_ref().and_then(|tool| self.tools.get(tool.as_str()));
        if let Some(span) = span {
            let file = sources.file(span.file);
            let (start, end) = (file.location(span.start as usize), file.location(span.end as usize));
            return Place { file: &file.name, start, end };
        }
        let first = report.toolsets.first().map(|toolset| &sources.file(toolset.file).name);
        Place { file: first.map_or(self.name, String::as_str), start: beginning, end: beginning }
    }
}
