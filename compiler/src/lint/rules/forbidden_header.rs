use crate::lint::helpers::headers;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds headers that a tool may not set.
    ///
    /// These are the headers of a single connection (`Connection`, `Keep-Alive`, `TE`, `Trailer`,
    /// `Transfer-Encoding`, `Upgrade` and `Proxy-…`), those that follow from the request (`Host`
    /// and `Content-Length`), `Expect`, which delays the body until the upstream responds, and
    /// those of MCP itself (`Mcp-…`).
    ///
    /// ## Why is this bad
    /// Neither a spec nor a caller may decide where a request begins and ends, or which host it is
    /// for. If two programs disagree about that, requests can be smuggled.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { host = "orders.example.com" }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://orders.example.com/orders"
    /// headers = { accept = "application/json" }
    /// ```
    pub FORBIDDEN_HEADER = "MCP0502", "forbidden-header", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for name in headers::names(context.toolset) {
        if let Some((why, help)) = forbidden(&name.value.to_ascii_lowercase()) {
            let message = format!("a tool may not set header `{}`", name.value);
            findings.report(Diagnostic::new(&FORBIDDEN_HEADER, name.span, message).note(why).help(help));
        }
    }
}

/// Why a header is forbidden, and what to do.
fn forbidden(lower_case: &str) -> Option<(&'static str, &'static str)> {
    Some(match lower_case {
        "host" => ("it follows from the URL", "write the host in the endpoint or in the upstream's `url`"),
        "content-length" | "transfer-encoding" | "trailer" => {
            ("it follows from the body, and a wrong value cuts the request short", "remove it")
        }
        "connection" | "keep-alive" | "te" | "upgrade" => {
            ("it belongs to one connection, which many requests share", "remove it")
        }
        "expect" => ("it delays the body until a response that may never come", "remove it"),
        name if name.starts_with("proxy-") => {
            ("it belongs to the next proxy, not to the upstream", "remove it")
        }
        name if name.starts_with("mcp-") => {
            ("`Mcp-` headers are between the client and the edge", "choose another name")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{parameter_with, underlined};

    #[test]
    fn case_does_not_matter_and_parameters_count() {
        for name in
            ["Transfer-Encoding", "KEEP-ALIVE", "proxy-authorization", "Mcp-Session-Id", "te", "Expect"]
        {
            let spec = parameter_with(&format!("wire_name = \"{name}\"\nposition = \"header\""));
            assert_eq!(underlined(&FORBIDDEN_HEADER, &spec), [format!("\"{name}\"")]);
            let query = spec.replace("\"header\"", "\"query\"");
            assert_eq!(underlined(&FORBIDDEN_HEADER, &query), [""; 0]);
        }
    }
}
