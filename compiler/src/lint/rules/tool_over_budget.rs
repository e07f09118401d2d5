use crate::lint::{Check, Findings, ToolContext, rule};
use crate::publish::{exact_tokens, tokens};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds tools whose entry in `tools/list` costs more tokens than the budget allows.
    ///
    /// The budget is `tool_tokens` under `[budget]` in `mcpc.toml`, 1000 by default. One that is set
    /// there is an error to break. Tokens are estimated, and counted where the estimate is near the
    /// budget. `mcpc stats` shows what costs how much.
    ///
    /// ## Why is this bad
    /// Every tool's entry is in the context of every conversation, whether the tool is used or not.
    /// It costs money and takes room from what matters.
    ///
    /// ## Fails
    /// ```toml mcpc.toml
    /// [budget]
    /// tool_tokens = 20
    /// ```
    /// ```toml shop.toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first, with their status, their total and all of their items."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml mcpc.toml
    /// [budget]
    /// tool_tokens = 200
    /// ```
    /// ```toml shop.toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first, with their status, their total and all of their items."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub TOOL_OVER_BUDGET = "MCP0806", "tool-over-budget", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let (tool, budget) = (context.tool, context.config.budget.tool_tokens);
    let cost = exact_tokens::near_budget(context.tokens, budget.most, [tool.list_entry().newest().as_str()]);
    if cost <= budget.most {
        return;
    }
    let message =
        format!("tool `{}` costs about {cost} tokens, more than its budget of {}", tool.label(), budget.most);
    let description = tool.description.as_ref().map_or(0, |text| tokens::estimate(&text.value));
    let input = tokens::estimate(&tool.published_schema().to_text());
    let output = tool.published_output_schema().map_or(0, |schema| tokens::estimate(&schema.to_text()));
    let parts = [("description", description), ("input schema", input), ("output schema", output)];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, tokens)| *tokens > 0)
        .map(|(part, tokens)| format!("{part} ≈ {tokens}"))
        .collect();
    let diagnostic = Diagnostic::new(&TOOL_OVER_BUDGET, tool.label_span(), message)
        .note(parts.join(", "))
        .note("every conversation pays for it, whether the tool is used or not")
        .help("shorten it, split the tool, or raise `tool_tokens` under `[budget]` in `mcpc.toml`");
    findings.report(budget.broken(diagnostic));
}
