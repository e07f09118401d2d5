use crate::lint::helpers::{headers, values};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::{Diagnostic, Sources, Spanned};

rule! {
    /// ## What it does
    /// Finds names of headers and cookies that HTTP does not allow.
    ///
    /// ## Why is this bad
    /// A name with a space, a colon or a line break ends early, and the rest is read as something
    /// else. That is how requests are smuggled.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { "Accept:" = "application/json" }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    ///
    /// [[tool.parameters]]
    /// name = "request id"
    /// position = "header"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { accept = "application/json" }
    ///
    /// [[tool.parameters]]
    /// name = "request id"
    /// wire_name = "x-request-id"
    /// position = "header"
    /// ```
    pub INVALID_HEADER_NAME = "MCP0501", "invalid-header-name", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for header in headers::fixed(context.toolset) {
        if let Some(diagnostic) = problem(context.sources, &header.name, "header") {
            findings.report(
                match header.name.value.strip_suffix(':').filter(|name| headers::is_token(name)) {
                    Some(name) => {
                        let colon = context.sources.inside(header.name.span, name.len()..name.len() + 1);
                        diagnostic.help(format!("write `{name}`, without the colon")).replace(colon, "")
                    }
                    None => diagnostic,
                },
            );
        }
    }
    for (position, what) in [(Position::Header, "header"), (Position::Cookie, "cookie")] {
        for parameter in headers::parameters(context.toolset, position) {
            if let Some(diagnostic) = problem(context.sources, parameter.wire_name(), what) {
                findings.report(match &parameter.wire_name {
                    Some(_) => diagnostic,
                    None => diagnostic.help("set the upstream's name for it as `wire_name`"),
                });
            }
        }
    }
}

fn problem(sources: &Sources, name: &Spanned<String>, what: &str) -> Option<Diagnostic> {
    let text = &name.value;
    if text.is_empty() {
        let message = format!("a {what} needs a name");
        return Some(Diagnostic::new(&INVALID_HEADER_NAME, name.span, message));
    }
    let (at, bad) = text.char_indices().find(|(_, c)| !headers::is_token_char(*c))?;
    let span = sources.inside(name.span, at..at + bad.len_utf8());
    let bad = values::show_text(&bad.to_string());
    let message = format!("{} is not a {what} name: it contains {bad}", values::show_text(text));
    Some(
        Diagnostic::new(&INVALID_HEADER_NAME, span, message)
            .note("HTTP allows letters, digits and any of ``!#$%&'*+-.^_`|~``"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{parameter_with, tool_with, underlined};

    #[test]
    fn the_bad_character_is_underlined() {
        let header = |name: &str| {
            underlined(&INVALID_HEADER_NAME, &tool_with(&format!("headers = {{ {name} = 'x' }}")))
        };
        assert_eq!(header(r#""a\r\nb""#), [r"\r"]);
        assert_eq!(header("\"x é\""), [" "]);
        assert_eq!(header("\"\""), ["\"\""]);
        assert_eq!(header("X-Ok_1"), [""; 0]);
        let cookie = parameter_with("wire_name = \"a;b\"\nposition = \"cookie\"");
        assert_eq!(underlined(&INVALID_HEADER_NAME, &cookie), [";"]);
        let query = parameter_with("wire_name = \"a;b\"\nposition = \"query\"");
        assert_eq!(underlined(&INVALID_HEADER_NAME, &query), [""; 0]);
    }
}
