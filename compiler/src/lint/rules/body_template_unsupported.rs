use crate::diagnostic::Diagnostic;
use crate::lint::{Check, Findings, ToolContext, rule};

rule! {
    /// ## What it does
    /// Finds `body_template`, which this version cannot build.
    ///
    /// ## Why is this bad
    /// The request would be sent without the body that the spec describes.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "search_orders"
    /// method = "POST"
    /// endpoint = "https://api.example.com/search"
    /// body_template = '{"filter": {"status": "{{ .status }}"}}'
    /// [[tool.parameters]]
    /// name = "status"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "search_orders"
    /// method = "POST"
    /// endpoint = "https://api.example.com/search"
    /// [[tool.parameters]]
    /// name = "status"
    /// wire_name = "filter.status"
    /// ```
    pub BODY_TEMPLATE_UNSUPPORTED = "MCP0609", "body-template-unsupported", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if let Some(template) = &context.tool.body_template {
        findings.report(
            Diagnostic::new(
                &BODY_TEMPLATE_UNSUPPORTED,
                template.span,
                "this version cannot build a `body_template`",
            )
            .note("a body is made of the parameters with the position `body`, each encoded for its place")
            .help("use such parameters; a dotted `wire_name` nests, and `value` gives a constant member"),
        );
    }
}
