use crate::lint::helpers::urls;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::EndpointProblem;
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds a user name or a password in a URL.
    ///
    /// ## Why is this bad
    /// The part before the `@` is a credential in plain text. It would be in the bundle, and it
    /// would not be sent: credentials belong in the `authorization` header.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://robot:secret@api.example.com/orders"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { authorization = "Basic ${SHOP_LOGIN}" }
    /// ```
    pub URL_USER_INFO = "MCP0206", "url-user-info", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for url in urls::all(context.toolset) {
        for problem in &url.endpoint.problems {
            if let EndpointProblem::UserInfo { range } = problem {
                let span = context.sources.inside(url.span, range.clone());
                findings.report(
                    Diagnostic::new(&URL_USER_INFO, span, "a URL must not contain a user name or password")
                        .note("it would be plain text in the bundle, and it would not be sent")
                        .help("remove it, and set a header `authorization = \"Basic ${NAME}\"`"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::found;

    #[test]
    fn the_password_is_underlined_but_never_repeated() {
        let spec = "[upstream.u]\nurl = \"https://me:hunter2@a.example/\"\n";
        let found = found(&URL_USER_INFO, spec);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, "me:hunter2@");
        assert!(!found[0].0.contains("hunter2"));
    }
}
