use crate::language::json::Json;
use crate::language::schema_walk;
use crate::lint::helpers::schemas;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::ParameterSpec;
use mcp_diagnostics::{Diagnostic, Span, Spanned, suggest};

rule! {
    /// ## What it does
    /// Finds parameters that contradict the tool's own `input_schema`.
    ///
    /// With an `input_schema`, the schema alone defines the arguments. A parameter then only says
    /// where its argument goes and how it is written there: `name`, `position`, `wire_name`, `style`,
    /// `encoding`, `file_name`, `content_type`, `sensitive`. Parameters with a constant `value` are not
    /// arguments and must not have a property.
    ///
    /// ## Why is this bad
    /// Callers see only the schema. They could never pass a parameter without a property, and a
    /// type, default or limit outside the schema has no effect. A constant with a property would be
    /// an argument that is never sent.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_user"
    /// method = "GET"
    /// endpoint = "https://api.example.com/user"
    /// input_schema = { type = "object", properties = { id = { type = "string" } } }
    /// [[tool.parameters]]
    /// name = "user_id"
    /// position = "query"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_user"
    /// method = "GET"
    /// endpoint = "https://api.example.com/user"
    /// input_schema = { type = "object", properties = { id = { type = "string" } } }
    /// [[tool.parameters]]
    /// name = "id"
    /// position = "query"
    /// required = true
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_user"
    /// method = "GET"
    /// endpoint = "https://api.example.com/user"
    /// input_schema = { type = "object", properties = { id = { type = "string" } } }
    /// [[tool.parameters]]
    /// name = "id"
    /// position = "query"
    /// value = "me"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_user"
    /// method = "GET"
    /// endpoint = "https://api.example.com/user"
    /// input_schema = { type = "object", properties = { id = { type = "string" } }, required = ["id"] }
    /// [[tool.parameters]]
    /// name = "id"
    /// position = "query"
    /// ```
    pub PARAMETER_OUTSIDE_SCHEMA = "MCP0414", "parameter-outside-schema", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(schema) = &context.tool.input_schema else {
        return;
    };
    if context.tool.parameters.is_empty() {
        return;
    }
    let declared = schema_walk::declared_properties(&schema.value);
    for parameter in &context.tool.parameters {
        let name = &parameter.name;
        if let Some(value) = &parameter.value {
            if declared.contains_key(name.value.as_str()) {
                findings.report(declared_constant(name, value.span, schema.span));
            }
            continue;
        }
        let Some(property) = declared.get(name.value.as_str()) else {
            let message = format!("`input_schema` has no property `{}`", name.value);
            let known = declared.keys().copied();
            findings.report(
                Diagnostic::new(&PARAMETER_OUTSIDE_SCHEMA, name.span, message)
                    .related(schema.span, "the schema")
                    .note("callers see only the schema, so no call could pass this parameter")
                    .help("declare it under `properties`, or give the parameter a constant `value`")
                    .maybe_help(suggest::did_you_mean(&name.value, known)),
            );
            continue;
        };
        for (key, span) in said_twice(parameter, property) {
            let message =
                format!("`{key}` of parameter `{}` has no effect beside `input_schema`", name.value);
            let help = match key {
                "required" => format!("name `{}` in `required` of `input_schema` instead", name.value),
                _ => format!("move it to property `{}` of `input_schema`", name.value),
            };
            findings.report(
                Diagnostic::new(&PARAMETER_OUTSIDE_SCHEMA, span, message)
                    .related(schema.span, "the schema")
                    .note("the schema alone defines what callers may pass")
                    .help(help),
            );
        }
    }
}

fn declared_constant(name: &Spanned<String>, value: Span, schema: Span) -> Diagnostic {
    let name_text = &name.value;
    let message = format!("parameter `{name_text}` has a constant `value`, but `input_schema` declares it");
    Diagnostic::new(&PARAMETER_OUTSIDE_SCHEMA, name.span, message)
        .related(value, "the constant")
        .related(schema, "the schema")
        .note("callers could pass the argument, and it would never be sent")
        .help(format!(
            "remove property `{name_text}` from `input_schema`, or rename the parameter and set `{name_text}` as its `wire_name`"
        ))
}

/// Keys of a parameter that belong in the schema. A type is fine where the schema has none.
fn said_twice(parameter: &ParameterSpec, property: &Json) -> Vec<(&'static str, Span)> {
    let has_type = schemas::has_type(parameter) && property.get("type").is_some();
    let own = [
        ("type", has_type.then_some(parameter.kind.span)),
        ("required", parameter.required.as_ref().map(|key| key.span)),
        ("default", parameter.default.as_ref().map(|key| key.span)),
        ("enum", parameter.enumeration.as_ref().map(|key| key.span)),
    ];
    let own = own.into_iter().filter_map(|(key, span)| Some((key, span?)));
    own.chain(parameter.keywords.iter().map(|(key, value)| (*key, value.span))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with, underlined};

    fn spec(schema: &str, keys: &str) -> String {
        tool_with(&format!(
            "input_schema = {{ type = \"object\", {schema} }}\n[[tool.parameters]]\nname = \"p\"\n{keys}"
        ))
    }

    #[test]
    fn properties_of_branches_and_references_count() {
        let member = "{ properties = { p = true } }";
        for schema in [
            format!("allOf = [{member}]"),
            format!("if = {member}"),
            format!("dependentSchemas = {{ x = {member} }}"),
            format!("\"$ref\" = \"#/$defs/d\", \"$defs\" = {{ d = {member} }}"),
        ] {
            assert_eq!(found(&PARAMETER_OUTSIDE_SCHEMA, &spec(&schema, "")), [], "{schema}");
        }
        let elsewhere = format!("properties = {{ x = {member} }}");
        assert_eq!(underlined(&PARAMETER_OUTSIDE_SCHEMA, &spec(&elsewhere, "")), ["\"p\""]);
    }

    #[test]
    fn a_constant_has_no_property_and_an_open_property_leaves_the_type() {
        assert_eq!(found(&PARAMETER_OUTSIDE_SCHEMA, &spec("properties = {}", "value = \"x\"")), []);
        assert_eq!(
            underlined(&PARAMETER_OUTSIDE_SCHEMA, &spec("properties = { p = {} }", "value = 1")),
            ["\"p\""]
        );
        let branch = "anyOf = [{ properties = { p = {} } }]";
        assert_eq!(underlined(&PARAMETER_OUTSIDE_SCHEMA, &spec(branch, "value = 1")), ["\"p\""]);
        let keys = "type = \"array\"\nposition = \"query\"\nminItems = 1";
        assert_eq!(underlined(&PARAMETER_OUTSIDE_SCHEMA, &spec("properties = { p = {} }", keys)), ["1"]);
    }
}
