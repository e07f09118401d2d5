use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds parameters of one tool that have the same name.
    ///
    /// ## Why is this bad
    /// Arguments are passed by name, so a call could reach only one of the two.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "copy_file"
    /// method = "POST"
    /// endpoint = "https://api.example.com/copy"
    /// [[tool.parameters]]
    /// name = "path"
    /// [[tool.parameters]]
    /// name = "path"
    /// wire_name = "target"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "copy_file"
    /// method = "POST"
    /// endpoint = "https://api.example.com/copy"
    /// [[tool.parameters]]
    /// name = "path"
    /// [[tool.parameters]]
    /// name = "target"
    /// ```
    pub DUPLICATE_PARAMETER = "MCP0401", "duplicate-parameter", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let mut first = BTreeMap::new();
    for parameter in &context.tool.parameters {
        let name = &parameter.name;
        if let Some(earlier) = first.get(name.value.as_str()).copied() {
            let message = format!("parameter `{}` is declared twice", name.value);
            findings.report(
                Diagnostic::new(&DUPLICATE_PARAMETER, name.span, message)
                    .related(earlier, "first declared here")
                    .note("arguments are passed by name, so a call could reach only one of them")
                    .help("rename one of them; `wire_name` sets the name that the upstream sees"),
            );
        } else {
            first.insert(name.value.as_str(), name.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    #[test]
    fn names_are_case_sensitive_and_a_third_one_counts_too() {
        let parameters = "[[tool.parameters]]\nname = \"a\"\n[[tool.parameters]]\nname = \"A\"\n".repeat(3);
        assert_eq!(underlined(&DUPLICATE_PARAMETER, &tool_with(&parameters)).len(), 4);
    }
}
