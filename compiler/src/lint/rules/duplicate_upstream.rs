use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds upstreams of one file whose names differ only in case.
    ///
    /// ## Why is this bad
    /// `shop` and `Shop` are hard to tell apart in a review. A tool that names the wrong one sends
    /// its request to another host, with that upstream's credentials.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com/v1"
    ///
    /// [upstream.Shop]
    /// url = "https://api.example.com/v2"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com/v1"
    ///
    /// [upstream.shop-v2]
    /// url = "https://api.example.com/v2"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    pub DUPLICATE_UPSTREAM = "MCP0210", "duplicate-upstream", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let upstreams = &context.toolset.upstreams;
    for (index, upstream) in upstreams.iter().enumerate() {
        let name = &upstream.name;
        let mut earlier = upstreams.iter().take(index);
        let Some(first) = earlier.find(|other| other.name.value.to_lowercase() == name.value.to_lowercase())
        else {
            continue;
        };
        let message = format!("upstreams `{}` and `{}` differ only in case", first.name.value, name.value);
        findings.report(
            Diagnostic::new(&DUPLICATE_UPSTREAM, name.span, message)
                .related(first.name.span, "the first is here")
                .help("give one of them another name, or remove it"),
        );
    }
}
