use crate::language::variables::{TextPart, split_variables};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds the secret of an `auth` that is written in the spec.
    ///
    /// A password, a token, an API key and a client secret need a variable. A user name and a client
    /// id may be written out.
    ///
    /// ## Why is this bad
    /// A spec is committed, reviewed and copied, and its values are plain text in the bundle.
    /// `${NAME}` is resolved at the edge and never appears in a bundle, a log or an error.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    ///
    /// [upstream.shop.auth]
    /// kind = "basic"
    /// username = "edge"
    /// password = "correct horse"
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
    /// kind = "basic"
    /// username = "edge"
    /// password = "${SHOP_PASSWORD}"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    pub LITERAL_CREDENTIAL = "MCP0216", "literal-credential", Error, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let auths = context.toolset.upstreams.iter().filter_map(|upstream| upstream.auth.as_ref());
    for text in auths.flat_map(|auth| auth.texts()).filter(|text| text.is_secret) {
        let (parts, problems) = split_variables(&text.text.value);
        // One that is malformed was meant to be one.
        if !problems.is_empty() || parts.iter().any(|part| matches!(part, TextPart::Variable(_))) {
            continue;
        }
        let message = format!("`{}` is written in the spec", text.key);
        findings.report(
            Diagnostic::new(&LITERAL_CREDENTIAL, text.text.span, message)
                .note("specs are committed and copied; rotate any secret that was ever committed")
                .help("use a variable such as `${NAME}`, and set it at the edge")
                .hide_source(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::found;

    fn messages(auth: &str) -> Vec<String> {
        let spec = format!("[upstream.u]\nurl = \"https://a.example\"\n[upstream.u.auth]\n{auth}\n");
        let found = found(&LITERAL_CREDENTIAL, &spec);
        found.into_iter().map(|(message, _)| message).collect()
    }

    #[test]
    fn every_kind_has_a_secret_that_is_a_variable() {
        let server = "token_url = \"https://id.example/t\"\nclient_id = \"edge\"";
        for (auth, key) in [
            ("kind = \"basic\"\nusername = \"u\"\npassword = \"X\"", "password"),
            ("kind = \"bearer\"\ntoken = \"X\"", "token"),
            ("kind = \"api_key\"\nname = \"x-key\"\nvalue = \"X\"", "value"),
            ("kind = \"api_key\"\nname = \"key\"\nin = \"query\"\nvalue = \"X\"", "value"),
            (&format!("kind = \"oauth2\"\n{server}\nclient_secret = \"X\""), "client_secret"),
            (&format!("kind = \"exchange\"\n{server}\nclient_secret = \"X\""), "client_secret"),
        ] {
            let literal = auth.replace("\"X\"", "\"hunter2\"");
            assert_eq!(messages(&literal), [format!("`{key}` is written in the spec")], "{auth}");
            for good in ["\"${X}\"", "\"a-${X}\"", "\"${1}\""] {
                assert_eq!(messages(&auth.replace("\"X\"", good)), [""; 0], "{auth}");
            }
        }
    }
}
