use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::ParameterSpec;
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds a parameter with a constant `value` that also describes what callers may pass.
    ///
    /// ## Why is this bad
    /// Callers never see a parameter with a `value`, so `required`, `default`, `enum` and
    /// `mcp_header` have no effect there. The author must have expected something else.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "version"
    /// position = "query"
    /// value = "2"
    /// default = "1"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "version"
    /// position = "query"
    /// value = "2"
    /// ```
    pub OVERRIDDEN_CONSTANT = "MCP0413", "overridden-constant", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    for parameter in &context.tool.parameters {
        let Some(value) = &parameter.value else {
            continue;
        };
        for (key, span) in for_callers(parameter) {
            let message = format!(
                "parameter `{}` has a constant `value`, so its `{key}` has no effect",
                parameter.name.value
            );
            findings.report(
                Diagnostic::new(&OVERRIDDEN_CONSTANT, span, message)
                    .related(value.span, "the constant")
                    .note("callers never see a parameter with a `value`")
                    .help(format!("remove `{key}`, or remove `value` to let callers choose")),
            );
        }
    }
}

/// Keys that are about callers. `required = false` is true anyway.
fn for_callers(parameter: &ParameterSpec) -> impl Iterator<Item = (&'static str, Span)> {
    let required = parameter.required.as_ref().filter(|required| required.value);
    [
        ("required", required.map(|key| key.span)),
        ("default", parameter.default.as_ref().map(|key| key.span)),
        ("enum", parameter.enumeration.as_ref().map(|key| key.span)),
        ("mcp_header", parameter.mcp_header.as_ref().map(|key| key.span)),
    ]
    .into_iter()
    .filter_map(|(key, span)| Some((key, span?)))
}
