//! Which parameter a placeholder names, or was meant to name.

use crate::spec::{ParameterSpec, Placeholder, ToolSpec};
use crate::suggest;
use mcp_bundle::tag::Position;

/// The path parameter of a placeholder.
pub fn bound<'a>(tool: &'a ToolSpec, placeholder: &Placeholder) -> Option<&'a ParameterSpec> {
    path_parameters(tool).find(|parameter| parameter.name.value == placeholder.name)
}

/// The path parameter that an unbound placeholder most likely means: one that no placeholder names.
pub fn meant<'a>(tool: &'a ToolSpec, placeholder: &Placeholder) -> Option<&'a ParameterSpec> {
    let free = || path_parameters(tool).filter(|parameter| !is_placed(tool, &parameter.name.value));
    let by_wire_name = free().find(|parameter| parameter.wire_name().value == placeholder.name);
    by_wire_name.or_else(|| {
        let name =
            suggest::nearest(&placeholder.name, free().map(|parameter| parameter.name.value.as_str()))?;
        tool.parameter(name)
    })
}

/// Whether the endpoint has a placeholder of this name.
pub fn is_placed(tool: &ToolSpec, name: &str) -> bool {
    let placeholders = tool.endpoint.iter().flat_map(|endpoint| &endpoint.value.placeholders);
    placeholders.into_iter().any(|placeholder| placeholder.name == name)
}

pub fn path_parameters(tool: &ToolSpec) -> impl Iterator<Item = &ParameterSpec> {
    tool.parameters.iter().filter(|parameter| parameter.position() == Position::Path)
}
