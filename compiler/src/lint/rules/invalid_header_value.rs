use crate::checked::CheckedTool;
use crate::lint::helpers::{allowed, headers, nested};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::{Header, ParameterSpec};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds fixed header values, and values in the `enum` of a header parameter, that have control
    /// characters, characters beyond ASCII, or more than 8 KiB. It also finds templates in the
    /// headers of an upstream.
    ///
    /// ## Why is this bad
    /// A line break in a value starts another header. Proxies read other bytes differently, or
    /// refuse them. A call with such a value is refused.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { x-client = "shop\nx-admin: true" }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "x-city"
    /// position = "header"
    /// enum = ["Paris", "Zürich"]
    /// ```
    ///
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    /// headers = { x-region = "{{ .region }}" }
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// [[tool.parameters]]
    /// name = "region"
    /// position = "query"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { x-client = "shop" }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { x-region = "{{ .region }}" }
    /// [[tool.parameters]]
    /// name = "region"
    /// ```
    pub INVALID_HEADER_VALUE = "MCP0503", "invalid-header-value", HardError, Check::Toolset(check);
}

const MAX_BYTES: usize = 8 * 1024;

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for header in context.toolset.upstreams.iter().flat_map(|upstream| &upstream.headers) {
        check_upstream(context, header, findings);
    }
    // The text of a template is checked when it is compiled.
    for header in headers::fixed(context.toolset).filter(|header| header.template.is_none()) {
        check_value(context, &header.name.value, &header.value.value, header.value.span, findings);
    }
    for tool in &context.toolset.tools {
        for parameter in headers::at(tool, Position::Header) {
            for json in [&parameter.value, &parameter.default].into_iter().flatten() {
                for nested in nested::texts(json) {
                    let span = nested.span(context.sources, context.toolset, tool, json.span);
                    check_value(context, &parameter.wire_name().value, nested.text, span, findings);
                }
            }
            check_allowed(context, tool, parameter, findings);
        }
    }
}

/// Nothing in an upstream can depend on arguments.
fn check_upstream(context: &ToolsetContext<'_>, header: &Header, findings: &mut Findings<'_>) {
    let value = &header.value.value;
    let Some(start) = value.find("{{") else {
        return;
    };
    let length =
        value.get(start..).and_then(|rest| rest.find("}}")).map_or(value.len() - start, |end| end + 2);
    let span = context.sources.inside(header.value.span, start..start + length);
    let message = format!("header `{}` of an upstream cannot be a template", header.name.value);
    findings.report(
        Diagnostic::new(&INVALID_HEADER_VALUE, span, message)
            .note("an upstream's headers are the same for every tool and cannot read arguments")
            .help("move the header to the tools that need it, or use `${NAME}` for a value that is set at the edge"),
    );
}

/// The first value that a caller may choose but that can never be sent.
fn check_allowed(
    context: &ToolsetContext<'_>,
    tool: &CheckedTool,
    parameter: &ParameterSpec,
    findings: &mut Findings<'_>,
) {
    let is_bad = |text: &str| text.chars().any(|c| c != '\t' && !matches!(c, ' '..='~'));
    let found = allowed::of(tool, parameter).find_map(|value| {
        value
            .value
            .as_str()
            .filter(|text| is_bad(text))
            .map(|text| (text, value.span(context.sources, context.toolset)))
    });
    if let Some((text, span)) = found {
        check_value(context, &parameter.wire_name().value, text, span, findings);
    }
}

fn check_value(
    context: &ToolsetContext<'_>,
    name: &str,
    value: &str,
    span: Span,
    findings: &mut Findings<'_>,
) {
    let bad = value.char_indices().find(|(_, c)| c.is_control() || !c.is_ascii());
    let diagnostic = if let Some((at, c)) = bad {
        let place = context.sources.inside(span, at..at + c.len_utf8());
        let (what, why, help) = match c {
            '\r' | '\n' => {
                let help = if value.trim_end_matches(['\r', '\n']).len() <= at {
                    "end the value before the line break"
                } else {
                    "write the value on one line"
                };
                ("a line break".to_owned(), "a line break starts another header", help)
            }
            c if c.is_control() => {
                let what = format!("the control character U+{:04X}", u32::from(c));
                (what, "proxies drop or refuse it", "remove it")
            }
            c => {
                let help = "write it in ASCII, for example percent-encoded if the upstream decodes that";
                (format!("`{c}`"), "HTTP does not define characters beyond ASCII in a header", help)
            }
        };
        let message = format!("the value of header `{name}` contains {what}");
        Diagnostic::new(&INVALID_HEADER_VALUE, place, message).note(why).help(help)
    } else if value.len() > MAX_BYTES {
        let message =
            format!("the value of header `{name}` has {} bytes, and the limit is {MAX_BYTES}", value.len());
        Diagnostic::new(&INVALID_HEADER_VALUE, span, message)
    } else {
        return;
    };
    findings.report(diagnostic);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with, tool_with, underlined};

    #[test]
    fn the_first_bad_character_is_underlined() {
        let header = |value: &str| {
            underlined(&INVALID_HEADER_VALUE, &tool_with(&format!("headers = {{ x = {value} }}")))
        };
        assert_eq!(header(r#""a\r\nb""#), [r"\r"]);
        assert_eq!(header(r#""a\u0000""#), [r"\u0000"]);
        assert_eq!(header("'naïve'"), ["ï"]);
        assert_eq!(header("'plain ~ text'"), [""; 0]);
        assert_eq!(header(&format!("'{}'", "x".repeat(MAX_BYTES))), [""; 0]);
        assert_eq!(header(&format!("'{}'", "x".repeat(MAX_BYTES + 1))).len(), 1);
    }

    #[test]
    fn constants_and_defaults_of_header_parameters_count() {
        let spec = parameter_with("position = \"header\"\nvalue = \"a\\nb\"");
        let found = found(&INVALID_HEADER_VALUE, &spec);
        assert_eq!(found, [("the value of header `p` contains a line break".into(), "\\n".into())]);
        let body = parameter_with("value = \"a\\nb\"");
        assert_eq!(underlined(&INVALID_HEADER_VALUE, &body), [""; 0]);
    }

    #[test]
    fn values_that_a_caller_may_choose_must_be_ones_that_can_be_sent() {
        let own = |values: &str| parameter_with(&format!("position = \"header\"\nenum = [{values}]"));
        assert_eq!(underlined(&INVALID_HEADER_VALUE, &own("'a b', 'é', 'ü'")), ["é"]);
        assert_eq!(underlined(&INVALID_HEADER_VALUE, &own("\"a\\u007f\"")), ["\\u007f"]);
        assert_eq!(underlined(&INVALID_HEADER_VALUE, &own("'', '~', \"a\\tb\"")), [""; 0]);
        let schema = tool_with(
            "input_schema = { properties = { p = { enum = [\"a\", \"é\"] } } }\n\
             [[tool.parameters]]\nname = \"p\"\nposition = \"header\"",
        );
        assert_eq!(underlined(&INVALID_HEADER_VALUE, &schema), ["é"]);
        assert_eq!(underlined(&INVALID_HEADER_VALUE, &schema.replace("\"header\"", "\"query\"")), [""; 0]);
    }
}
