use super::list_over_budget::grouped;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::publish::result_size::{Bounds, Worst};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds tools whose longest result may have more bytes than the budget allows.
    ///
    /// The budget is `result_bytes` under `[budget]` in `mcpc.toml`; without it there is none. The
    /// longest result follows from `max_text_bytes`, `max_response_bytes`, and an `output_schema`
    /// that bounds everything in it, together with `max_results`.
    ///
    /// ## Why is this bad
    /// One long result can fill a model's context.
    ///
    /// ## Fails
    /// ```toml mcpc.toml
    /// [budget]
    /// result_bytes = 16000
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
    /// result_bytes = 16000
    /// ```
    /// ```toml shop.toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// max_text_bytes = 16000
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub RESULT_OVER_BUDGET = "MCP0809", "result-over-budget", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let Some(budget) = context.config.budget.result_bytes else { return };
    let worst = Worst::of(&Bounds {
        max_response_bytes: tool.max_response_bytes,
        max_text_bytes: tool.max_text_bytes,
        max_results: tool.max_results,
        output_schema: tool.published_output_schema(),
        has_select: !tool.select.is_empty(),
        has_template: tool.response_template.is_some(),
        fixed: tool.respond.as_ref().map(|answer| answer.value.len()),
    });
    if worst.bytes() <= budget.most as u64 {
        return;
    }
    let bytes = grouped(usize::try_from(worst.bytes()).unwrap_or(usize::MAX));
    let message = format!(
        "a result of tool `{}` may have {bytes} bytes, more than its budget of {}",
        tool.label(),
        grouped(budget.most)
    );
    let mut diagnostic = Diagnostic::new(&RESULT_OVER_BUDGET, tool.label_span(), message)
        .note(format!("its text is limited by {}", worst.because))
        .help("set `max_text_bytes`, or raise `result_bytes` under `[budget]` in `mcpc.toml`");
    if worst.structured > 0 {
        let structured = grouped(usize::try_from(worst.structured).unwrap_or(usize::MAX));
        diagnostic = diagnostic
            .note(format!("its structured content may have {structured} bytes, which are never cut"))
            .help(
                "set `max_response_bytes` and `max_text_bytes`, or bound all that `output_schema` describes",
            );
    }
    findings.report(budget.broken(diagnostic));
}
