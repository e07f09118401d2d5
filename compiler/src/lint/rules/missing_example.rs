use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds tools without an example.
    ///
    /// ## Why is this bad
    /// An example shows people how to call the tool, and `mcpc check` proves that the tool accepts
    /// its arguments. Without one, a model is the first to try the tool.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.examples]]
    /// arguments = {}
    /// request = { method = "GET", url = "https://api.example.com/orders" }
    /// ```
    pub MISSING_EXAMPLE = "MCP0805", "missing-example", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    // A fixed response is its own example.
    if !tool.examples.is_empty() || tool.respond.is_some() {
        return;
    }
    let message = format!("tool `{}` has no example", tool.label());
    findings.report(
        Diagnostic::new(&MISSING_EXAMPLE, tool.label_span(), message)
            .note("an example documents the tool and proves that it can be called")
            .help("add `[[tool.examples]]` with the `arguments` of a call"),
    );
}
