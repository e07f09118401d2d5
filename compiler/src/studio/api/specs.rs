//! Files of the specs, and what is wrong with them.

use super::session::summary;
use crate::check::Report;
use crate::publish::tokens;
use crate::render::finding_document;
use crate::studio::error::ApiError;
use crate::studio::files;
use crate::studio::json::{Json, array, document, extended, object, place};
use crate::studio::workspace::{Snapshot, Workspace};
use mcp_diagnostics::{Diagnostic, FileId, Severity, SourceFile};
use std::collections::BTreeMap;

pub fn specs(workspace: &Workspace) -> Json {
    let snapshot = workspace.snapshot();
    let report = &snapshot.report;
    let toolsets = report.toolsets.iter().map(|toolset| {
        let cost = |tool: &crate::checked::CheckedTool| tokens::estimate(&tool.list_entry().newest());
        object([
            ("name", toolset.name.value.as_str().into()),
            ("title", toolset.title.as_ref().map(|title| &title.value).into()),
            ("file", report.sources.file(toolset.file).name.as_str().into()),
            ("tools", array(toolset.tools.iter().map(|tool| tool.label()))),
            ("tokens", toolset.tools.iter().map(cost).sum::<usize>().into()),
        ])
    });
    object([
        ("generation", snapshot.generation.into()),
        (
            "files",
            Json::Array(
                read_files(&snapshot).into_iter().map(|file| about(workspace, &snapshot, file)).collect(),
            ),
        ),
        ("toolsets", array(toolsets)),
        ("summary", summary(&snapshot)),
    ])
}

/// Each file once: a template that several specs name was read several times.
fn read_files(snapshot: &Snapshot) -> Vec<&SourceFile> {
    let mut files = BTreeMap::new();
    for (_, file) in snapshot.report.sources.files() {
        files.entry(file.name.as_str()).or_insert(file);
    }
    files.into_values().collect()
}

fn about(workspace: &Workspace, snapshot: &Snapshot, file: &SourceFile) -> Json {
    let (report, path) = (&snapshot.report, file.name.as_str());
    let kind = match snapshot.input.config.as_deref() {
        Some(config) if config == path => "config",
        _ if snapshot.input.specs.iter().any(|spec| spec == path) => "spec",
        _ => "other",
    };
    let is_here = |id: FileId| report.sources.file(id).name == path;
    let count = |severity: Severity| {
        let found =
            report.diagnostics.iter().filter(|found| is_here(found.span.file) && found.severity == severity);
        found.count()
    };
    let tools =
        report.toolsets.iter().filter(|toolset| is_here(toolset.file)).map(|toolset| toolset.tools.len());
    object([
        ("path", path.into()),
        ("kind", kind.into()),
        ("hash", files::hash(&file.text).into()),
        ("bytes", file.text.len().into()),
        ("tools", tools.sum::<usize>().into()),
        ("errors", count(Severity::Error).into()),
        ("warnings", count(Severity::Warning).into()),
        ("writable", workspace.is_writable(path).into()),
    ])
}

/// The text of a file. Only files that were read for the specs have a name here, so no path leads anywhere else.
pub fn source(workspace: &Workspace, path: &str) -> Result<Json, ApiError> {
    let snapshot = workspace.snapshot();
    let text = snapshot.source(path);
    let text = text.ok_or_else(|| ApiError::not_found(format!("`{path}` is not a file of the specs")))?;
    let report = &snapshot.report;
    let is_here = |id: FileId| report.sources.file(id).name == path;
    let found = report.diagnostics.iter().enumerate().filter(|(_, found)| is_here(found.span.file));
    let toolsets = report.toolsets.iter().filter(|toolset| is_here(toolset.file));
    let tools = toolsets.flat_map(|toolset| &toolset.tools).map(|tool| {
        let line = report.sources.file(tool.span.file).location(tool.span.start as usize).line;
        object([("name", tool.label().into()), ("line", line.into())])
    });
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Ok(object([
        ("path", path.into()),
        ("hash", files::hash(text).into()),
        ("writable", workspace.is_writable(path).into()),
        ("text", text.into()),
        ("lineEnd", line_end.into()),
        (
            "findings",
            Json::Array(
                found.map(|(index, found)| finding(&snapshot, index, found)).collect::<Result<_, _>>()?,
            ),
        ),
        ("tools", array(tools)),
    ]))
}

pub fn findings(workspace: &Workspace) -> Result<Json, ApiError> {
    let snapshot = workspace.snapshot();
    let found = snapshot.report.diagnostics.iter().enumerate();
    let all = found.map(|(index, found)| finding(&snapshot, index, found)).collect::<Result<_, _>>()?;
    Ok(object([("generation", snapshot.generation.into()), ("findings", Json::Array(all))]))
}

/// Those that are about a tool.
pub fn of_tool(snapshot: &Snapshot, name: &str) -> Result<Vec<Json>, ApiError> {
    let found = snapshot.report.diagnostics.iter().enumerate();
    let its = found.filter(|(_, found)| snapshot.tool_of(found).is_some_and(|tool| tool.label() == name));
    its.map(|(index, found)| finding(snapshot, index, found)).collect()
}

fn finding(snapshot: &Snapshot, index: usize, found: &Diagnostic) -> Result<Json, ApiError> {
    let report: &Report = &snapshot.report;
    let sources = &report.sources;
    let related = found.related.iter().map(|(span, label)| {
        let file = sources.file(span.file);
        object([
            ("file", file.name.as_str().into()),
            ("start", place(file.location(span.start as usize))),
            ("end", place(file.location(span.end as usize))),
            ("label", label.into()),
        ])
    });
    Ok(extended(
        document(&finding_document(report, found))?,
        [
            ("id", format!("{}-{index}", snapshot.generation).into()),
            ("label", found.label.as_deref().into()),
            ("related", array(related)),
            ("tool", snapshot.tool_of(found).map(|tool| tool.label()).into()),
            ("hideSource", found.hide_source.into()),
        ],
    ))
}
