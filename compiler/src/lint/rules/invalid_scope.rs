use crate::lint::helpers::values::show_text;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds scopes that are empty, duplicate, or contain spaces, `"`, `\` or characters beyond
    /// ASCII.
    ///
    /// ## Why is this bad
    /// Tokens list scopes separated by spaces (RFC 6749 §3.3). No token could have such a scope, so
    /// nobody could call the tool.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// scopes = ["orders:read orders:write"]
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// scopes = ["orders:read", "orders:write"]
    /// ```
    pub INVALID_SCOPE = "MCP0611", "invalid-scope", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let scopes = &context.tool.scopes;
    for (index, scope) in scopes.iter().enumerate() {
        let text = &scope.value;
        let diagnostic = |message: String| Diagnostic::new(&INVALID_SCOPE, scope.span, message);
        let wrong = text.chars().find(|c| !is_scope_char(*c));
        if text.is_empty() {
            findings.report(diagnostic("a scope cannot be empty".into()).help("remove it"));
        } else if wrong == Some(' ') {
            let message = format!("scope {} contains a space, which separates scopes", show_text(text));
            findings.report(diagnostic(message).help("write each scope as a separate string"));
        } else if let Some(wrong) = wrong {
            let message = format!(
                "scope {} contains {}, which is not allowed",
                show_text(text),
                show_text(&wrong.to_string())
            );
            findings.report(
                diagnostic(message).note("a scope is visible ASCII without `\"` and `\\` (RFC 6749)"),
            );
        } else if let Some(first) = scopes.iter().take(index).find(|earlier| earlier.value == *text) {
            let message = format!("duplicate scope {}", show_text(text));
            findings.report(diagnostic(message).related(first.span, "first here").help("remove one of them"));
        }
    }
}

/// `scope-token` of RFC 6749 §3.3.
fn is_scope_char(c: char) -> bool {
    matches!(c, '!' | '#'..='[' | ']'..='~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    #[test]
    fn scopes_are_tokens_and_each_is_written_once() {
        let spec = tool_with(r#"scopes = ["a:b/c", "", "é", 'a"b', 'a\b', "a b", "x", "x"]"#);
        assert_eq!(
            underlined(&INVALID_SCOPE, &spec),
            [r#""""#, r#""é""#, r#"'a"b'"#, r"'a\b'", r#""a b""#, r#""x""#]
        );
    }
}
