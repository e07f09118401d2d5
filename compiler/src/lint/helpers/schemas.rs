//! The JSON Schemas in a tool's spec, and the schemas inside them.

use super::insert;
use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::language::schema_walk::{self, Holds, holds};
use crate::spec::{ParameterSpec, Type};
use mcp_diagnostics::{Sources, Spanned};

/// A schema of a spec, or under `properties` a map of them.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// `None` for a schema of the tool itself.
    pub parameter: Option<&'a ParameterSpec>,
    pub key: &'static str,
    pub value: &'a Spanned<Json>,
}

/// The way from a written value to a part of it.
#[derive(Debug, Clone, Copy)]
pub enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

/// All schemas that a tool writes.
pub fn written(tool: &CheckedTool) -> impl Iterator<Item = Written<'_>> {
    let own = [
        ("input_schema", &tool.input_schema),
        ("output_schema", &tool.output_schema),
        ("answer_schema", &tool.answer_schema),
    ];
    let own = own
        .into_iter()
        .filter_map(|(key, value)| Some(Written { parameter: None, key, value: value.as_ref()? }));
    own.chain(tool.parameters.iter().flat_map(of_parameter))
}

fn of_parameter(parameter: &ParameterSpec) -> impl Iterator<Item = Written<'_>> {
    let is_schema = |key: &str| matches!(key, "items" | "properties" | "additionalProperties");
    let keywords = parameter.keywords.iter().filter(move |(key, _)| is_schema(key));
    keywords.map(move |(key, value)| Written { parameter: Some(parameter), key, value })
}

impl<'a> Written<'a> {
    /// Visits every schema in it, outer ones first.
    pub fn each(&self, visit: &mut dyn FnMut(&'a Json, &Path<'_>)) {
        if self.key == "properties" {
            for (name, schema) in self.value.value.as_object().unwrap_or_default() {
                each(schema, &Path::Key(&Path::Root, name), visit);
            }
        } else {
            each(&self.value.value, &Path::Root, visit);
        }
    }

    /// As messages call it: "`items` of parameter `x`".
    pub fn label(&self) -> String {
        match self.parameter {
            Some(parameter) => format!("`{}` of parameter `{}`", self.key, parameter.name.value),
            None => format!("`{}`", self.key),
        }
    }
}

/// Visits a schema and every schema in it, outer ones first. Invalid values in the place of a
/// schema are visited too.
pub fn each<'a>(schema: &'a Json, path: &Path<'_>, visit: &mut dyn FnMut(&'a Json, &Path<'_>)) {
    visit(schema, path);
    for (keyword, value) in schema.as_object().unwrap_or_default() {
        let inside = Path::Key(path, keyword);
        match (holds(keyword), value) {
            (None, _) => {}
            // Before 2020-12, `items` could be a list.
            (Some(Holds::List), Json::Array(items)) | (Some(Holds::Schema), Json::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    each(item, &Path::Index(&inside, index), visit);
                }
            }
            (Some(Holds::Map), Json::Object(members)) => {
                for (name, member) in members {
                    // `dependencies` also had lists of names.
                    if keyword != "dependencies" || member.as_array().is_none() {
                        each(member, &Path::Key(&inside, name), visit);
                    }
                }
            }
            (Some(Holds::Schema), value) => each(value, &inside, visit),
            (Some(Holds::List | Holds::Map), _) => {}
        }
    }
}

/// Whether a parameter has a `type` of its own.
pub fn has_type(parameter: &ParameterSpec) -> bool {
    // Without one, the span is that of the whole parameter.
    parameter.kind.span != parameter.span
}

/// Whether a parameter's type is unknown, so that nothing follows from it.
pub fn has_unknown_type(sources: &Sources, parameter: &ParameterSpec) -> bool {
    let is_written = |key| insert::is_written(sources, parameter.span, key);
    !has_type(parameter) && (is_written("type") || is_written("parameter_type"))
}

/// The type of a parameter, or of its property in an `input_schema`; `None` if it is open.
pub fn type_of(tool: &CheckedTool, parameter: &ParameterSpec) -> Option<Type> {
    let Some(schema) = &tool.input_schema else {
        return Some(parameter.kind.value);
    };
    if parameter.is_hidden() || has_type(parameter) {
        return Some(parameter.kind.value);
    }
    let declared = schema_walk::declared_properties(&schema.value);
    let said = declared.get(parameter.name.value.as_str())?.get("type")?;
    let mut names = said.as_array().unwrap_or(std::slice::from_ref(said)).iter().filter_map(Json::as_str);
    let name = names.by_ref().find(|name| *name != "null")?;
    let single = names.all(|other| other == "null");
    Type::ALL.into_iter().find(|kind| single && kind.as_str() == name)
}

impl Path<'_> {
    pub fn steps(&self) -> Vec<String> {
        let (outer, step) = match self {
            Path::Root => return Vec::new(),
            Path::Key(outer, key) => (outer, (*key).to_owned()),
            Path::Index(outer, index) => (outer, index.to_string()),
        };
        let mut steps = outer.steps();
        steps.push(step);
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(members: &[(&str, Json)]) -> Json {
        Json::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    }

    #[test]
    fn schemas_are_distinguished_from_data_that_look_like_them() {
        let leaf = || object(&[("pattern", Json::string("x"))]);
        let schema = object(&[
            ("properties", object(&[("properties", leaf()), ("enum", leaf())])),
            ("enum", Json::Array(vec![object(&[("items", leaf())])])),
            ("default", object(&[("not", leaf())])),
            ("anyOf", Json::Array(vec![Json::Bool(true), object(&[("items", leaf())])])),
        ]);
        let mut seen = Vec::new();
        each(&schema, &Path::Root, &mut |_, path| seen.push(path.steps().join("/")));
        assert_eq!(
            seen,
            ["", "properties/properties", "properties/enum", "anyOf/0", "anyOf/1", "anyOf/1/items"]
        );
    }
}
