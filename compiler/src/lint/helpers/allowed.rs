//! The values that an argument may have, wherever they are listed.

use super::locate;
use crate::checked::{CheckedTool, CheckedToolset};
use crate::language::json::Json;
use crate::spec::ParameterSpec;
use mcp_diagnostics::{Sources, Span};

/// A value of an `enum`.
#[derive(Debug)]
pub struct Allowed<'a> {
    pub value: &'a Json,
    tool: &'a CheckedTool,
    /// Its own span, or that of the schema that `steps` lead into.
    place: Span,
    steps: Option<[String; 4]>,
}

/// The values that the `enum` of a parameter lists, or of its property in an `input_schema`.
pub fn of<'a>(tool: &'a CheckedTool, parameter: &'a ParameterSpec) -> impl Iterator<Item = Allowed<'a>> {
    let own = parameter.enumeration.iter().flat_map(|values| &values.value);
    let own = own.map(|value| Allowed { value: &value.value, tool, place: value.span, steps: None });
    let name = &parameter.name.value;
    let of_schema = tool.input_schema.iter().filter(|_| !parameter.is_hidden()).flat_map(move |schema| {
        let property = schema.value.get("properties").and_then(|properties| properties.get(name));
        let values = property.and_then(|property| property.get("enum")).and_then(Json::as_array);
        values.unwrap_or_default().iter().enumerate().map(move |(index, value)| {
            let steps = ["properties".to_owned(), name.clone(), "enum".to_owned(), index.to_string()];
            Allowed { value, tool, place: schema.span, steps: Some(steps) }
        })
    });
    own.chain(of_schema)
}

impl Allowed<'_> {
    pub fn span(&self, sources: &Sources, toolset: &CheckedToolset) -> Span {
        match &self.steps {
            Some(steps) => locate::part(sources, toolset, self.tool, self.place, steps),
            None => self.place,
        }
    }
}
