//! The JSON Schema of a tool's arguments, as `tools/list` publishes it.

use crate::language::json::Json;
use crate::spec::{ParameterSpec, ToolSpec};

/// A schema made of the parameters.
pub fn generate(tool: &ToolSpec) -> Json {
    let visible = || tool.parameters.iter().filter(|p| !p.is_hidden());
    let properties: Vec<_> = visible().map(|p| (p.name.value.clone(), of_parameter(p))).collect();
    let required: Vec<Json> =
        visible().filter(|p| p.is_required()).map(|p| Json::string(&p.name.value)).collect();
    let mut schema = vec![("type".to_owned(), Json::string("object"))];
    if !properties.is_empty() {
        schema.push(("properties".into(), Json::Object(properties)));
    }
    if !required.is_empty() {
        schema.push(("required".into(), Json::Array(required)));
    }
    schema.push(("additionalProperties".into(), Json::Bool(false)));
    Json::Object(schema)
}

/// The schema of one argument.
pub fn of_parameter(parameter: &ParameterSpec) -> Json {
    let mut schema = vec![("type".to_owned(), Json::string(parameter.kind.value.as_str()))];
    if let Some(description) = &parameter.description {
        schema.push(("description".into(), Json::string(&description.value)));
    }
    if let Some(allowed) = &parameter.enumeration {
        let values = allowed.value.iter().map(|v| v.value.clone()).collect();
        schema.push(("enum".into(), Json::Array(values)));
    }
    if let Some(default) = &parameter.default {
        schema.push(("default".into(), default.value.clone()));
    }
    for (name, value) in &parameter.keywords {
        // A parameter's own `required` is a boolean.
        let keyword = if *name == "required_properties" { "required" } else { *name };
        schema.push((keyword.into(), value.value.clone()));
    }
    if let Some(header) = &parameter.mcp_header {
        schema.push(("x-mcp-header".into(), Json::string(&header.value)));
    }
    Json::Object(schema)
}
