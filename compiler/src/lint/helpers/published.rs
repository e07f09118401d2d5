//! The texts of a spec that models and people read.

use super::locate;
use super::schemas::{self, Path};
use crate::checked::{CheckedTool, CheckedToolset};
use crate::language::json::Json;
use crate::lint::context::ToolsetContext;
use crate::spec::ParameterSpec;
use mcp_diagnostics::{Span, Spanned};
use std::ops::Range;

/// A text and its owner.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    pub text: &'a str,
    /// "description", "title" and so on.
    pub key: &'static str,
    /// "tool", "parameter" or "toolset".
    kind: &'static str,
    name: &'a str,
    tool: Option<&'a CheckedTool>,
    /// The string's own span, or that of the value that `path` leads into.
    whole: Span,
    path: Path<'a>,
}

/// Visits every text of a file and its tools.
pub fn each(toolset: &CheckedToolset, visit: &mut dyn FnMut(Text<'_>)) {
    let name = toolset.name.value.as_str();
    for (key, text) in [("title", &toolset.title), ("instructions", &toolset.instructions)] {
        if let Some(Spanned { value, span }) = text {
            visit(Text {
                text: value,
                key,
                kind: "toolset",
                name,
                tool: None,
                whole: *span,
                path: Path::Root,
            });
        }
    }
    for tool in &toolset.tools {
        of_tool(tool, visit);
        for parameter in tool.parameters.iter().filter(|p| !p.is_hidden()) {
            of_parameter(tool, parameter, visit);
        }
        for written in schemas::written(tool).filter(|w| !w.parameter.is_some_and(ParameterSpec::is_hidden)) {
            let of = match written.parameter {
                Some(parameter) => Text::of_parameter(tool, parameter),
                None => Text::of_tool(tool),
            };
            strings(&written.value.value, Text { key: written.key, whole: written.value.span, ..of }, visit);
        }
    }
}

fn of_tool(tool: &CheckedTool, visit: &mut dyn FnMut(Text<'_>)) {
    let of = Text::of_tool(tool);
    let texts = [("title", tool.title.as_ref()), ("description", tool.description.as_ref())];
    let tags = tool.tags.iter().map(|tag| ("tags", Some(tag)));
    for (key, text) in texts.into_iter().chain(tags) {
        if let Some(Spanned { value, span }) = text {
            visit(Text { text: value, key, whole: *span, ..of });
        }
    }
    // People read it when they review what the server says.
    if let Some(mcp) = &tool.mcp {
        if let Some(Spanned { value, span }) = &mcp.description {
            visit(Text { text: value, key: "pinned.description", whole: *span, ..of });
        }
        let input = mcp.input_schema.as_ref().map(|schema| ("pinned.input_schema", schema));
        let output = mcp.output_schema.as_ref().map(|schema| ("pinned.output_schema", schema));
        for (key, schema) in input.into_iter().chain(output) {
            strings(&schema.value, Text { key, whole: schema.span, ..of }, visit);
        }
    }
    for (_, value) in tool.annotations.iter().filter(|(key, _)| key == "title") {
        visit(Text { text: value.as_str().unwrap_or_default(), key: "title", ..of });
    }
}

fn of_parameter(tool: &CheckedTool, parameter: &ParameterSpec, visit: &mut dyn FnMut(Text<'_>)) {
    let of = Text::of_parameter(tool, parameter);
    let texts = [("name", Some(&parameter.name)), ("description", parameter.description.as_ref())];
    for (key, text) in texts {
        if let Some(Spanned { value, span }) = text {
            visit(Text { text: value, key, whole: *span, ..of });
        }
    }
    let allowed = parameter.enumeration.iter().flat_map(|allowed| &allowed.value);
    for (key, value) in allowed.map(|v| ("enum", v)).chain(parameter.default.iter().map(|v| ("default", v))) {
        strings(&value.value, Text { key, whole: value.span, ..of }, visit);
    }
}

/// Every string in a value, names of members included.
fn strings(value: &Json, place: Text<'_>, visit: &mut dyn FnMut(Text<'_>)) {
    match value {
        Json::String(text) => visit(Text { text, ..place }),
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                strings(item, Text { path: Path::Index(&place.path, index), ..place }, visit);
            }
        }
        Json::Object(members) => {
            for (name, member) in members {
                let place = Text { path: Path::Key(&place.path, name), ..place };
                visit(Text { text: name, ..place });
                strings(member, place, visit);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

impl<'a> Text<'a> {
    fn of_tool(tool: &'a CheckedTool) -> Text<'a> {
        let (name, whole) = (tool.label(), tool.label_span());
        Text { text: "", key: "", kind: "tool", name, tool: Some(tool), whole, path: Path::Root }
    }

    fn of_parameter(tool: &'a CheckedTool, parameter: &'a ParameterSpec) -> Text<'a> {
        let name = &parameter.name.value;
        Text { kind: "parameter", name, whole: parameter.name.span, ..Text::of_tool(tool) }
    }

    /// As messages call it: "the description of tool `x`".
    pub fn label(&self) -> String {
        let key = match self.key {
            key @ ("description" | "title" | "instructions" | "name") => format!("the {key}"),
            key => format!("`{key}`"),
        };
        format!("{key} of {} `{}`", self.kind, self.name)
    }

    /// The verb that goes with the label.
    pub fn verb(&self, singular: &'static str, plural: &'static str) -> &'static str {
        if self.key == "instructions" { plural } else { singular }
    }

    /// Where a byte range of the text was written.
    pub fn span(&self, context: &ToolsetContext<'_>, range: Range<usize>) -> Span {
        let steps = self.path.steps();
        let literal = match self.tool {
            Some(tool) if !steps.is_empty() => {
                locate::part(context.sources, context.toolset, tool, self.whole, &steps)
            }
            _ => self.whole,
        };
        context.sources.inside(literal, range)
    }
}
