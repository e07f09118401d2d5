use super::list_over_budget::grouped;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::publish::{exact_tokens, tokens};
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds toolsets whose tools cost more tokens together than the budget allows.
    ///
    /// The budget is `toolset_tokens` under `[budget]` in `mcpc.toml`; without it there is none.
    /// Tokens are estimated, and counted where the estimate is near the budget.
    ///
    /// ## Why is this bad
    /// A client that uses one toolset, at `/mcp/TOOLSET`, pays for all of its tools in every
    /// conversation.
    ///
    /// ## Fails
    /// ```toml mcpc.toml
    /// [budget]
    /// toolset_tokens = 20
    /// ```
    /// ```toml shop.toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml mcpc.toml
    /// [budget]
    /// toolset_tokens = 200
    /// ```
    /// ```toml shop.toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub TOOLSET_OVER_BUDGET = "MCP0808", "toolset-over-budget", Warning, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let Some(budget) = context.config.budget.toolset_tokens else { return };
    let toolset = context.toolset;
    let entries: Vec<String> = toolset.tools.iter().map(|tool| tool.list_entry().newest()).collect();
    let estimated = entries.iter().map(|entry| tokens::estimate(entry)).sum();
    let cost = exact_tokens::near_budget(estimated, budget.most, entries.iter().map(String::as_str));
    if cost <= budget.most {
        return;
    }
    let [cost, most] = [cost, budget.most].map(grouped);
    let name = &toolset.name.value;
    let message = format!("toolset `{name}` costs about {cost} tokens, more than its budget of {most}");
    let diagnostic = Diagnostic::new(&TOOLSET_OVER_BUDGET, Span::whole_file(toolset.file), message)
        .note("`mcpc stats` shows which of its tools cost how much")
        .help("shorten or split it, or raise `toolset_tokens` under `[budget]` in `mcpc.toml`");
    findings.report(budget.broken(diagnostic));
}
