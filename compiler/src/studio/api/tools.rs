//! The tools of the specs.

use super::specs;
use crate::checked::{CheckedTemplate, CheckedTool, CheckedToolset};
use crate::exercise::testing::{body_of, content_type};
use crate::language::json::Json;
use crate::publish::tokens;
use crate::spec::{ExampleResponse, ExampleSpec, TemplateSource};
use crate::studio::edits;
use crate::studio::error::ApiError;
use crate::studio::json::{array, extended, object};
use crate::studio::workspace::{Found, Snapshot, Workspace};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_bundle::wire_enums::{self, PartKind};
use mcp_diagnostics::{EnvFile, Severity};
use std::collections::{BTreeMap, BTreeSet};

pub fn list(workspace: &Workspace) -> Json {
    let snapshot = workspace.snapshot();
    let counts = counts(&snapshot);
    let all = snapshot.report.toolsets.iter().flat_map(|set| set.tools.iter().map(move |tool| (set, tool)));
    let mut total = 0;
    let tools: Vec<Json> = all
        .map(|(toolset, tool)| {
            total += cost(tool);
            brief(&snapshot, toolset, tool, counts.get(tool.label()).copied().unwrap_or_default())
        })
        .collect();
    object([
        ("generation", snapshot.generation.into()),
        ("tokens", total.into()),
        ("tools", Json::Array(tools)),
    ])
}

/// Errors and warnings by tool.
fn counts(snapshot: &Snapshot) -> BTreeMap<&str, (usize, usize)> {
    let mut counts = BTreeMap::<&str, (usize, usize)>::new();
    for finding in &snapshot.report.diagnostics {
        let Some(tool) = snapshot.tool_of(finding) else { continue };
        let count = counts.entry(tool.label()).or_default();
        match finding.severity {
            Severity::Error => count.0 += 1,
            Severity::Warning => count.1 += 1,
        }
    }
    counts
}

fn cost(tool: &CheckedTool) -> usize {
    tokens::estimate(&tool.list_entry().newest())
}

fn brief(
    snapshot: &Snapshot,
    toolset: &CheckedToolset,
    tool: &CheckedTool,
    (errors, warnings): (usize, usize),
) -> Json {
    let sources = &snapshot.report.sources;
    let file = sources.file(toolset.file);
    let is_server = tool.mcp.is_some();
    let backend = match (is_server, &tool.respond) {
        (true, _) => "mcp",
        (false, Some(_)) => "fixed",
        (false, None) => "http",
    };
    let server = tool.upstream.as_ref().filter(|_| is_server);
    object([
        ("name", tool.label().into()),
        ("title", tool.title.as_ref().map(|title| &title.value).into()),
        ("description", tool.description.as_ref().map(|text| &text.value).into()),
        ("toolset", toolset.name.value.as_str().into()),
        ("file", file.name.as_str().into()),
        ("line", file.location(tool.span.start as usize).line.into()),
        ("backend", backend.into()),
        ("method", tool.method.as_ref().map(|method| method.value.as_str()).into()),
        ("endpoint", tool.endpoint.as_ref().map(|endpoint| &endpoint.value.text).into()),
        ("server", server.map(|server| &server.value).into()),
        ("tokens", cost(tool).into()),
        ("examples", tool.examples.len().into()),
        ("errors", errors.into()),
        ("warnings", warnings.into()),
        ("usable", snapshot.contents().is_some_and(|contents| contents.tool(tool.label()).is_some()).into()),
    ])
}

