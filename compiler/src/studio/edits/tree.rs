//! Where things are in the text of a spec.

use crate::checked::CheckedTool;
use mcp_diagnostics::toml_tree::{self, TomlTable, TomlValue, Value};
use std::ops::Range;

/// The table of a tool in the tree of its file.
pub fn find<'t, 'i>(root: &'t TomlTable<'i>, tool: &CheckedTool) -> Option<&'t TomlTable<'i>> {
    let at = tool.name.as_ref()?.span.start as usize;
    let tools = root.get("tool")?.get_ref().as_array()?.iter();
    let mut tools = tools.filter_map(|tool| tool.get_ref().as_table());
    tools.find(|table| table.get("name").is_some_and(|name| name.span().start == at))
}

/// All of a tool, from its header to the end of its last value.
pub fn extent(text: &str, tool: &CheckedTool) -> Option<Range<usize>> {
    let (root, _) = toml_tree::read(text);
    let end = find(&root, tool)?.values().map(end_of).max()?;
    Some(tool.span.start as usize..end)
}

/// The end of a value with all that is in it. The span of a table with a header is that header.
pub fn end_of(value: &TomlValue<'_>) -> usize {
    let inner = match value.get_ref() {
        Value::Array(items) => items.iter().map(end_of).max(),
        Value::Table(table) => table.values().map(end_of).max(),
        _ => None,
    };
    inner.unwrap_or_default().max(value.span().end)
}

/// The end of the line that a place is in, without its line end.
pub fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    at + line.trim_end_matches('\r').len()
}

/// What to take out for a key and its value, with their line if nothing else is on it; `None` if they share it with
/// another key.
pub fn removed_key(text: &str, key: Range<usize>, value: Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..key.start)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    if !before.get(start..)?.trim().is_empty() {
        return None;
    }
    let rest = text.get(value.end..)?;
    let line = rest.split('\n').next()?;
    let end = match line.trim() {
        "" => value.end + (line.len() + 1).min(rest.len()),
        // A comment stays where it was.
        comment if comment.starts_with('#') => {
            return Some(key.start..value.end + (line.len() - line.trim_start().len()));
        }
        _ => return None,
    };
    Some(start..end)
}
