use crate::checked::CheckedTool;
use crate::lint::{Check, Findings, ToolsetContext, rule, rules};
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds `scopes`. They are checked and packed into the bundle, but the edge does not act on
    /// them yet.
    ///
    /// Each file has one finding. When the edge enforces them, this rule goes away.
    ///
    /// ## Why is this bad
    /// A reader of the spec believes that callers without the scope are refused. That is not so:
    /// anyone who reaches the edge can call the tool.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// scopes = ["orders:read"]
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [toolset]
    /// allow = [{ rule = "not-enforced-yet", reason = "the gateway in front of the edge checks scopes" }]
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// scopes = ["orders:read"]
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub NOT_ENFORCED_YET = "MCP0613", "not-enforced-yet", Warning, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    of_key(context, "scopes", "anyone who reaches the edge can call the tool", scopes, findings);
}

fn scopes(tool: &CheckedTool) -> Option<Span> {
    tool.scopes.first().map(|scope| scope.span)
}

/// One finding for all tools with the key, and one for each tool that allows it.
fn of_key(
    context: &ToolsetContext<'_>,
    key: &str,
    effect: &str,
    span: fn(&CheckedTool) -> Option<Span>,
    findings: &mut Findings<'_>,
) {
    let tools = context.toolset.tools.iter().filter_map(|tool| Some((tool, span(tool)?)));
    let (allowing, others): (Vec<_>, Vec<_>) = tools.partition(|(tool, _)| allows(tool));
    let mut report = |span: Span, more: usize| {
        let message = match more {
            0 => format!("`{key}` is not enforced yet"),
            1 => format!("`{key}` is not enforced yet, here and in 1 more tool"),
            _ => format!("`{key}` is not enforced yet, here and in {more} more tools"),
        };
        findings.report(
            Diagnostic::new(&NOT_ENFORCED_YET, span, message)
                .note(format!("the bundle has it, but the edge ignores it: {effect}"))
                .help("to keep it for later, allow `not-enforced-yet` with a reason"),
        );
    };
    if let Some((_, span)) = others.first() {
        report(*span, others.len() - 1);
    }
    for (_, span) in allowing {
        report(span, 0);
    }
}

fn allows(tool: &CheckedTool) -> bool {
    let is_this = |name: &str| rules::find(name).is_some_and(|rule| rule.code == NOT_ENFORCED_YET.code);
    tool.allows.iter().any(|allow| is_this(&allow.rule.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with};

    fn messages(tools: &[&str]) -> Vec<String> {
        let tool =
            |(index, keys): (usize, &&str)| tool_with(keys).replace("add_note", &format!("tool_{index}"));
        let spec: String = tools.iter().enumerate().map(tool).collect();
        found(&NOT_ENFORCED_YET, &spec.replace("POST", "GET"))
            .into_iter()
            .map(|(message, _)| message)
            .collect()
    }

    const ALLOW: &str = "allow = [{ rule = \"not-enforced-yet\", reason = \"a test\" }]";

    #[test]
    fn each_key_is_found_once_a_file() {
        let scopes = "scopes = [\"a\", \"b\"]";
        assert_eq!(messages(&[scopes]), ["`scopes` is not enforced yet"]);
        assert_eq!(
            messages(&[scopes, "", scopes, "scopes = [\"c\"]\ncache_seconds = 5"]),
            ["`scopes` is not enforced yet, here and in 2 more tools"]
        );
        assert_eq!(messages(&["scopes = []\ncache_seconds = 0"]), [""; 0]);
    }

    #[test]
    fn a_tool_allows_it_for_itself_alone() {
        let allowed = format!("scopes = [\"a\"]\n{ALLOW}");
        assert_eq!(messages(&[&allowed]), [""; 0]);
        assert_eq!(messages(&[&allowed, "scopes = [\"a\"]"]), ["`scopes` is not enforced yet"]);
    }
}
