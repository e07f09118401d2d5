//! A tool as `tools/list` shows it, written once for all protocol revisions.
//!
//! Members are in the order in which the revisions introduced them, so that the form for an older
//! revision is a prefix of the newest one.

use crate::language::json::{Json, write_string};
use crate::spec::{Icon, ToolSpec};
use mcp_bundle::wire_enums::Method;

/// The key of the tags in `_meta`.
const TAGS_KEY: &str = "dev.mcpc/tags";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryText {
    /// Without the closing brace.
    pub text: String,
    /// Where the form of each revision ends, oldest first.
    pub ends: [u32; 5],
    /// The newest form, with its brace, where it is not an extension of the older ones.
    pub modern: Option<String>,
}

impl EntryText {
    /// The form of the newest revision.
    pub fn newest(&self) -> String {
        self.modern.clone().unwrap_or_else(|| format!("{}}}", self.text))
    }
}

/// The entry of a tool; `schema` is that of its arguments, `output` that of its results.
pub fn write(tool: &ToolSpec, schema: &Json, output: Option<&Json>) -> EntryText {
    match without_boolean_properties(schema) {
        None => entry(tool, schema, output),
        Some(legacy_schema) => {
            let mut legacy = entry(tool, &legacy_schema, output);
            legacy.modern = Some(entry(tool, schema, output).newest());
            legacy
        }
    }
}

fn entry(tool: &ToolSpec, schema: &Json, output: Option<&Json>) -> EntryText {
    let mut text = String::with_capacity(512);
    text.push_str("{\"name\":");
    write_string(tool.label(), &mut text);
    if let Some(description) = &tool.description {
        member(&mut text, "description", &Json::string(&description.value));
    }
    member(&mut text, "inputSchema", schema);
    let end_2024_11 = text.len() as u32;

    let annotations = annotations(tool);
    if !annotations.is_empty() {
        member(&mut text, "annotations", &Json::Object(annotations));
    }
    let end_2025_03 = text.len() as u32;

    if let Some(title) = &tool.title {
        member(&mut text, "title", &Json::string(&title.value));
    }
    // Until 2025-11-25 structured results are objects, and so are their schemas.
    let describes_object = |schema: &Json| schema.get("type").and_then(Json::as_str) == Some("object");
    if let Some(output) = output.filter(|schema| describes_object(schema)) {
        member(&mut text, "outputSchema", output);
    }
    if !tool.tags.is_empty() {
        let tags = tool.tags.iter().map(|tag| Json::string(&tag.value)).collect();
        member(&mut text, "_meta", &Json::Object(vec![(TAGS_KEY.into(), Json::Array(tags))]));
    }
    let end_2025_06 = text.len() as u32;

    if !tool.icons.is_empty() {
        member(&mut text, "icons", &Json::Array(tool.icons.iter().map(icon).collect()));
    }
    let end_2025_11 = text.len() as u32;

    if let Some(output) = output.filter(|schema| !describes_object(schema)) {
        member(&mut text, "outputSchema", output);
    }
    let end_2026_07 = text.len() as u32;
    EntryText { text, ends: [end_2024_11, end_2025_03, end_2025_06, end_2025_11, end_2026_07], modern: None }
}

fn member(text: &mut String, name: &str, value: &Json) {
    text.push(',');
    write_string(name, text);
    text.push(':');
    value.write(text);
}

/// What the method implies, overridden by what the spec says.
fn annotations(tool: &ToolSpec) -> Vec<(String, Json)> {
    let mut hints: Vec<(String, Json)> = match tool.method.as_ref().map(|m| m.value) {
        Some(method) if method.is_safe() => vec![("readOnlyHint".into(), Json::Bool(true))],
        Some(Method::Put) => vec![("idempotentHint".into(), Json::Bool(true))],
        Some(Method::Delete) => {
            vec![("destructiveHint".into(), Json::Bool(true)), ("idempotentHint".into(), Json::Bool(true))]
        }
        _ if tool.answers_itself() => vec![("readOnlyHint".into(), Json::Bool(true))],
        _ => Vec::new(),
    };
    if let Some(declared) = tool.idempotent.as_ref().map(|idempotent| idempotent.value) {
        hints.retain(|(name, _)| name != "idempotentHint");
        if declared {
            hints.push(("idempotentHint".into(), Json::Bool(true)));
        }
    }
    for (name, value) in &tool.annotations {
        match hints.iter_mut().find(|(n, _)| n == name) {
            Some((_, hint)) => *hint = value.clone(),
            None => hints.push((name.clone(), value.clone())),
        }
    }
    hints
}

fn icon(icon: &Icon) -> Json {
    let mut members = Vec::new();
    if let Some(src) = &icon.src {
        members.push(("src".to_owned(), Json::string(&src.value)));
    }
    if let Some(mime_type) = &icon.mime_type {
        members.push(("mimeType".into(), Json::string(&mime_type.value)));
    }
    if !icon.sizes.is_empty() {
        let sizes = icon.sizes.iter().map(|size| Json::string(&size.value)).collect();
        members.push(("sizes".into(), Json::Array(sizes)));
    }
    if let Some(theme) = &icon.theme {
        members.push(("theme".into(), Json::string(&theme.value)));
    }
    Json::Object(members)
}

/// The schema with `true` and `false` among its properties spelt as objects, which is all that
/// older revisions allow; `None` if it has no such property.
fn without_boolean_properties(schema: &Json) -> Option<Json> {
    let has_boolean = |members: &[(String, Json)]| members.iter().any(|(_, v)| v.as_bool().is_some());
    schema.get("properties").and_then(Json::as_object).filter(|members| has_boolean(members))?;
    let spelt = |value: &Json| match value {
        Json::Bool(true) => Json::Object(Vec::new()),
        Json::Bool(false) => Json::Object(vec![("not".into(), Json::Object(Vec::new()))]),
        other => other.clone(),
    };
    let members = schema.as_object()?.iter().map(|(name, value)| match (name.as_str(), value) {
        ("properties", Json::Object(properties)) => {
            let properties = properties.iter().map(|(n, v)| (n.clone(), spelt(v))).collect();
            (name.clone(), Json::Object(properties))
        }
        _ => (name.clone(), value.clone()),
    });
    Some(Json::Object(members.collect()))
}
