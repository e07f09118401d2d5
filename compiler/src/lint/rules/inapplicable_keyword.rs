use crate::language::json::Json;
use crate::lint::helpers::schemas::{has_type, has_unknown_type};
use crate::lint::helpers::values::with_article;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::Type;
use mcp_diagnostics::{Diagnostic, suggest};

rule! {
    /// ## What it does
    /// Finds JSON Schema keywords that have no effect on values of the parameter's type.
    ///
    /// ## Why is this bad
    /// JSON Schema applies `minLength` only to strings, `minimum` only to numbers, and so on.
    /// Elsewhere they are silently ignored, so the intended limit does not hold.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// description = "How many orders to return."
    /// position = "query"
    /// maxLength = 3
    /// [[tool.examples]]
    /// arguments = { limit = 5 }
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
    /// name = "limit"
    /// type = "integer"
    /// description = "How many orders to return."
    /// position = "query"
    /// maximum = 999
    /// [[tool.examples]]
    /// arguments = { limit = 5 }
    /// ```
    pub INAPPLICABLE_KEYWORD = "MCP0411", "inapplicable-keyword", Warning, Check::Tool(check);
}

/// OpenAPI formats for the width of a number.
const NUMBER_FORMATS: &[&str] = &["int32", "int64", "float", "double"];

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if context.tool.input_schema.is_some() {
        // Then a parameter must not set it at all: `parameter-outside-schema`.
        return;
    }
    for parameter in &context.tool.parameters {
        let kind = parameter.kind.value;
        for (keyword, value) in &parameter.keywords {
            let types = applies_to(keyword, &value.value);
            if types.contains(&kind) || has_unknown_type(context.sources, parameter) {
                continue;
            }
            let message = format!(
                "`{keyword}` has no effect on {}, which parameter `{}` is",
                with_article(kind.as_str()),
                parameter.name.value
            );
            let names = suggest::one_of(types.iter().map(|kind| kind.as_str()));
            let mut diagnostic = Diagnostic::new(&INAPPLICABLE_KEYWORD, value.span, message)
                .note(format!("it constrains only values of type {names}"));
            if !has_type(parameter) {
                diagnostic = diagnostic.note("a parameter without `type` is a string");
            }
            diagnostic = diagnostic.help(match instead(keyword, kind) {
                Some(other) => format!("did you mean `{other}`?"),
                None if !has_type(parameter) => format!("add a `type`: {names}"),
                None => "remove it, or change the `type`".to_owned(),
            });
            findings.report(diagnostic);
        }
    }
}

fn applies_to(keyword: &str, value: &Json) -> &'static [Type] {
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => &[Type::Integer, Type::Number],
        "minLength" | "maxLength" | "pattern" => &[Type::String],
        "format" if value.as_str().is_some_and(|format| NUMBER_FORMATS.contains(&format)) => {
            &[Type::Integer, Type::Number, Type::String]
        }
        "format" => &[Type::String],
        "minItems" | "maxItems" | "items" => &[Type::Array],
        "properties" | "required_properties" | "additionalProperties" => &[Type::Object],
        _ => &Type::ALL,
    }
}

/// The keyword with the same meaning for another type.
fn instead(keyword: &str, kind: Type) -> Option<&'static str> {
    let lower = match keyword {
        "minimum" | "minLength" | "minItems" => true,
        "maximum" | "maxLength" | "maxItems" => false,
        _ => return None,
    };
    match (kind, lower) {
        (Type::String, true) => Some("minLength"),
        (Type::String, false) => Some("maxLength"),
        (Type::Array, true) => Some("minItems"),
        (Type::Array, false) => Some("maxItems"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{parameter_with, underlined};

    #[test]
    fn widths_of_numbers_are_formats_of_numbers() {
        let spec = parameter_with("type = \"integer\"\nformat = \"int64\"");
        assert_eq!(underlined(&INAPPLICABLE_KEYWORD, &spec), [""; 0]);
        let spec = parameter_with("type = \"integer\"\nformat = \"date\"");
        assert_eq!(underlined(&INAPPLICABLE_KEYWORD, &spec), ["\"date\""]);
    }
}
