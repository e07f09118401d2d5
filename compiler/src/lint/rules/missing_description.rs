use crate::language::json::Json;
use crate::lint::helpers::locate;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::{Diagnostic, Spanned};

rule! {
    /// ## What it does
    /// Finds tools and parameters without a description.
    ///
    /// With an `input_schema`, it looks at the descriptions of the schema's properties.
    ///
    /// ## Why is this bad
    /// A model chooses a tool and fills its arguments by their descriptions. Without one, it has to
    /// guess from names.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "since"
    /// position = "query"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "since"
    /// description = "Only orders after this day, as 2024-12-31."
    /// position = "query"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub MISSING_DESCRIPTION = "MCP0801", "missing-description", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    if is_missing(tool.description.as_ref()) {
        let message = format!("tool `{}` has no description", tool.label());
        findings.report(
            Diagnostic::new(&MISSING_DESCRIPTION, tool.label_span(), message)
                .note("a model chooses among tools by their descriptions")
                .help("describe in a sentence or two what it does and when it is useful"),
        );
    }
    if let Some(schema) = &tool.input_schema {
        for (name, property) in schema.value.get("properties").and_then(Json::as_object).unwrap_or_default() {
            if lacks_description(property) {
                let steps = ["properties".to_owned(), name.clone()];
                let span = locate::part(context.sources, context.toolset, tool, schema.span, &steps);
                findings.report(argument(span, format!("property `{name}` has no description")));
            }
        }
        return;
    }
    for parameter in tool.parameters.iter().filter(|p| !p.is_hidden()) {
        // In an incomplete one, it may be the key that could not be read.
        if is_missing(parameter.description.as_ref()) && parameter.complete {
            let name = &parameter.name;
            findings.report(argument(name.span, format!("parameter `{}` has no description", name.value)));
        }
    }
}

fn argument(span: mcp_diagnostics::Span, message: String) -> Diagnostic {
    Diagnostic::new(&MISSING_DESCRIPTION, span, message)
        .note("a model fills arguments by their descriptions")
        .help("describe its meaning and its unit or format, with an example if that is not obvious")
}

fn is_missing(description: Option<&Spanned<String>>) -> bool {
    description.is_none_or(|text| text.value.trim().is_empty())
}

/// The description may be at the target of a reference.
fn lacks_description(property: &Json) -> bool {
    let Some(members) = property.as_object() else {
        return false;
    };
    let described = property.get("description").and_then(Json::as_str).is_some_and(|d| !d.trim().is_empty());
    !described && members.iter().all(|(keyword, _)| keyword != "$ref")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    #[test]
    fn properties_of_a_schema_are_arguments_too() {
        let spec = tool_with(
            "input_schema = { type = \"object\", properties = { a = { type = \"string\" }, b = { description = \"B.\" }, c = { \"$ref\" = \"#\" } } }",
        );
        assert_eq!(underlined(&MISSING_DESCRIPTION, &spec), ["{ type = \"string\" }"]);
    }

    #[test]
    fn a_description_that_could_not_be_read_is_not_missing() {
        for key in ["descripton = \"A.\"", "description = 3"] {
            let spec = tool_with(&format!("[[tool.parameters]]\nname = \"a\"\n{key}"));
            assert_eq!(underlined(&MISSING_DESCRIPTION, &spec), [""; 0], "{key}");
        }
    }

    #[test]
    fn constants_need_none_and_blanks_are_none() {
        let spec = tool_with(
            "[[tool.parameters]]\nname = \"a\"\nvalue = \"x\"\n[[tool.parameters]]\nname = \"b\"\ndescription = \" \"",
        );
        assert_eq!(underlined(&MISSING_DESCRIPTION, &spec), ["\"b\""]);
    }
}
