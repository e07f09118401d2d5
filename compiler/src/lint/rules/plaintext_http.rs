use crate::lint::helpers::urls;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_bundle::wire_enums::Scheme;
use mcp_diagnostics::{Applicability, Diagnostic, Edit};

rule! {
    /// ## What it does
    /// Finds `http` URLs of hosts other than this machine.
    ///
    /// ## Why is this bad
    /// Anyone on the network path can read and change requests and responses, including
    /// credentials.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "http://api.example.com/orders"
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
    /// [[tool]]
    /// name = "list_test_orders"
    /// description = "The orders of a shop on this machine."
    /// method = "GET"
    /// endpoint = "http://localhost:8000/orders"
    /// ```
    pub PLAINTEXT_HTTP = "MCP0212", "plaintext-http", Warning, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    // A token URL has a rule of its own, as it always gets a secret.
    for url in urls::all(context.toolset).filter(|url| !url.is_token) {
        let origin = url.endpoint.origin.as_ref();
        let Some(origin) = origin.filter(|o| o.scheme == Scheme::Http && !o.is_loopback()) else {
            continue;
        };
        let span = context.sources.inside(url.span, 0.."http".len());
        let message = format!("requests to `{}` are not encrypted", origin.host);
        findings.report(
            Diagnostic::new(&PLAINTEXT_HTTP, span, message)
                .note("anyone on the network path can read and change them, including credentials")
                .help("write `https` if the host supports it")
                .fix(Applicability::DisplayOnly, vec![Edit { span, text: "https".into() }]),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::underlined;

    #[test]
    fn only_this_machine_is_spared() {
        let spec = |host: &str| format!("[upstream.u]\nurl = \"http://{host}/v1\"\n");
        for host in ["localhost", "api.localhost:80", "127.0.0.1:3000", "127.9.9.9", "[::1]:3000"] {
            assert_eq!(underlined(&PLAINTEXT_HTTP, &spec(host)), [""; 0], "{host}");
        }
        for host in ["a.example", "localhost.a.example", "10.0.0.1", "0.0.0.0", "[fe80::1]"] {
            assert_eq!(underlined(&PLAINTEXT_HTTP, &spec(host)), ["http"], "{host}");
        }
    }
}
