use crate::diagnostic::Diagnostic;
use crate::json::Json;
use crate::lint::values::{equal, show};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::suggest;

rule! {
    /// ## What it does
    /// Finds a default that is not among the allowed values of its parameter.
    ///
    /// ## Why is this bad
    /// The value that is sent when a caller says nothing would be refused if the caller said it.
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
    if context.tool.input_schema.is_some() {
        // Then a parameter may not say it at all: `parameter-outside-schema`.
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
            "default {} of parameter `{}` is not among its allowed values",
            show(&default.value),
            parameter.name.value
        );
        let mut diagnostic = Diagnostic::new(&DEFAULT_OUTSIDE_ENUM, default.span, message)
            .related(allowed.span, "the allowed values");
        if let Some(written) = default.value.as_str() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with};

    #[test]
    fn numbers_are_compared_by_value() {
        let spec = parameter_with("type = \"number\"\nenum = [1.0, 2.5]\ndefault = 1");
        assert_eq!(found(&DEFAULT_OUTSIDE_ENUM, &spec), []);
        let spec = parameter_with("type = \"number\"\nenum = [1.0, 2.5]\ndefault = 2");
        assert_eq!(found(&DEFAULT_OUTSIDE_ENUM, &spec)[0].1, "2");
    }
}
