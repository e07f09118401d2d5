//! The definition of a tool at its MCP server, as the spec says it was reviewed.

use crate::language::json::Json;
use crate::spec::ToolSpec;
use mcp_bundle::definition;

/// The canonical text of the definition; `schema` is that of the tool's own arguments.
pub fn definition(tool: &ToolSpec, schema: &Json) -> Option<String> {
    let mcp = tool.mcp.as_ref()?;
    let name = mcp.name.as_ref().or(tool.name.as_ref())?;
    let mut members = vec![("name".to_owned(), Json::string(&name.value))];
    if let Some(description) = mcp.description.as_ref().or(tool.description.as_ref()) {
        members.push(("description".into(), Json::string(&description.value)));
    }
    members.push(("inputSchema".into(), input_schema(tool, schema)?.clone()));
    let output = mcp.output_schema.as_ref().or(tool.output_schema.as_ref());
    // `false` says that the server has none.
    if let Some(output) = output.filter(|output| output.value.as_object().is_some()) {
        members.push(("outputSchema".into(), output.value.clone()));
    }
    let value = serde_json::from_str(&Json::Object(members).to_text()).ok()?;
    definition::canonical(&value)
}

/// The schema of the arguments that the server takes.
pub fn input_schema<'a>(tool: &'a ToolSpec, own: &'a Json) -> Option<&'a Json> {
    Some(tool.mcp.as_ref()?.input_schema.as_ref().map_or(own, |schema| &schema.value))
}