pub fn tool(workspace: &Workspace, name: &str) -> Result<Json, ApiError> {
    let snapshot = workspace.snapshot();
    let Found { report, toolset, tool } = snapshot.tool(name)?;
    let count = counts(&snapshot).get(name).copied().unwrap_or_default();
    let entry = Json::parse(&tool.list_entry().newest()).unwrap_or(Json::Null);
    let parameters = tool.parameters.iter().filter(|parameter| !parameter.is_hidden()).map(|parameter| {
        object([
            ("name", parameter.name.value.as_str().into()),
            ("position", tool.position(parameter).map_or("template", |position| position.as_str()).into()),
            ("required", parameter.is_required().into()),
            ("sensitive", parameter.sensitive.into()),
        ])
    });
    let file = report.sources.file(toolset.file);
    let end = edits::extent(&file.text, tool).map_or(tool.span.end as usize, |extent| extent.end);
    let examples = tool.examples.iter().enumerate().map(|(index, spec)| {
        let line = file.location(spec.span.start as usize).line;
        example(index + 1, line, spec)
    });
    let variables = match snapshot.callable(name) {
        Ok((_, contents, plan)) => needed(contents, plan, &workspace.variables()?),
        Err(_) => Json::Array(Vec::new()),
    };
    Ok(extended(
        brief(&snapshot, toolset, tool, count),
        [
            ("end", object([("line", file.location(end).line.into())])),
            ("inputSchema", tool.published_schema().clone()),
            ("outputSchema", tool.output_schema.as_ref().map(|schema| schema.value.clone()).into()),
            ("annotations", entry.get("annotations").cloned().into()),
            ("entry", entry),
            ("parameters", array(parameters)),
            ("texts", Json::Array(texts(&snapshot, toolset, tool))),
            ("examples", array(examples)),
            ("variables", variables),
            ("findings", Json::Array(specs::of_tool(&snapshot, name)?)),
        ],
    ))
}

/// The texts that an edit can change.
fn texts(snapshot: &Snapshot, toolset: &CheckedToolset, tool: &CheckedTool) -> Vec<Json> {
    let sources = &snapshot.report.sources;
    let file = sources.file(toolset.file).name.as_str();
    let text = |key: &str, text: Option<&str>| {
        object([("key", key.into()), ("text", text.into()), ("file", file.into())])
    };
    let template = |key: &str, template: Option<&CheckedTemplate>| {
        let Some(template) = template else { return extended(text(key, None), [("dialect", Json::Null)]) };
        let file = match &template.source {
            TemplateSource::File { file, .. } => sources.file(*file).name.as_str(),
            TemplateSource::Inline(_) => file,
        };
        let dialect =
            template.compiled().map(|compiled| wire_enums::Dialect::from(compiled.dialect).as_str());
        object([
            ("key", key.into()),
            ("text", template.text().into()),
            ("file", file.into()),
            ("dialect", dialect.into()),
        ])
    };
    vec![
        text("title", tool.title.as_ref().map(|title| title.value.as_str())),
        text("description", tool.description.as_ref().map(|description| description.value.as_str())),
        template(tool.body_template_key(), tool.body_template.as_ref()),
        template("response_template", tool.response_template.as_ref()),
        template("error_template", tool.error_template.as_ref()),
    ]
}

fn example(number: usize, line: usize, spec: &ExampleSpec) -> Json {
    object([
        ("number", number.into()),
        ("title", spec.title.as_ref().map(|title| &title.value).into()),
        ("line", line.into()),
        ("arguments", spec.arguments.as_ref().map(|arguments| arguments.value.clone()).into()),
        ("response", spec.response.as_ref().map(response).into()),
    ])
}

/// The response of an example, with a JSON body as JSON.
fn response(response: &ExampleResponse) -> Json {
    let body = body_of(response);
    let content_type = content_type(response, &body);
    let about = object([
        ("status", response.status.as_ref().map_or(200, |status| status.value).into()),
        ("contentType", content_type.into()),
    ]);
    match std::str::from_utf8(&body) {
        Ok(text) => extended(about, [("body", Json::parse(text).unwrap_or_else(|| text.into()))]),
        Err(_) => extended(about, [("base64", STANDARD.encode(&body).into())]),
    }
}

/// The variables that a call needs, and whether they have values.
pub fn needed(contents: &Contents, plan: &ToolPlan, values: &EnvFile) -> Json {
    let uses = plan.variables(contents).filter(|found| found.part.kind == PartKind::Variable);
    let names: BTreeSet<&str> =
        uses.filter_map(|found| contents.variable_names().nth(found.part.id as usize)).collect();
    array(
        names
            .into_iter()
            .map(|name| object([("name", name.into()), ("set", values.get(name).is_some().into())])),
    )
}
