//! Texts of a tool: its title, its description, its templates.

use super::{Edit, patched_toml, tree, with_line_ends};
use crate::checked::{CheckedTemplate, CheckedTool};
use crate::language::toml::{self, Style, style_after};
use crate::lint::helpers::insert;
use crate::spec::TemplateSource;
use crate::studio::changes::Change;
use crate::studio::error::ApiError;
use crate::studio::workspace::{Found, Snapshot};
use mcp_diagnostics::toml_tree::{self, TomlTable};
use mcp_diagnostics::{Sources, Span};
use std::ops::Range;

pub const KEYS: [&str; 6] =
    ["title", "description", "body_template", "arguments_template", "response_template", "error_template"];

/// Where a text is written.
enum Written<'t> {
    /// As a string of the spec.
    Literal(Span),
    /// As the whole of a file of its own.
    File {
        name: &'t str,
        text: &'t str,
    },
    Nowhere,
}

/// Changes a text of a tool; `None` removes it.
pub fn text(snapshot: &Snapshot, name: &str, key: &str, new: Option<&str>) -> Result<Edit, ApiError> {
    let Found { report, toolset, tool } = snapshot.tool(name)?;
    if !KEYS.contains(&key) {
        let keys = KEYS.map(|key| format!("`{key}`")).join(", ");
        return Err(ApiError::bad_request(format!("`key` is one of {keys}")));
    }
    let spec = report.sources.file(toolset.file);
    let (path, before) = (spec.name.as_str(), spec.text.as_str());
    let edit = |title: String, change: Change| Edit { title, changes: vec![change] };
    let changed = |after| edit(format!("change {key} of {name}"), Change::new(path, before, after));
    match (written(&report.sources, tool, key), new) {
        (Written::Nowhere, None) => Err(ApiError::not_possible(format!("`{name}` has no `{key}`"))),
        (Written::Literal(span), Some(new)) => {
            let old = before.get(span.range()).unwrap_or_default();
            let literal = toml::string(new, style_after(old, is_inline(before, tool)), newline(before));
            Ok(changed(patched_toml(path, before, vec![(span.range(), literal)])?))
        }
        (Written::File { name: file, text }, Some(new)) => {
            let change = Change::new(file, text, with_line_ends(text, new));
            Ok(edit(format!("change {key} of {name}"), change))
        }
        (Written::Nowhere, Some(new)) => {
            let style = if is_inline(before, tool) { Style::Line } else { Style::Lines };
            let literal = toml::string(new, style, newline(before));
            let after = with_value(before, tool, key, &literal)?;
            Ok(edit(format!("add {key} to {name}"), Change::new(path, before, after)))
        }
        // The file of a template stays: others may read it.
        (Written::Literal(_) | Written::File { .. }, None) => {
            let after = without_key(path, before, tool, key)?;
            Ok(edit(format!("remove {key} of {name}"), Change::new(path, before, after)))
        }
    }
}

fn written<'t>(sources: &'t Sources, tool: &'t CheckedTool, key: &str) -> Written<'t> {
    let template = |template: Option<&'t CheckedTemplate>| match template.map(|template| &template.source) {
        Some(TemplateSource::Inline(text)) => Written::Literal(text.span),
        Some(TemplateSource::File { file, text }) => Written::File { name: &sources.file(*file).name, text },
        None => Written::Nowhere,
    };
    let text = |text: Option<Span>| text.map_or(Written::Nowhere, Written::Literal);
    match key {
        "title" => text(tool.title.as_ref().map(|title| title.span)),
        "description" => text(tool.description.as_ref().map(|description| description.span)),
        "response_template" => template(tool.response_template.as_ref()),
        "error_template" => template(tool.error_template.as_ref()),
        _ if key == tool.body_template_key() => template(tool.body_template.as_ref()),
        _ => Written::Nowhere,
    }
}

/// The text of a spec with another value of a key of a tool, which it may lack; the value is TOML.
pub fn with_value(text: &str, tool: &CheckedTool, key: &str, value: &str) -> Result<String, ApiError> {
    let (root, _) = toml_tree::read(text);
    let table = tree::find(&root, tool).ok_or_else(no_tool)?;
    with_key(text, table, tool.span.range(), "name", key, value)
}

/// The same for an MCP server that has a URL.
pub fn with_server_value(text: &str, id: &str, key: &str, value: &str) -> Result<String, ApiError> {
    let (root, _) = toml_tree::read(text);
    let upstreams = root.get("upstream").and_then(|upstreams| upstreams.get_ref().as_table());
    let server = upstreams.and_then(|upstreams| upstreams.get(id));
    let server = server.and_then(|server| Some((server.get_ref().as_table()?, server.span())));
    let (table, header) = server.ok_or_else(|| {
        ApiError::not_possible(format!("`{id}` is not under `[upstream.{id}]`; change it by hand"))
    })?;
    with_key(text, table, header, "url", key, value)
}

/// Puts a value in place of that of a key of a table, or after another key if there is none.
fn with_key(
    text: &str,
    table: &TomlTable<'_>,
    header: Range<usize>,
    after: &str,
    key: &str,
    value: &str,
) -> Result<String, ApiError> {
    if let Some(old) = table.get(key) {
        let written = text.get(old.span()).unwrap_or_default();
        // A table under a header is in several places.
        let is_one = !written.starts_with('[') && tree::end_of(old) == old.span().end;
        return match is_one {
            true => patched_toml("the spec", text, vec![(old.span(), value.to_owned())]),
            false => Err(apart(key)),
        };
    }
    let after = table.get(after).ok_or_else(|| apart(after))?;
    let mut sources = Sources::default();
    let file = sources.add("", text);
    let (header, after) = (Span::new(file, header), Span::new(file, after.span()));
    let (place, added) = insert::after(&sources, header, after, key, value)
        .ok_or_else(|| ApiError::not_possible(format!("there is no place for `{key}`; add it by hand")))?;
    patched_toml("the spec", text, vec![(place.range(), added)])
}

fn without_key(path: &str, text: &str, tool: &CheckedTool, key: &str) -> Result<String, ApiError> {
    let (root, _) = toml_tree::read(text);
    let table = tree::find(&root, tool).ok_or_else(no_tool)?;
    let (name, value) = table.iter().find(|(name, _)| name.get_ref() == key).ok_or_else(|| apart(key))?;
    let written = text.get(value.span()).unwrap_or_default();
    if !written.starts_with(['"', '\'', '{']) {
        return Err(apart(key));
    }
    let range = tree::removed_key(text, name.span(), value.span()).ok_or_else(|| apart(key))?;
    patched_toml(path, text, vec![(range, String::new())])
}

fn no_tool() -> ApiError {
    ApiError::not_possible("the tool is not where it was; is the file being edited?")
}

fn apart(key: &str) -> ApiError {
    ApiError::not_possible(format!(
        "`{key}` is not written as one value on a line of its own; change it by hand"
    ))
}

/// Whether the tool is an inline table.
fn is_inline(text: &str, tool: &CheckedTool) -> bool {
    text.get(tool.span.range()).is_some_and(|header| header.starts_with('{'))
}

/// How a file ends its lines.
pub fn newline(text: &str) -> &'static str {
    if text.split('\n').next().is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
}
