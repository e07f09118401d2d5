use crate::lint::helpers::{urls, values};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::EndpointProblem;
use mcp_diagnostics::{Applicability, Diagnostic, Edit, suggest};

rule! {
    /// ## What it does
    /// Finds URLs whose scheme is neither `http` nor `https`.
    ///
    /// ## Why is this bad
    /// Tools are HTTP requests. Nothing here can send anything else.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "ftp://api.example.com/orders"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// ```
    pub UNSUPPORTED_SCHEME = "MCP0207", "unsupported-scheme", HardError, Check::Toolset(check);
}

const SCHEMES: [&str; 2] = ["https", "http"];

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for url in urls::all(context.toolset) {
        for problem in &url.endpoint.problems {
            if let EndpointProblem::Scheme { range, scheme } = problem {
                let span = context.sources.inside(url.span, range.clone());
                let message = format!("unsupported scheme {}", values::show_text(scheme));
                let diagnostic = Diagnostic::new(&UNSUPPORTED_SCHEME, span, message)
                    .note("a tool is an HTTP request, so the scheme is `https` or `http`");
                let meant = suggest::nearest(scheme, SCHEMES).filter(|_| scheme.starts_with(['h', 'H']));
                let same = SCHEMES.iter().find(|known| known.eq_ignore_ascii_case(scheme));
                findings.report(match (same, meant) {
                    (Some(same), _) => diagnostic.help(format!("write it as `{same}`")).replace(span, *same),
                    (None, Some(meant)) => diagnostic
                        .help(format!("did you mean `{meant}`?"))
                        .fix(Applicability::DisplayOnly, vec![Edit { span, text: meant.into() }]),
                    (None, None) => diagnostic.help("write an `https://` URL"),
                });
            }
        }
    }
}
