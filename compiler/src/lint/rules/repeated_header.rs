use crate::checked::CheckedTool;
use crate::lint::helpers::headers;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::{Header, UpstreamSpec};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds a header that is set twice for one request.
    ///
    /// Header names ignore case. A tool's header may replace its upstream's, but a parameter may
    /// replace neither.
    ///
    /// ## Why is this bad
    /// With two values, some upstreams use the first, some the last, and some refuse the request. A
    /// caller's argument could then replace a fixed header.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { accept = "application/json", Accept = "text/plain" }
    /// ```
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    /// headers = { x-tenant = "main" }
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    ///
    /// [[tool.parameters]]
    /// name = "tenant"
    /// wire_name = "X-Tenant"
    /// position = "header"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    /// headers = { accept = "application/json" }
    ///
    /// [[tool]]
    /// name = "get_invoice"
    /// description = "The latest invoice as a document."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/invoice"
    /// headers = { accept = "text/plain" }
    /// ```
    pub REPEATED_HEADER = "MCP0504", "repeated-header", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let toolset = context.toolset;
    for upstream in &toolset.upstreams {
        in_one_table(&upstream.headers, findings);
    }
    for tool in &toolset.tools {
        in_one_table(&tool.headers, findings);
        let name = tool.upstream.as_ref();
        let upstream = name.and_then(|name| toolset.upstreams.iter().find(|u| u.name.value == name.value));
        by_parameter(tool, upstream, findings);
        beside_cookies(tool, upstream, findings);
    }
}

fn in_one_table(table: &[Header], findings: &mut Findings<'_>) {
    for (index, header) in table.iter().enumerate() {
        let name = &header.name;
        let mut earlier = table.iter().take(index);
        if let Some(first) = earlier.find(|other| other.name.value.eq_ignore_ascii_case(&name.value)) {
            let message = format!("header `{}` is set twice", name.value);
            findings.report(
                Diagnostic::new(&REPEATED_HEADER, name.span, message)
                    .related(first.name.span, "first set here")
                    .help("keep one of the two"),
            );
        }
    }
}

/// The fixed headers of a tool's requests, its own first.
fn fixed<'a>(tool: &'a CheckedTool, upstream: Option<&'a UpstreamSpec>) -> impl Iterator<Item = &'a Header> {
    tool.headers.iter().chain(upstream.into_iter().flat_map(|upstream| &upstream.headers))
}

fn by_parameter(tool: &CheckedTool, upstream: Option<&UpstreamSpec>, findings: &mut Findings<'_>) {
    for parameter in headers::at(tool, Position::Header) {
        let wire_name = parameter.wire_name();
        let same = |header: &&Header| header.name.value.eq_ignore_ascii_case(&wire_name.value);
        if let Some(header) = fixed(tool, upstream).find(same) {
            let message = format!(
                "parameter `{}` sets header `{}`, which is fixed",
                parameter.name.value, header.name.value
            );
            findings.report(
                Diagnostic::new(&REPEATED_HEADER, wire_name.span, message)
                    .related(header.name.span, "fixed here")
                    .help("remove one of the two; a parameter with a `default` can replace both"),
            );
        }
    }
}

/// All cookies go into one header, so nothing else may set it.
fn beside_cookies(tool: &CheckedTool, upstream: Option<&UpstreamSpec>, findings: &mut Findings<'_>) {
    let Some(cookie) = headers::at(tool, Position::Cookie).next() else {
        return;
    };
    let parameters = headers::at(tool, Position::Header).map(|parameter| parameter.wire_name());
    let mut names = fixed(tool, upstream).map(|header| &header.name).chain(parameters);
    if let Some(name) = names.find(|name| name.value.eq_ignore_ascii_case("cookie")) {
        let message =
            format!("header `{}` is set beside cookie parameter `{}`", name.value, cookie.name.value);
        findings.report(
            Diagnostic::new(&REPEATED_HEADER, name.span, message)
                .related(cookie.name.span, "this parameter is sent in the same header")
                .help("make each cookie a parameter with `position = \"cookie\"` and, if it is fixed, a `value`"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{parameter_with, underlined};

    #[test]
    fn a_parameter_may_not_set_what_the_tool_fixes() {
        let spec = |wire: &str, position: &str| {
            parameter_with(&format!("wire_name = \"{wire}\"\nposition = \"{position}\"")).replace(
                "[[tool.parameters]]",
                "headers = { x-a = \"1\", cookie = \"b=1\" }\n[[tool.parameters]]",
            )
        };
        assert_eq!(underlined(&REPEATED_HEADER, &spec("X-A", "header")), ["\"X-A\""]);
        assert_eq!(underlined(&REPEATED_HEADER, &spec("X-A", "query")), [""; 0]);
        assert_eq!(underlined(&REPEATED_HEADER, &spec("x-b", "header")), [""; 0]);
        assert_eq!(underlined(&REPEATED_HEADER, &spec("session", "cookie")), ["cookie"]);
    }
}
