use crate::language::json::Json;
use crate::lint::helpers::locate;
use crate::lint::helpers::values::{equal, shown};
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::{Diagnostic, Spanned, suggest};

rule! {
    /// ## What it does
    /// Finds a default that is not among the allowed values of its parameter.
    ///
    /// ## Why is this bad
    /// The default is sent when a caller omits the argument. The same value from a caller would be
    /// refused.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "sort"
    /// position = "query"
    /// enum = ["asc", "desc"]
    /// default = "ascending"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "sort"
    /// position = "query"
    /// enum = ["asc", "desc"]
    /// default = "asc"
    /// ```
    pub DEFAULT_OUTSIDE_ENUM = "MCP0402", "default-outside-enum", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if let Some(schema) = &context.tool.input_schema {
        // Then a parameter must not set it at all: `parameter-outside-schema`.
        in_schema(context, schema, findings);
        return;
    }
    for parameter in &context.tool.parameters {
        let (Some(default), Some(allowed)) = (&parameter.default, &parameter.enumeration) else {
            continue;
        };
        // A default of another type is `mistyped-default`, an empty enum `mixed-enum`.
        let other_finding = !parameter.kind.value.admits(&default.value) || allowed.value.is_empty();
        if other_finding || allowed.value.iter().any(|item| equal(&item.value, &default.value)) {
            continue;
        }
        let message = format!(
            "{} of parameter `{}` is not among its allowed values",
            shown(&default.value, parameter.sensitive).after("default"),
            parameter.name.value
        );
        let mut diagnostic = Diagnostic::new(&DEFAULT_OUTSIDE_ENUM, default.span, message)
            .related(allowed.span, "the allowed values");
        if let Some(written) = default.value.as_str().filter(|_| !parameter.sensitive) {
            let words = || allowed.value.iter().filter_map(|item| item.value.as_str());
            if let Some(same) = words().find(|word| word.eq_ignore_ascii_case(written)) {
                let text = Json::string(same).to_text();
                diagnostic = diagnostic.help(format!("write it as `{same}`")).replace(default.span, text);
            } else {
                diagnostic = diagnostic.maybe_help(suggest::did_you_mean(written, words()));
            }
        }
        findings.report(diagnostic);
    }
}

/// Binding also fills in the defaults of a schema's own properties.
fn in_schema(context: &ToolContext<'_>, schema: &Spanned<Json>, findings: &mut Findings<'_>) {
    for (name, property) in schema.value.get("properties").and_then(Json::as_object).unwrap_or_default() {
        let allowed = property.get("enum").and_then(Json::as_array);
        let (Some(default), Some(allowed)) = (property.get("default"), allowed) else {
            continue;
        };
        if allowed.iter().any(|item| equal(item, default)) {
            continue;
        }
        let sensitive = context.tool.parameter(name).is_some_and(|parameter| parameter.sensitive);
        let part = |keyword: &str| {
            let steps = ["properties", name, keyword].map(str::to_owned);
            locate::part(context.sources, context.toolset, context.tool, schema.span, &steps)
        };
        let message = format!(
            "{} of property `{name}` is not among its allowed values",
            shown(default, sensitive).after("default")
        );
        let words = allowed.iter().filter_map(Json::as_str);
        let written = default.as_str().filter(|_| !sensitive);
        findings.report(
            Diagnostic::new(&DEFAULT_OUTSIDE_ENUM, part("default"), message)
                .related(part("enum"), "the allowed values")
                .maybe_help(written.and_then(|written| suggest::did_you_mean(written, words))),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with, tool_with};

    #[test]
    fn properties_of_a_schema_are_held_to_theirs() {
        let spec = |default: &str| {
            let property = format!("{{ enum = [\"asc\", \"desc\"], default = \"{default}\" }}");
            tool_with(&format!("input_schema = {{ type = \"object\", properties = {{ a = {property} }} }}"))
        };
        assert_eq!(found(&DEFAULT_OUTSIDE_ENUM, &spec("asc")), []);
        let message = "default `\"dsc\"` of property `a` is not among its allowed values";
        assert_eq!(found(&DEFAULT_OUTSIDE_ENUM, &spec("dsc")), [(message.into(), "\"dsc\"".into())]);
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let spec = parameter_with("type = \"number\"\nenum = [1.0, 2.5]\ndefault = 1");
        assert_eq!(found(&DEFAULT_OUTSIDE_ENUM, &spec), []);
        let spec = parameter_with("type = \"number\"\nenum = [1.0, 2.5]\ndefault = 2");
        assert_eq!(found(&DEFAULT_OUTSIDE_ENUM, &spec)[0].1, "2");
    }
}
