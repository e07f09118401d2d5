//! Fixed values: header texts and the `value` of parameters, with their variables.

use super::builder::Builder;
use super::encode;
use crate::language::json::Json;
use crate::language::variables::{TextPart, Variable, split_variables};

use mcp_bundle::plan::Part;
use mcp_bundle::wire_enums::{Position, Style};
use std::collections::BTreeSet;

/// How literals are encoded for their place.
pub type Encode = fn(&str) -> String;

/// A text with variables.
pub fn text(builder: &mut Builder, text: &str, encode: Encode) -> Vec<Part> {
    let (parts, _) = split_variables(text);
    let part = |part| match part {
        TextPart::Literal(literal) => builder.literal(&encode(&literal)),
        TextPart::Variable(variable) => builder.variable(&variable),
    };
    parts.into_iter().map(part).collect()
}

/// The texts of a constant outside a JSON body: one, or several to be sent under the same name, or none of an
/// empty list.
pub fn texts(builder: &mut Builder, value: &Json, style: Style, position: Position) -> Vec<Vec<Part>> {
    let encode = encode::encoding(position);
    let separator = encode::separator(style, position);
    match value {
        Json::Array(items) if items.is_empty() && style != Style::Json => Vec::new(),
        Json::Array(items) if style == Style::Repeat => {
            items.iter().map(|item| scalar(builder, item, encode)).collect()
        }
        Json::Array(items) if !separator.is_empty() => {
            let mut parts = Vec::new();
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    parts.push(builder.literal(separator));
                }
                parts.extend(scalar(builder, item, encode));
            }
            vec![parts]
        }
        other => vec![scalar(builder, other, encode)],
    }
}

/// The parts that form a JSON value together.
pub fn json(builder: &mut Builder, value: &Json) -> Vec<Part> {
    let mut writer = JsonParts { builder, parts: Vec::new(), literal: String::new() };
    writer.value(value);
    writer.flush();
    writer.parts
}

pub fn variables_of(value: &Json, names: &mut BTreeSet<String>) {
    match value {
        Json::String(text) => variables_of_text(text, names),
        Json::Array(items) => items.iter().for_each(|item| variables_of(item, names)),
        Json::Object(members) => members.iter().for_each(|(_, value)| variables_of(value, names)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

pub fn variables_of_text(text: &str, names: &mut BTreeSet<String>) {
    for part in split_variables(text).0 {
        if let TextPart::Variable(Variable::Named(name)) = part {
            names.insert(name);
        }
    }
}

fn scalar(builder: &mut Builder, value: &Json, encode: Encode) -> Vec<Part> {
    match value {
        Json::String(string) => text(builder, string, encode),
        other => vec![builder.literal(&encode(&other.to_text()))],
    }
}

struct JsonParts<'b> {
    builder: &'b mut Builder,
    parts: Vec<Part>,
    literal: String,
}

impl JsonParts<'_> {
    fn value(&mut self, value: &Json) {
        match value {
            Json::String(text) => {
                self.literal.push('"');
                for part in split_variables(text).0 {
                    match part {
                        TextPart::Literal(literal) => self.literal.push_str(&encode::json_escaped(&literal)),
                        TextPart::Variable(variable) => {
                            self.flush();
                            let part = self.builder.variable(&variable);
                            self.parts.push(part);
                        }
                    }
                }
                self.literal.push('"');
            }
            Json::Array(items) => {
                self.literal.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.literal.push(',');
                    }
                    self.value(item);
                }
                self.literal.push(']');
            }
            Json::Object(members) => {
                self.literal.push('{');
                for (i, (name, value)) in members.iter().enumerate() {
                    if i > 0 {
                        self.literal.push(',');
                    }
                    self.literal.push_str(&encode::json_name(name));
                    self.value(value);
                }
                self.literal.push('}');
            }
            scalar => scalar.write(&mut self.literal),
        }
    }

    fn flush(&mut self) {
        if !self.literal.is_empty() {
            let literal = std::mem::take(&mut self.literal);
            self.parts.push(self.builder.literal(&literal));
        }
    }
}
