use crate::checked::CheckedTemplate;
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::lint::helpers::locate;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::BodySpec;
use crate::template::{Read, Segment};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds an `input_schema` that accepts undeclared arguments where the body is not a JSON
    /// object.
    ///
    /// Such a schema has `additionalProperties` other than `false`, or `patternProperties`.
    ///
    /// ## Why is this bad
    /// Undeclared arguments can only become members of a JSON body. In a form, or beside an
    /// argument that is the whole body, there is no place for them.
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
    let Some(schema) = &tool.input_schema else {
        return;
    };
    let (why, body) = match (&tool.body_template, &tool.body) {
        (Some(template), _) if reads_others(template, &schema.value) => return,
        (Some(template), _) => (format!("`{}` does not read them", tool.body_template_key()), template.span),
        (None, Some(body)) => match &body.value {
            BodySpec::Json => return,
            BodySpec::Form => ("the body is a form".to_owned(), body.span),
            BodySpec::Multipart => ("the body is multipart".to_owned(), body.span),
            BodySpec::Whole(name) | BodySpec::Bytes(name) => {
                (format!("`{name}` is the whole body"), body.span)
            }
        },
        (None, None) => return,
    };
    let additional = schema.value.get("additionalProperties");
    let is_open = additional.is_some_and(|additional| *additional != Json::Bool(false));
    let has_patterns = schema.value.get("patternProperties").is_some();
    for keyword in [("additionalProperties", is_open), ("patternProperties", has_patterns)]
        .into_iter()
        .filter_map(|(keyword, open)| open.then_some(keyword))
    {
        let span = locate::part(context.sources, context.toolset, tool, schema.span, &[keyword.to_owned()]);
        let message =
            format!("`{keyword}` accepts undeclared arguments, but there is no place for them: {why}");
        let help = match keyword {
            "additionalProperties" if tool.mcp.is_some() => "write `additionalProperties = false`",
            _ if tool.mcp.is_some() => "declare them under `properties`",
            "additionalProperties" => {
                "write `additionalProperties = false`, or `body = \"json\"` for the tool"
            }
            _ => "declare them under `properties`, or write `body = \"json\"` for the tool",
        };
        findings.report(
            Diagnostic::new(&MISPLACED_ADDITIONAL_ARGUMENTS, span, message)
                .related(body, "the body")
                .note("undeclared arguments become members of a JSON body")
                .help(help),
        );
    }
}

/// Whether a template may read arguments beyond the declared ones.
fn reads_others(template: &CheckedTemplate, schema: &Json) -> bool {
    let Some(compiled) = template.compiled() else {
        return true;
    };
    let declared = schema_walk::declared_properties(schema);
    let is_other = |read: &Read| matches!(read.path.first(), Some(Segment::Key(key)) if !declared.contains_key(key.as_str()));
    compiled.reads_whole() || compiled.reads.iter().any(is_other)
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

    #[test]
    fn a_template_may_read_others() {
        let with = |body: &str| {
            let spec = format!(
                "{body}\ninput_schema = {{ type = \"object\", properties = {{ p = {{}} }}, additionalProperties = true }}"
            );
            underlined(&MISPLACED_ADDITIONAL_ARGUMENTS, &tool_with(&spec)).len()
        };
        assert_eq!(with("body_template = '{{ .p }}'"), 1);
        assert_eq!(with("body_template = '{{ . }}'"), 0);
        assert_eq!(with("body_template = '[{{ .p }}, {{ .q }}]'"), 0);
        assert_eq!(with("body = \"form\"\nbody_template = 'a={{ .q }}'"), 0);
        assert_eq!(with("headers = { x = '{{ .q }}' }"), 0);
    }
}
