//! Arguments of a tool, wherever they go.

use super::names;
use crate::import::draft::DraftParameter;
use crate::import::secrets::is_secret;
use crate::language::json::Json;
use crate::language::toml;
use std::collections::{BTreeMap, BTreeSet};

/// Longer ones are easier to read as JSON.
const MAX_KEYWORD: usize = 160;

/// One argument, or a value that the caller never sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// What the caller says; given at the end, so that all are different.
    pub name: String,
    /// What the API says.
    pub wire: String,
    pub position: &'static str,
    pub style: Option<&'static str>,
    pub schema: Json,
    pub is_required: bool,
    /// A constant, or `${NAME}`; then it is no argument.
    pub value: Option<Json>,
    pub example: Option<Json>,
    /// It is bytes, in base64.
    pub is_bytes: bool,
    /// It is the whole body.
    pub is_whole_body: bool,
    /// Of a part of a multipart body.
    pub content_type: Option<String>,
}

/// The kind of a schema's values, as far as styles are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Scalar,
    Array,
    Object,
    /// More than one of them.
    Mixed,
}

impl Argument {
    pub fn new(wire: &str, position: &'static str, schema: Json) -> Argument {
        Argument {
            name: String::new(),
            wire: wire.to_owned(),
            position,
            style: None,
            schema,
            is_required: false,
            value: None,
            example: None,
            is_bytes: false,
            is_whole_body: false,
            content_type: None,
        }
    }

    /// What the API calls it, where that is not its name here.
    fn wire_name(&self) -> Option<String> {
        let is_named = self.position != "path" && !self.is_whole_body;
        (is_named && self.name != self.wire).then(|| self.wire.clone())
    }

    /// A value that the caller never sees.
    pub fn constant(wire: &str, position: &'static str, value: Json) -> Argument {
        Argument { value: Some(value), ..Argument::new(wire, position, Json::Object(Vec::new())) }
    }

    /// The parameter that says only where an argument goes; `None` for one that goes there by itself.
    pub fn placed(&self, is_json_body: bool) -> Option<DraftParameter> {
        let own_name = self.name == self.wire;
        if is_json_body && self.position == "body" && own_name && self.value.is_none() {
            return None;
        }
        Some(DraftParameter {
            name: self.name.clone(),
            position: Some(self.position),
            wire_name: self.wire_name(),
            style: self.style,
            value: self.value.clone(),
            is_base64: self.is_bytes,
            content_type: self.content_type.clone(),
            ..DraftParameter::default()
        })
    }

    /// The parameter that says everything; `None` if only a schema can.
    pub fn written_out(&self) -> Option<DraftParameter> {
        let mut parameter = DraftParameter {
            name: self.name.clone(),
            position: Some(self.position),
            wire_name: self.wire_name(),
            style: self.style,
            value: self.value.clone(),
            is_base64: self.is_bytes,
            content_type: self.content_type.clone(),
            required: self.is_required,
            ..DraftParameter::default()
        };
        if self.value.is_some() {
            parameter.required = false;
            return Some(parameter);
        }
        parameter.kind = Some(self.schema.get("type")?.as_str()?.to_owned());
        let is_scalar = !matches!(parameter.kind.as_deref(), Some("array" | "object" | "null"));
        for (keyword, value) in self.schema.as_object()? {
            let keyword = match keyword.as_str() {
                "type" => continue,
                "description" => {
                    parameter.description = Some(value.as_str()?.to_owned());
                    continue;
                }
                "enum" if is_scalar => {
                    parameter.enumeration = value.as_array()?.to_vec();
                    continue;
                }
                "required" => {
                    // A parameter must declare what it requires; a schema need not.
                    let properties = self.schema.get("properties")?;
                    let names = value.as_array()?.iter();
                    names.map(|name| properties.get(name.as_str()?)).collect::<Option<Vec<_>>>()?;
                    "required_properties"
                }
                "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "exclusiveMaximum"
                | "minLength"
                | "maxLength"
                | "minItems"
                | "maxItems"
                | "pattern"
                | "format"
                | "items"
                | "properties"
                | "additionalProperties" => keyword,
                _ => return None,
            };
            let text = toml::value(value).filter(|text| text.len() <= MAX_KEYWORD)?;
            if text.contains("$ref") {
                return None;
            }
            parameter.keywords.push((keyword.to_owned(), value.clone()));
        }
        let fits = parameter.enumeration.iter().all(|value| toml::value(value).is_some());
        fits.then_some(parameter)
    }
}

/// Gives names that clients take, all different.
pub fn name_all(arguments: &mut [Argument]) {
    let mut taken = BTreeSet::new();
    // The last number that a name took, so that thousands of the same name are not counted again.
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for argument in arguments {
        let plain = names::argument(&argument.wire);
        let mut name = plain.clone();
        if taken.contains(&name) {
            let place = if argument.is_whole_body { "body" } else { argument.position };
            name = format!("{plain}_{place}");
        }
        while taken.contains(&name) {
            let number = numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            name = format!("{plain}_{number}");
        }
        taken.insert(name.clone());
        argument.name = name;
    }
}

