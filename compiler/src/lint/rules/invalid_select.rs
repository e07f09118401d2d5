use crate::lint::context::ToolContext;
use crate::lint::findings::Findings;
use crate::lint::{Check, rule};
use mcp_bundle::shape::select;
use mcp_diagnostics::{Diagnostic, Spanned};
use std::ops::Range;

rule! {
    /// ## What it does
    /// Finds paths in `select` that are not valid. A path is names joined by dots, with `[]` for
    /// every element of a list.
    ///
    /// ## Why is this bad
    /// It is unclear which part of the response is meant, so every call would fail.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// select = ["items[0].name"]
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// select = ["total", "items..name"]
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// select = ["total", "items[].name", "labels.app\\.kubernetes\\.io/name"]
    /// ```
    pub INVALID_SELECT = "MCP0711", "invalid-select", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if let Some(path) = context.tool.select.get(select::MAX_PATHS) {
        let message = format!("`select` has more than {} paths", select::MAX_PATHS);
        findings.report(
            Diagnostic::new(&INVALID_SELECT, path.span, message)
                .help("select whole objects instead of their members, or use a `response_template`"),
        );
    }
    for path in &context.tool.select {
        if let Err(error) = select::parse(&path.value) {
            let place = context.sources.inside(path.span, place(path, error.offset));
            findings.report(
                Diagnostic::new(&INVALID_SELECT, place, format!("not a valid path: {}", error.message))
                    .note("a path consists of names and dots, such as `orderId` or `items[].name`")
                    .maybe_help(help(&path.value)),
            );
        }
    }
}

/// One character; at the end of the path, the last one.
fn place(path: &Spanned<String>, offset: usize) -> Range<usize> {
    let text = &path.value;
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
    match (after.chars().next(), before.chars().next_back()) {
        (Some(next), _) => offset..offset + next.len_utf8(),
        (None, Some(last)) => before.len() - last.len_utf8()..before.len(),
        (None, None) => 0..0,
    }
}

/// Path notations of other tools.
fn help(path: &str) -> Option<String> {
    let instead = path.strip_prefix("$.").or_else(|| path.strip_prefix('.'))?;
    select::parse(instead).is_ok().then(|| format!("write `{instead}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with, underlined};

    fn places(path: &str) -> Vec<String> {
        underlined(&INVALID_SELECT, &tool_with(&format!("select = [{path}]")))
    }

    #[test]
    fn the_place_in_the_path_is_underlined() {
        assert_eq!(places("'a', 'items[0].name'"), ["["]);
        assert_eq!(places("'a..b'"), ["."]);
        assert_eq!(places("'a.'"), ["."]);
        assert_eq!(places("'é]'"), ["]"]);
        assert_eq!(places("\"\\u00e9]\""), ["]"]);
        assert_eq!(places("'a[]b'"), ["b"]);
        assert_eq!(places("''").len(), 1);
        assert_eq!(places("'a', '[].b', 'c\\.d'"), [""; 0]);
    }

    #[test]
    fn the_message_says_what_is_wrong() {
        let (message, _) = found(&INVALID_SELECT, &tool_with("select = ['a[1]']")).remove(0);
        assert_eq!(message, "not a valid path: only `[]`, which is every element, is known in brackets");
    }

    #[test]
    fn a_path_in_another_notation_is_fixed() {
        assert_eq!(help("$.a.b").as_deref(), Some("write `a.b`"));
        assert_eq!(help(".a[].b").as_deref(), Some("write `a[].b`"));
        assert_eq!(help("$.a[0]"), None);
        assert_eq!(help("a..b"), None);
    }
}
