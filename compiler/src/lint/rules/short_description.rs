use crate::lint::helpers::values::counted;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds tool descriptions with fewer than 20 characters.
    ///
    /// ## Why is this bad
    /// Such a short text rarely says more than the name. A model that cannot distinguish tools
    /// calls the wrong one.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Lists orders."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first, with status and total."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub SHORT_DESCRIPTION = "MCP0802", "short-description", Warning, Check::Tool(check);
}

const MIN_CHARACTERS: usize = 20;

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(description) = &context.tool.description else {
        return;
    };
    // Ideographs say in one character what letters say in several.
    let weight = |c: char| if matches!(c, '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}') { 3 } else { 1 };
    let text = description.value.trim();
    let length: usize = text.chars().map(weight).sum();
    // An empty one is `missing-description`.
    if (1..MIN_CHARACTERS).contains(&length) {
        let message = format!(
            "the description of tool `{}` has only {}",
            context.tool.label(),
            counted(text.chars().count(), "character")
        );
        findings.report(
            Diagnostic::new(&SHORT_DESCRIPTION, description.span, message)
                .note("a model chooses among tools by their descriptions")
                .help("describe what it returns or changes, and when it is useful"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::found;

    fn is_short(description: &str) -> bool {
        let spec = format!("[[tool]]\nname = \"a\"\nrespond = \"x\"\ndescription = \"{description}\"\n");
        !found(&SHORT_DESCRIPTION, &spec).is_empty()
    }

    #[test]
    fn length_is_what_is_said() {
        assert!(is_short("äöü äöü äöü äöü äöü"));
        assert!(!is_short("äöü äöü äöü äöü äöü."));
        assert!(is_short("Orders.                        "));
        assert!(!is_short("列出商店的订单"));
        assert!(!is_short(""), "another rule's");
    }
}
