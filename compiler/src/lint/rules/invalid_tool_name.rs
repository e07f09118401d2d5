use crate::lint::helpers::names;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::{Applicability, Diagnostic, Edit};

rule! {
    /// ## What it does
    /// Finds names of tools that are not 1 to 64 letters, digits, `_` and `-`.
    ///
    /// ## Why is this bad
    /// Clients and model providers refuse other names, often together with all the other tools of
    /// the list.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// title = "Get time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// ```
    pub INVALID_TOOL_NAME = "MCP0602", "invalid-tool-name", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(name) = &context.tool.name else {
        return;
    };
    let Some(problem) = names::problem(&name.value) else {
        return;
    };
    let span = problem.span(context.sources, name.span);
    let diagnostic = Diagnostic::new(&INVALID_TOOL_NAME, span, format!("a tool's name {}", problem.message))
        .note("clients accept 1 to 64 letters, digits, `_` and `-`");
    findings.report(match names::better(&name.value) {
        Some(better) => {
            let edit = Edit { span: name.span, text: format!("\"{better}\"") };
            diagnostic.help(format!("write `{better}`")).fix(Applicability::DisplayOnly, vec![edit])
        }
        None => diagnostic,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    #[test]
    fn what_does_not_fit_is_underlined() {
        let name = |name: &str| underlined(&INVALID_TOOL_NAME, &tool_with("").replace("add_note", name));
        assert_eq!(name("shop.get"), ["."]);
        assert_eq!(name("größe"), ["ö"]);
        assert_eq!(name(""), ["\"\""]);
        assert_eq!(name(&"x".repeat(64)), [""; 0]);
        assert_eq!(name(&format!("{}yz", "x".repeat(64))), ["yz"]);
    }
}
