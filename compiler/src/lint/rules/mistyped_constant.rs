use crate::language::json::Json;
use crate::language::variables::{TextPart, split_variables};
use crate::lint::helpers::schemas::has_type;
use crate::lint::helpers::values::{type_of, with_article};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::Type;
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds a constant `value` that does not have its parameter's type.
    ///
    /// ## Why is this bad
    /// The upstream gets the value as it is written. `"20"` in a JSON body is a string, even with
    /// `type = "integer"`.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "create_order"
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "priority"
    /// type = "integer"
    /// value = "20"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "create_order"
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "shop"
    /// type = "integer"
    /// value = "${SHOP}"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "create_order"
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "priority"
    /// type = "integer"
    /// value = 20
    /// [[tool.parameters]]
    /// name = "shop"
    /// value = "${SHOP}"
    /// ```
    pub MISTYPED_CONSTANT = "MCP0416", "mistyped-constant", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    for parameter in context.tool.parameters.iter().filter(|parameter| has_type(parameter)) {
        let Some(value) = &parameter.value else {
            continue;
        };
        let kind = parameter.kind.value;
        if kind.admits(&value.value) {
            continue;
        }
        let has_variable = value.value.as_str().is_some_and(|text| {
            split_variables(text).0.iter().any(|part| matches!(part, TextPart::Variable(_)))
        });
        // A constant may be a secret, so it is not quoted.
        let message = format!(
            "`value` of parameter `{}` is {}, not {}",
            parameter.name.value,
            type_of(&value.value),
            with_article(kind.as_str())
        );
        let diagnostic = Diagnostic::new(&MISTYPED_CONSTANT, value.span, message)
            .related(parameter.kind.span, "the parameter's type");
        findings.report(if has_variable {
            diagnostic.note("a variable is always text").help("remove `type`, or write `type = \"string\"`")
        } else if kind == Type::String && !matches!(value.value, Json::Array(_) | Json::Object(_)) {
            diagnostic.help("write the value in quotes, or change `type`")
        } else {
            diagnostic.help(format!("write {}, or change `type`", with_article(kind.as_str())))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with};

    fn is_refused(keys: &str) -> bool {
        !found(&MISTYPED_CONSTANT, &parameter_with(keys)).is_empty()
    }

    #[test]
    fn only_a_type_that_is_written_is_compared() {
        assert!(!is_refused("value = 3"));
        assert!(!is_refused("value = [1, 2]"));
        assert!(is_refused("type = \"string\"\nvalue = 3"));
        assert!(is_refused("type = \"array\"\nvalue = \"a\""));
        assert!(!is_refused("type = \"number\"\nvalue = 3"));
        assert!(!is_refused("type = \"array\"\nposition = \"header\"\nvalue = [1, 2]"));
        assert!(!is_refused("type = \"nonsense\"\nvalue = 3"));
    }

    #[test]
    fn a_variable_is_text() {
        assert!(is_refused("type = \"boolean\"\nvalue = \"${FLAG}\""));
        assert!(!is_refused("type = \"string\"\nvalue = \"${FLAG}\""));
    }
}
