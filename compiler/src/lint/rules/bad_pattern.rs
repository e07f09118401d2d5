use crate::language::json::Json;
use crate::lint::helpers::locate;
use crate::lint::helpers::schemas::{self, Path};
use crate::lint::helpers::values::show_text;
use crate::lint::{Check, Findings, SetContext, rule};
use mcp_bundle::bind::patterns::compile_pattern;
use mcp_diagnostics::{Diagnostic, Span};
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds patterns that are not regular expressions, or that cannot be matched in linear time.
    ///
    /// Patterns have the syntax of ECMA-262, as JSON Schema prescribes, and match anywhere in a
    /// text unless they are anchored with `^` and `$`. Look-around and back-references are refused.
    ///
    /// ## Why is this bad
    /// A pattern is matched against any text that a model sends. A backtracking match could be made
    /// to run for minutes, and a pattern that does not compile checks nothing.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// [[tool.parameters]]
    /// name = "id"
    /// position = "query"
    /// pattern = "^(ord|inv-[0-9]+$"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// [[tool.parameters]]
    /// name = "ids"
    /// type = "array"
    /// position = "query"
    /// items = { type = "string", pattern = "^(?!test)" }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/order"
    /// [[tool.parameters]]
    /// name = "id"
    /// position = "query"
    /// pattern = "^(ord|inv)-[0-9]+$"
    /// ```
    pub BAD_PATTERN = "MCP0405", "bad-pattern", HardError, Check::Set(check);
}

/// Why a pattern is refused, by pattern. Specs repeat patterns, and compiling them is not cheap.
type Seen<'a> = BTreeMap<&'a str, Option<String>>;

fn check(context: &SetContext<'_>, findings: &mut Findings<'_>) {
    let mut seen = Seen::new();
    for (toolset, tool) in context.tools() {
        for parameter in &tool.parameters {
            let Some(pattern) = parameter.keyword("pattern") else {
                continue;
            };
            if let Some((text, why)) = pattern.value.as_str().and_then(|text| refused(text, &mut seen)) {
                findings.report(diagnostic(pattern.span, text, &why));
            }
        }
        for written in schemas::written(tool) {
            written.each(&mut |schema, path| {
                let pattern = schema.get("pattern").and_then(Json::as_str);
                if let Some((text, why)) = pattern.and_then(|text| refused(text, &mut seen)) {
                    let steps = Path::Key(path, "pattern").steps();
                    let span = locate::part(context.sources, toolset, tool, written.value.span, &steps);
                    findings.report(diagnostic(span, text, &why));
                }
            });
        }
    }
}

fn refused<'a>(pattern: &'a str, seen: &mut Seen<'a>) -> Option<(&'a str, String)> {
    let why = seen.entry(pattern).or_insert_with(|| compile_pattern(pattern).err());
    why.clone().map(|why| (pattern, why))
}

fn diagnostic(span: Span, pattern: &str, why: &str) -> Diagnostic {
    let shown = show_text(pattern);
    let Some(syntax) = why.strip_prefix("invalid pattern: ") else {
        return Diagnostic::new(&BAD_PATTERN, span, format!("pattern {shown} cannot be used: {why}"))
            .note("patterns run on any text that a model sends, so matching must take linear time");
    };
    let diagnostic =
        Diagnostic::new(&BAD_PATTERN, span, format!("pattern {shown} is not a regular expression: {syntax}"));
    // In a basic string, TOML itself uses the first backslash.
    if pattern.chars().any(|c| matches!(c, '\u{8}' | '\u{c}')) {
        return diagnostic.help("write it in single quotes, so that TOML keeps the backslashes");
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with, underlined};

    #[test]
    fn patterns_are_found_at_any_depth_and_underlined_alone() {
        let spec = tool_with(
            "[tool.input_schema]\ntype = \"object\"\n[tool.input_schema.properties.a]\nanyOf = [{ pattern = '(' }]\n\
             [tool.input_schema.properties.pattern]\npattern = '(?=x)'\n",
        );
        assert_eq!(underlined(&BAD_PATTERN, &spec), ["'('", "'(?=x)'"]);
    }

    #[test]
    fn a_property_or_value_called_pattern_is_none() {
        let spec = tool_with(
            "input_schema = { type = \"object\", properties = { pattern = { default = { pattern = \"(\" } } } }",
        );
        assert_eq!(found(&BAD_PATTERN, &spec), []);
    }
}
