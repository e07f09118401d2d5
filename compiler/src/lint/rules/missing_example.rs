use crate::diagnostic::Diagnostic;
use crate::lint::{Check, Findings, ToolContext, rule};

rule! {
    /// ## What it does
    /// Finds tools without an example.
    ///
    /// ## Why is this bad
    /// An example is documentation, a test of the exact request and text (`mcpc test`), and what the mock answers
    /// (`mcpc dev --mock`). Without one, the first to try the tool is a model.
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
    // A fixed answer is its own example.
    if !tool.examples.is_empty() || tool.respond.is_some() {
        return;
    }
    let message = format!("tool `{}` has no example", tool.label());
    findings.report(
        Diagnostic::new(&MISSING_EXAMPLE, tool.label_span(), message)
            .note("`mcpc test` checks examples, and `mcpc dev --mock` answers with them")
            .help("add `[[tool.examples]]` with `arguments`, `request`, `response` and `text`"),
    );
}
