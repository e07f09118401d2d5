use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds duplicate placeholders in an endpoint.
    ///
    /// ## Why is this bad
    /// A parameter fills one placeholder. A second one with the same name is nearly always a copied
    /// segment.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of one user."
    /// method = "GET"
    /// endpoint = "https://api.example.com/users/{id}/orders/{id}"
    ///
    /// [[tool.parameters]]
    /// name = "id"
    /// position = "path"
    /// required = true
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of one user."
    /// method = "GET"
    /// endpoint = "https://api.example.com/users/{userId}/orders/{orderId}"
    ///
    /// [[tool.parameters]]
    /// name = "userId"
    /// position = "path"
    /// required = true
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// position = "path"
    /// required = true
    /// ```
    pub REPEATED_PLACEHOLDER = "MCP0303", "repeated-placeholder", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(endpoint) = &context.tool.endpoint else {
        return;
    };
    let inside = |range: &std::ops::Range<usize>| context.sources.inside(endpoint.span, range.clone());
    let all = &endpoint.value.placeholders;
    for (index, placeholder) in all.iter().enumerate() {
        let first = all.iter().take(index).find(|earlier| earlier.name == placeholder.name);
        if let Some(first) = first {
            let message = format!("duplicate placeholder `{{{}}}`", placeholder.name);
            findings.report(
                Diagnostic::new(&REPEATED_PLACEHOLDER, inside(&placeholder.range), message)
                    .related(inside(&first.range), "the first is here")
                    .help("declare a parameter with another name for the second one"),
            );
        }
    }
}
