//! How a tool's request body is written.

mod multipart;

use super::arguments::Arguments;
use super::builder::Builder;
use super::request::style_of;
use super::{constant, encode};
use crate::checked::{CheckedTemplate, CheckedTool};
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::spec::{BodySpec, ParameterSpec};
use mcp_bundle::plan::{BodyOp, BodyPlan, MULTIPART_TYPE, Part};
use mcp_bundle::template::Destination;
use mcp_bundle::wire_enums::{BodyKind, BodyOpKind, Position};

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

/// A member of a body: a value, or an object made of dotted wire names.
enum Node {
    Value(Vec<Part>),
    Object(Vec<(String, Node)>),
}

pub fn plan(builder: &mut Builder, tool: &CheckedTool, arguments: &Arguments) -> BodyPlan {
    let said = tool.body.as_ref().map(|body| &body.value);
    if let Some(template) = &tool.body_template {
        return templated(builder, template);
    }
    match said {
        Some(BodySpec::Whole(name)) => return whole(builder, tool, arguments, name),
        Some(BodySpec::Bytes(name)) => return bytes(builder, arguments, name),
        _ => {}
    }
    let placed: Vec<&ParameterSpec> =
        tool.parameters.iter().filter(|p| tool.position(p) == Some(Position::Body)).collect();
    // Properties of an `input_schema` that no parameter places are body members too.
    let is_unplaced = |name: &&String| tool.parameter(name).is_none() && !tool.is_templated(name);
    let unplaced: Vec<&String> = arguments.names.iter().filter(is_unplaced).collect();
    let empty = placed.is_empty() && unplaced.is_empty() && arguments.additional.is_none();
    // The arguments that an MCP server gets are an object, even if there are none.
    if empty && said.is_none() && tool.mcp.is_none() {
        return none();
    }
    if said == Some(&BodySpec::Multipart) {
        let ops = multipart::ops(builder, tool, &placed, &unplaced, arguments);
        let content_type = Some(builder.intern(MULTIPART_TYPE));
        return BodyPlan { kind: BodyKind::Multipart, content_type, ops, whole: None };
    }
    if said == Some(&BodySpec::Form) {
        let ops = form(builder, &placed, &unplaced, arguments);
        let content_type = Some(builder.intern(FORM));
        return BodyPlan { kind: BodyKind::Form, content_type, ops, whole: None };
    }
    let mut members = Vec::new();
    for parameter in placed {
        let value = match &parameter.value {
            Some(value) => constant::json(builder, &value.value),
            None => argument(arguments, &parameter.name.value),
        };
        let path: Vec<&str> = parameter.wire_name().value.split('.').collect();
        insert(&mut members, &path, value);
    }
    for name in unplaced {
        members.push((name.clone(), Node::Value(argument(arguments, name))));
    }
    let mut ops = Vec::new();
    write(builder, &members, &mut ops);
    let content_type = Some(builder.intern(JSON));
    BodyPlan { kind: BodyKind::Json, content_type, ops, whole: None }
}

/// The arguments as an object, even if there are none.
pub fn of_arguments(builder: &mut Builder, tool: &CheckedTool, arguments: &Arguments) -> BodyPlan {
    match plan(builder, tool, arguments) {
        BodyPlan { kind: BodyKind::None, .. } => {
            let content_type = Some(builder.intern(JSON));
            BodyPlan { kind: BodyKind::Json, content_type, ops: Vec::new(), whole: None }
        }
        body => body,
    }
}

pub fn none() -> BodyPlan {
    BodyPlan { kind: BodyKind::None, content_type: None, ops: Vec::new(), whole: None }
}

/// One field without a name, which the template writes.
fn templated(builder: &mut Builder, template: &CheckedTemplate) -> BodyPlan {
    let content_type = match template.place {
        Destination::Form => FORM,
        _ => JSON,
    };
    let value = template.compiled().map(|compiled| builder.template_part(compiled)).into_iter().collect();
    let name = builder.intern("");
    BodyPlan {
        kind: BodyKind::Template,
        content_type: Some(builder.intern(content_type)),
        ops: vec![BodyOp { kind: BodyOpKind::Field, name, value }],
        whole: None,
    }
}

fn whole(builder: &mut Builder, tool: &CheckedTool, arguments: &Arguments, name: &str) -> BodyPlan {
    let schema = tool.published_schema();
    let declared = schema_walk::declared_properties(schema);
    let kind = declared.get(name).and_then(|schema| schema.get("type")).and_then(Json::as_str);
    let is_text = kind == Some("string");
    let content_type = if is_text { "text/plain; charset=utf-8" } else { JSON };
    BodyPlan {
        kind: BodyKind::Whole,
        content_type: Some(builder.intern(content_type)),
        ops: Vec::new(),
        whole: arguments.index(name),
    }
}

fn bytes(builder: &mut Builder, arguments: &Arguments, name: &str) -> BodyPlan {
    BodyPlan {
        kind: BodyKind::Bytes,
        content_type: Some(builder.intern("application/octet-stream")),
        ops: Vec::new(),
        whole: arguments.index(name),
    }
}

fn form(
    builder: &mut Builder,
    placed: &[&ParameterSpec],
    unplaced: &[&String],
    arguments: &Arguments,
) -> Vec<BodyOp> {
    let mut ops = Vec::new();
    let mut field = |builder: &mut Builder, name: &str, value: Vec<Part>| {
        let name = builder.intern(&encode::percent_encoded(name));
        ops.push(BodyOp { kind: BodyOpKind::Field, name, value });
    };
    for parameter in placed {
        let name = &parameter.wire_name().value;
        match &parameter.value {
            None => field(builder, name, argument(arguments, &parameter.name.value)),
            Some(value) => {
                let style = style_of(parameter, Position::Body);
                for text in constant::texts(builder, &value.value, style, Position::Body) {
                    field(builder, name, text);
                }
            }
        }
    }
    for name in unplaced {
        field(builder, name, argument(arguments, name));
    }
    ops
}

fn argument(arguments: &Arguments, name: &str) -> Vec<Part> {
    arguments.index(name).map(Part::parameter).into_iter().collect()
}

/// Puts a value at a dotted path; wire names do not conflict in a checked spec.
fn insert(members: &mut Vec<(String, Node)>, path: &[&str], value: Vec<Part>) {
    let (name, rest) = match path {
        [] => return,
        [name] => {
            members.push(((*name).to_owned(), Node::Value(value)));
            return;
        }
        [name, rest @ ..] => (*name, rest),
    };
    let index = members.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
        members.push((name.to_owned(), Node::Object(Vec::new())));
        members.len() - 1
    });
    if let Some((_, Node::Object(inner))) = members.get_mut(index) {
        insert(inner, rest, value);
    }
}

fn write(builder: &mut Builder, members: &[(String, Node)], ops: &mut Vec<BodyOp>) {
    for (name, node) in members {
        let name = builder.intern(&encode::json_name(name));
        match node {
            Node::Value(value) => {
                ops.push(BodyOp { kind: BodyOpKind::Field, name, value: value.clone() });
            }
            Node::Object(inner) => {
                ops.push(BodyOp { kind: BodyOpKind::Open, name, value: Vec::new() });
                write(builder, inner, ops);
                let name = builder.intern("");
                ops.push(BodyOp { kind: BodyOpKind::Close, name, value: Vec::new() });
            }
        }
    }
}
