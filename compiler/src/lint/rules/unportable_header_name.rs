use crate::lint::helpers::headers;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::{Diagnostic, Sources, Spanned};

rule! {
    /// ## What it does
    /// Finds header names with characters that HTTP allows, but that are not letters, digits or
    /// hyphens: `X_Trace`, `x.shop`.
    ///
    /// ## Why is this bad
    /// Many proxies and frameworks drop such headers without an error. nginx drops names with an
    /// underscore unless it is configured otherwise, because CGI cannot tell `X_Trace` from
    /// `X-Trace`.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    ///
    /// [[tool.parameters]]
    /// name = "X_Trace"
    /// description = "An id to find the request by."
    /// position = "header"
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { "x.shop" = "7" }
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    ///
    /// [[tool.parameters]]
    /// name = "trace_id"
    /// wire_name = "X-Trace"
    /// description = "An id to find the request by."
    /// position = "header"
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub UNPORTABLE_HEADER_NAME = "MCP0506", "unportable-header-name", Warning, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for header in headers::fixed(context.toolset) {
        if let Some((diagnostic, hyphens)) = problem(context.sources, &header.name) {
            findings.report(diagnostic.help(format!("write `{hyphens}` if the upstream accepts it")));
        }
    }
    for parameter in headers::parameters(context.toolset, Position::Header) {
        if let Some((diagnostic, hyphens)) = problem(context.sources, parameter.wire_name()) {
            findings.report(
                diagnostic.help(format!("write `wire_name = \"{hyphens}\"` if the upstream accepts it")),
            );
        }
    }
}

/// The finding, and the name with hyphens.
fn problem(sources: &Sources, name: &Spanned<String>) -> Option<(Diagnostic, String)> {
    let text = &name.value;
    // What HTTP forbids is `invalid-header-name`.
    if !headers::is_token(text) {
        return None;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let (at, odd) = text.char_indices().find(|(_, c)| !is_plain(*c))?;
    let span = sources.inside(name.span, at..at + odd.len_utf8());
    let shown = if odd == '`' { "a backtick".to_owned() } else { format!("`{odd}`") };
    let message = format!("header `{text}` has {shown} in its name, and many proxies drop such headers");
    let diagnostic = Diagnostic::new(&UNPORTABLE_HEADER_NAME, span, message)
        .note("letters, digits and `-` are safe everywhere; nginx drops names with `_` by default");
    Some((diagnostic, text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::{parameter_with, tool_with, underlined};

    #[test]
    fn only_header_names_outside_letters_digits_and_hyphens_are_found() {
        let header = |name: &str| {
            underlined(
                &UNPORTABLE_HEADER_NAME,
                &parameter_with(&format!("wire_name = '{name}'\nposition = \"header\"")),
            )
        };
        assert_eq!(header("X_Trace"), ["_"]);
        assert_eq!(header("x.y"), ["."]);
        assert_eq!(header("x`y"), ["`"]);
        assert_eq!(header("X-Trace-2"), [""; 0]);
        assert_eq!(header("not ok_"), [""; 0], "that is an error");
        let cookie = parameter_with("wire_name = \"a_b\"\nposition = \"cookie\"");
        assert_eq!(underlined(&UNPORTABLE_HEADER_NAME, &cookie), [""; 0]);
        let fixed = tool_with("headers = { 'X_Shop' = \"7\" }");
        assert_eq!(underlined(&UNPORTABLE_HEADER_NAME, &fixed), ["_"]);
    }

    #[test]
    fn the_help_names_a_header_that_passes() {
        let spec = parameter_with("wire_name = \"x.my_id\"\nposition = \"header\"");
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        let help = report.diagnostics[0].help.as_deref().unwrap();
        assert_eq!(help, "write `wire_name = \"x-my-id\"` if the upstream accepts it");
    }
}
