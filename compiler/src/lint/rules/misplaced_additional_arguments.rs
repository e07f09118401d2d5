use crate::diagnostic::Diagnostic;
use crate::json::Json;
use crate::lint::{Check, Findings, ToolContext, locate, rule};
use crate::spec::BodySpec;

rule! {
    /// ## What it does
    /// Finds an `input_schema` that lets callers give arguments beyond the declared ones, where the body is no JSON object.
    ///
    /// Such a schema has `additionalProperties` other than `false`, or `patternProperties`.
    ///
    /// ## Why is this bad
    /// Arguments that the spec does not know can only become members of a JSON body. In a form, or beside an argument that is
    /// the whole body, they have no place.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "create_order"
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// body = "form"
    /// input_schema = { type = "object", properties = { item = { type = "string" } }, additionalProperties = true }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "upload_note"
    /// method = "PUT"
    /// endpoint = "https://api.example.com/note"
    /// body = "whole:text"
    /// input_schema = { type = "object", properties = { text = { type = "string" } }, patternProperties = { "^x-" = true } }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "create_order"
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// body = "json"
    /// input_schema = { type = "object", properties = { item = { type = "string" } }, additionalProperties = true }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "create_order"
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// body = "form"
    /// input_schema = { type = "object", properties = { item = { type = "string" } }, additionalProperties = false }
    /// ```
    pub MISPLACED_ADDITIONAL_ARGUMENTS = "MCP0612", "misplaced-additional-arguments", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let (Some(schema), Some(body)) = (&tool.input_schema, &tool.body) else {
        return;
    };
    let why = match &body.value {
        BodySpec::Json => return,
        BodySpec::Form => "the body is a form".to_owned(),
        BodySpec::Whole(name) => format!("`{name}` is the whole body"),
    };
    let additional = schema.value.get("additionalProperties");
    let is_open = additional.is_some_and(|additional| *additional != Json::Bool(false));
    let has_patterns = schema.value.get("patternProperties").is_some();
    for keyword in [("additionalProperties", is_open), ("patternProperties", has_patterns)]
        .into_iter()
        .filter_map(|(keyword, open)| open.then_some(keyword))
    {
        let span = locate::part(context.sources, context.toolset, tool, schema.span, &[keyword.to_owned()]);
        let message = format!("`{keyword}` lets callers give other arguments, which have no place: {why}");
        let help = match keyword {
            "additionalProperties" => {
                "write `additionalProperties = false`, or `body = \"json\"` for the tool"
            }
            _ => "declare them under `properties`, or write `body = \"json\"` for the tool",
        };
        findings.report(
            Diagnostic::new(&MISPLACED_ADDITIONAL_ARGUMENTS, span, message)
                .related(body.span, "the body")
                .note("other arguments than the declared ones become members of a JSON body")
                .help(help),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    #[test]
    fn whatever_opens_a_schema_is_underlined() {
        let schema = |body: &str, members: &str| {
            let spec = format!(
                "body = \"{body}\"\ninput_schema = {{ type = \"object\", properties = {{ p = {{}} }}, {members} }}"
            );
            underlined(&MISPLACED_ADDITIONAL_ARGUMENTS, &tool_with(&spec))
        };
        for body in ["form", "whole:p"] {
            assert_eq!(schema(body, "additionalProperties = true"), ["true"]);
            assert_eq!(schema(body, "additionalProperties = { type = \"string\" }").len(), 1);
            assert_eq!(schema(body, "additionalProperties = {}"), ["{}"]);
            assert_eq!(schema(body, "patternProperties = { x = true }"), ["{ x = true }"]);
            assert_eq!(schema(body, "additionalProperties = true, patternProperties = {}").len(), 2);
            assert_eq!(schema(body, "additionalProperties = false"), [""; 0]);
            assert_eq!(schema(body, "required = [\"p\"]"), [""; 0]);
        }
        assert_eq!(schema("json", "additionalProperties = true"), [""; 0]);
    }
}
