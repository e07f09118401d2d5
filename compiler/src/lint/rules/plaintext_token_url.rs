use crate::lint::helpers::urls;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_bundle::wire_enums::Scheme;
use mcp_diagnostics::{Applicability, Diagnostic, Edit};

rule! {
    /// ## What it does
    /// Finds a `token_url` with `http` and a host other than this machine.
    ///
    /// ## Why is this bad
    /// The client's secret and every token would go over the network in plain text. Anyone on the
    /// path could use them.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    ///
    /// [upstream.shop.auth]
    /// kind = "oauth2"
    /// token_url = "http://id.example.com/token"
    /// client_id = "edge"
    /// client_secret = "${SHOP_SECRET}"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    ///
    /// [upstream.shop.auth]
    /// kind = "oauth2"
    /// token_url = "https://id.example.com/token"
    /// client_id = "edge"
    /// client_secret = "${SHOP_SECRET}"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    pub PLAINTEXT_TOKEN_URL = "MCP0217", "plaintext-token-url", Error, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for url in urls::all(context.toolset).filter(|url| url.is_token) {
        let origin = url.endpoint.origin.as_ref();
        let Some(origin) = origin.filter(|o| o.scheme == Scheme::Http && !o.is_loopback()) else {
            continue;
        };
        let span = context.sources.inside(url.span, 0.."http".len());
        let message = format!("the client's secret goes to `{}` unencrypted", origin.host);
        findings.report(
            Diagnostic::new(&PLAINTEXT_TOKEN_URL, span, message)
                .note("RFC 6749 requires TLS for it")
                .help("write `https`")
                .fix(Applicability::DisplayOnly, vec![Edit { span, text: "https".into() }]),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::{INVALID_URL, PLAINTEXT_HTTP, URL_USER_INFO};
    use crate::lint::testing::underlined;

    fn spec(url: &str) -> String {
        format!(
            "[upstream.u]\nurl = \"https://a.example\"\n[upstream.u.auth]\nkind = \"oauth2\"\n\
             token_url = \"{url}\"\nclient_id = \"a\"\nclient_secret = \"${{S}}\"\n"
        )
    }

    #[test]
    fn only_this_machine_is_spared() {
        for url in ["http://localhost:1/t", "http://127.0.0.1/t", "https://id.example/t", "${ID}/t"] {
            assert_eq!(underlined(&PLAINTEXT_TOKEN_URL, &spec(url)), [""; 0], "{url}");
        }
        let bad = spec("http://id.example/t");
        assert_eq!(underlined(&PLAINTEXT_TOKEN_URL, &bad), ["http"]);
        assert_eq!(underlined(&PLAINTEXT_HTTP, &bad), [""; 0], "once is enough");
    }

    #[test]
    fn a_token_url_is_a_url_that_stands_alone() {
        for (url, bad) in [
            ("/token", "\"/token\""),
            ("https://id.example/{tenant}/token", "{tenant}"),
            ("https://id.example/a b", " "),
            ("https://id.example:0/t", "id.example:0"),
        ] {
            assert_eq!(underlined(&INVALID_URL, &spec(url)), [bad], "{url}");
        }
        assert_eq!(underlined(&INVALID_URL, &spec("https://id.example/t?v=2")), [""; 0]);
        assert_eq!(underlined(&URL_USER_INFO, &spec("https://a:b@id.example/t")), ["a:b@"]);
    }
}