/// What kind of value a schema describes; `resolve` gives the schema that a reference leads to.
pub fn shape<'s>(schema: &'s Json, resolve: &dyn Fn(&str) -> Option<&'s Json>) -> Shape {
    let mut left = MAX_STEPS;
    shape_within(schema, resolve, &mut left)
}

/// References and combinations that are followed: alternatives that lead back to themselves would never end.
const MAX_STEPS: usize = 500;

fn shape_within<'s>(schema: &'s Json, resolve: &dyn Fn(&str) -> Option<&'s Json>, left: &mut usize) -> Shape {
    if *left == 0 {
        return Shape::Mixed;
    }
    *left -= 1;
    if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
        return resolve(target).map_or(Shape::Mixed, |target| shape_within(target, resolve, left));
    }
    let of_name = |name: &str| match name {
        "array" => Shape::Array,
        "object" => Shape::Object,
        _ => Shape::Scalar,
    };
    let mut all: Vec<Shape> = Vec::new();
    match schema.get("type") {
        Some(Json::String(name)) => all.push(of_name(name)),
        Some(Json::Array(names)) => {
            all.extend(names.iter().filter_map(Json::as_str).filter(|name| *name != "null").map(of_name));
        }
        _ => {
            for keyword in ["anyOf", "oneOf", "allOf"] {
                let branches = schema.get(keyword).and_then(Json::as_array).unwrap_or_default();
                let is_null = |branch: &&Json| branch.get("type").and_then(Json::as_str) == Some("null");
                all.extend(
                    branches
                        .iter()
                        .filter(|branch| !is_null(branch))
                        .map(|branch| shape_within(branch, resolve, left)),
                );
            }
            if all.is_empty() && schema.get("enum").is_some() {
                all.push(Shape::Scalar);
            }
        }
    }
    match all.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => *first,
        _ => Shape::Mixed,
    }
}

/// Says in the description what the API takes if the argument is left out. The edge must not send it: some APIs refuse
/// arguments beside others, whatever their values.
///
/// A default that is a secret is not told.
pub fn describe_default(name: &str, schema: &mut Json) {
    let Json::Object(members) = schema else { return };
    let Some(at) = members.iter().position(|(name, _)| name == "default") else { return };
    let (_, default) = members.remove(at);
    let shown = match &default {
        Json::Null => return,
        secret if is_secret(name, secret) => return,
        Json::String(text) if text.is_empty() => return,
        Json::String(text) => text.clone(),
        other => other.to_text(),
    };
    if shown.len() > 60 {
        return;
    }
    match members.iter_mut().find(|(name, _)| name == "description") {
        Some((_, Json::String(text))) => {
            if !text.to_lowercase().contains("default") {
                let stop = if text.ends_with(['.', '!', '?', '…']) { "" } else { "." };
                text.push_str(&format!("{stop} Default: {shown}"));
            }
        }
        _ => members.push(("description".to_owned(), Json::string(format!("Default: {shown}")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::read(text).unwrap()
    }

    #[test]
    fn names_are_told_apart_by_where_they_go() {
        let schema = || json(r#"{"type":"string"}"#);
        let mut all = vec![
            Argument::new("id", "path", schema()),
            Argument::new("id", "body", schema()),
            Argument::new("id", "query", schema()),
            Argument::new("[id]", "body", schema()),
        ];
        name_all(&mut all);
        let names: Vec<&str> = all.iter().map(|argument| argument.name.as_str()).collect();
        assert_eq!(names, ["id", "id_body", "id_query", "id_2"]);
        assert_eq!(all[1].placed(true).unwrap().wire_name.as_deref(), Some("id"));
        assert_eq!(all[0].placed(true).unwrap().wire_name, None);
    }

    #[test]
    fn defaults_are_described_and_not_sent() {
        let mut schema = json(r#"{"type":"integer","description":"Per page","default":30}"#);
        describe_default("page", &mut schema);
        assert_eq!(schema.to_text(), r#"{"type":"integer","description":"Per page. Default: 30"}"#);
        let mut schema = json(r#"{"type":"string","description":"By default all.","default":"all"}"#);
        describe_default("page", &mut schema);
        assert_eq!(schema.to_text(), r#"{"type":"string","description":"By default all."}"#);
    }

    #[test]
    fn the_shape_of_a_schema_is_that_of_its_branches() {
        for (schema, expected) in [
            (r#"{"type":["array","null"]}"#, Shape::Array),
            (r#"{"anyOf":[{"type":"object"},{"type":"integer"}]}"#, Shape::Mixed),
            (r#"{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}"#, Shape::Scalar),
            (r#"{}"#, Shape::Mixed),
        ] {
            let json = json(schema);
            assert_eq!(shape(&json, &|_: &str| None), expected, "{schema}");
        }
    }
}
