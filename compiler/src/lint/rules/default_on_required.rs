use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds a required parameter with a default.
    ///
    /// ## Why is this bad
    /// A call without the parameter is refused, so the default is never used. One of the two is a
    /// mistake.
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
    /// required = true
    /// default = 20
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
    /// default = 20
    /// [[tool.examples]]
    /// arguments = { limit = 5 }
    /// ```
    pub DEFAULT_ON_REQUIRED = "MCP0415", "default-on-required", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    for parameter in context.tool.parameters.iter().filter(|p| !p.is_hidden() && p.is_required()) {
        let (Some(default), Some(required)) = (&parameter.default, &parameter.required) else {
            continue;
        };
        let message = format!("the default of parameter `{}` is never used", parameter.name.value);
        findings.report(
            Diagnostic::new(&DEFAULT_ON_REQUIRED, default.span, message)
                .related(required.span, "callers must supply this argument")
                .help("remove `default`, or `required = true`"),
        );
    }
}
