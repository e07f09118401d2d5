//! The parts of a multipart body.

use super::argument;
use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::plan::arguments::Arguments;
use crate::plan::builder::Builder;
use crate::plan::constant;
use crate::plan::request::style_of;
use crate::spec::ParameterSpec;
use mcp_bundle::plan::BodyOp;
use mcp_bundle::wire_enums::{BodyOpKind, Position, Style};

pub fn ops(
    builder: &mut Builder,
    tool: &CheckedTool,
    placed: &[&ParameterSpec],
    unplaced: &[&String],
    arguments: &Arguments,
) -> Vec<BodyOp> {
    let declared = schema_walk::declared_properties(tool.published_schema());
    let mut ops = Vec::new();
    for parameter in placed {
        let name = &parameter.name.value;
        let is_file = parameter.encoding.is_some();
        let style = style_of(parameter, Position::Body);
        let head = Head {
            name: &parameter.wire_name().value,
            file_name: match &parameter.file_name {
                Some(file_name) => Some(&file_name.value),
                None => is_file.then_some(&parameter.wire_name().value),
            },
            content_type: match (&parameter.content_type, &parameter.value) {
                (Some(content_type), _) => Some(&content_type.value),
                (None, _) if is_file => Some("application/octet-stream"),
                (None, Some(value)) => json_type(is_json_constant(&value.value, style)),
                (None, None) => json_type(is_json(declared.get(name.as_str()).copied(), style)),
            },
        };
        let name_id = builder.intern(&head.text());
        match &parameter.value {
            None => {
                let kind = if is_file { BodyOpKind::File } else { BodyOpKind::Field };
                ops.push(BodyOp { kind, name: name_id, value: argument(arguments, name) });
            }
            Some(value) => {
                let texts = constant::texts(builder, &value.value, style, Position::Header);
                ops.extend(texts.into_iter().map(|value| BodyOp {
                    kind: BodyOpKind::Field,
                    name: name_id,
                    value,
                }));
            }
        }
    }
    for name in unplaced {
        let content_type = json_type(is_json(declared.get(name.as_str()).copied(), Style::Repeat));
        let head = Head { name, file_name: None, content_type };
        let name_id = builder.intern(&head.text());
        ops.push(BodyOp { kind: BodyOpKind::Field, name: name_id, value: argument(arguments, name) });
    }
    ops
}

/// What stands above the content of a part.
struct Head<'a> {
    name: &'a str,
    file_name: Option<&'a str>,
    content_type: Option<&'a str>,
}

impl Head<'_> {
    fn text(&self) -> String {
        let mut text = format!("Content-Disposition: form-data; name=\"{}\"", quoted(self.name));
        if let Some(file_name) = self.file_name {
            text.push_str(&format!("; filename=\"{}\"", quoted(file_name)));
        }
        if let Some(content_type) = self.content_type {
            text.push_str(&format!("\r\nContent-Type: {content_type}"));
        }
        text
    }
}

/// As browsers write names: only what would end them is encoded.
fn quoted(name: &str) -> String {
    let encode = |c: char| match c {
        '"' => "%22".to_owned(),
        c if c.is_control() => c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
        c => c.to_string(),
    };
    name.chars().map(encode).collect()
}

fn json_type(is_json: bool) -> Option<&'static str> {
    is_json.then_some("application/json")
}

/// Whether the parts of an argument are JSON rather than text.
fn is_json(schema: Option<&Json>, style: Style) -> bool {
    let is = |schema: &Json, kind: &str| schema.get("type").and_then(Json::as_str) == Some(kind);
    schema.is_some_and(|schema| {
        is(schema, "object")
            || is(schema, "array")
                && (style == Style::Json
                    || schema.get("items").is_some_and(|items| is(items, "object") || is(items, "array")))
    })
}

fn is_json_constant(value: &Json, style: Style) -> bool {
    match value {
        Json::Object(_) => true,
        Json::Array(items) => style == Style::Json || items.iter().any(|item| !item.is_scalar()),
        _ => false,
    }
}
