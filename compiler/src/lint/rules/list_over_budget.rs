use crate::lint::{Check, Findings, SetContext, rule};
use crate::publish::{clients, exact_tokens};
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds sets of tools whose list costs more tokens than the budget allows, or has more tools
    /// than a client accepts.
    ///
    /// The budget is `list_tokens` under `[budget]` in `mcpc.toml`, 20000 by default. One that is set
    /// there is an error to break. Tokens are estimated, and counted where the estimate is near the
    /// budget. The number of tools is checked for the `clients` that `mcpc.toml` names.
    ///
    /// ## Why is this bad
    /// The whole list is in the context of every conversation. With too many tools, a model chooses
    /// worse, and some clients silently leave tools out.
    ///
    /// ## Fails
    /// ```toml mcpc.toml
    /// [budget]
    /// list_tokens = 20
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
    /// clients = ["openai"]
    /// [budget]
    /// list_tokens = 200
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
    pub LIST_OVER_BUDGET = "MCP0807", "list-over-budget", Warning, Check::Set(check);
}

fn check(context: &SetContext<'_>, findings: &mut Findings<'_>) {
    let Some(first) = context.toolsets.first() else {
        return;
    };
    let span = Span::whole_file(first.file);
    let budget = context.config.budget.list_tokens;
    let count = context.tools().count();
    let tools = if count == 1 { "tool" } else { "tools" };
    let entries: Vec<String> = context.tools().map(|(_, tool)| tool.list_entry().newest()).collect();
    let cost = exact_tokens::near_budget(context.tokens, budget.most, entries.iter().map(String::as_str));
    if cost > budget.most {
        let [number, cost, most] = [count, cost, budget.most].map(grouped);
        let message =
            format!("the list of {number} {tools} costs about {cost} tokens, more than its budget of {most}");
        let diagnostic = Diagnostic::new(&LIST_OVER_BUDGET, span, message)
            .note("every conversation pays for the whole list")
            .help(
                "split the set into several bundles, or raise `list_tokens` under `[budget]` in `mcpc.toml`",
            );
        findings.report(budget.broken(diagnostic));
    }
    if context.config.clients.is_empty() {
        return;
    }
    for client in clients::chosen(&context.config.clients) {
        let Some(most) = client.max_tools.filter(|most| count > *most) else {
            continue;
        };
        let message =
            format!("{count} tools are more than the {most} that `{}` accepts at once", client.name);
        findings.report(
            Diagnostic::new(&LIST_OVER_BUDGET, span, message)
                .note("`mcpc.toml` names this client")
                .help("split the set into several bundles, or let callers use one toolset at `/mcp/TOOLSET`"),
        );
    }
}

/// A number with its thousands separated.
pub(super) fn grouped(number: usize) -> String {
    let (thousands, rest) = (number / 1000, number % 1000);
    if thousands == 0 { rest.to_string() } else { format!("{},{rest:03}", grouped(thousands)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    fn messages(tools: usize) -> Vec<String> {
        let tools: String =
            (0..tools).map(|i| format!("[[tool]]\nname = \"t{i}\"\nrespond = \"x\"\n")).collect();
        let mut files = MemoryFiles::one("spec.toml", &tools);
        files.add("mcpc.toml", "clients = [\"cursor\", \"openai\", \"anthropic\"]\n");
        let diagnostics = check_files(&files).diagnostics.into_iter();
        diagnostics.filter(|d| d.is(&LIST_OVER_BUDGET)).map(|d| d.message).collect()
    }

    #[test]
    fn long_numbers_have_separators() {
        let shown = [0, 999, 1_000, 10_000, 1_234_567, 1_000_005].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "10,000", "1,234,567", "1,000,005"]);
        let message = messages(2_000).remove(0);
        assert!(message.starts_with("the list of 2,000 tools costs about "), "{message}");
        assert!(message.ends_with(" tokens, more than its budget of 20,000"), "{message}");
    }

    #[test]
    fn clients_take_a_certain_number_of_tools() {
        assert_eq!(messages(80), [""; 0]);
        assert_eq!(messages(81), ["81 tools are more than the 80 that `cursor` accepts at once"]);
        assert_eq!(messages(129).len(), 2);
    }
}
