use crate::diagnostic::{Applicability, Diagnostic, Edit};
use crate::lint::urls::{self, SpecUrl};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::source::Sources;
use crate::spec::EndpointProblem;
use std::ops::Range;

rule! {
    /// ## What it does
    /// Finds endpoints and upstream URLs that are not what a request can be sent to.
    ///
    /// An endpoint is a path that begins with `/`, or an absolute URL. An upstream's URL is absolute, and has neither query nor
    /// placeholder. Characters that a URL cannot hold are percent-encoded.
    ///
    /// ## Why is this bad
    /// A URL that has to be repaired on the way is repaired differently by every program it passes through.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/latest orders"
    /// ```
    /// ```toml
    /// [upstream.shop]
    /// url = "api.example.com/v1"
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
    /// url = "https://api.example.com/v1"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/latest%20orders"
    /// ```
    pub INVALID_URL = "MCP0205", "invalid-url", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let sources = context.sources;
    for url in urls::all(context.toolset) {
        if url.is_upstream && !url.endpoint.is_absolute() {
            findings.report(relative(sources, &url));
            continue;
        }
        for problem in &url.endpoint.problems {
            if let EndpointProblem::Url { range, message, help } = problem {
                let span = sources.inside(url.span, range.clone());
                findings
                    .report(Diagnostic::new(&INVALID_URL, span, message.as_str()).maybe_help(help.clone()));
            }
        }
        if url.is_upstream {
            base_only(sources, &url, findings);
        }
    }
}

/// An upstream's URL without a scheme.
fn relative(sources: &Sources, url: &SpecUrl<'_>) -> Diagnostic {
    let text = &url.endpoint.text;
    let diagnostic = Diagnostic::new(&INVALID_URL, url.span, "an upstream's URL must be absolute");
    let host = text.split('/').next().unwrap_or_default();
    if !host.contains('.') && !host.starts_with("localhost") {
        return diagnostic.help("write `https://host/base/path`");
    }
    let start = sources.inside(url.span, 0..0);
    diagnostic
        .help(format!("write `https://{text}`"))
        .fix(Applicability::DisplayOnly, vec![Edit { span: start, text: "https://".into() }])
}

/// An upstream's URL is what the endpoints of all its tools are appended to.
fn base_only(sources: &Sources, url: &SpecUrl<'_>, findings: &mut Findings<'_>) {
    let mut report = |range: Range<usize>, what: &str, help: &str| {
        let message = format!("{what} cannot stand in an upstream's URL");
        findings.report(
            Diagnostic::new(&INVALID_URL, sources.inside(url.span, range), message)
                .note("endpoints of tools are appended to it")
                .help(help),
        );
    };
    let endpoint = &url.endpoint;
    if endpoint.query.is_some() {
        let start = endpoint.text.find('?').unwrap_or_default();
        let end = endpoint.text.find('#').unwrap_or(endpoint.text.len());
        let help = "write it in the tools' endpoints, or as query parameters with `value`";
        report(start..end, "a query", help);
        return;
    }
    let good = endpoint.placeholders.iter().map(|placeholder| placeholder.range.clone());
    let bad = endpoint.problems.iter().filter_map(|problem| match problem {
        EndpointProblem::Placeholder { range, .. } => Some(range.clone()),
        _ => None,
    });
    for range in good.chain(bad) {
        report(range, "a placeholder", "write it in the tools' endpoints");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::underlined;

    fn upstream(url: &str) -> Vec<String> {
        underlined(
            &INVALID_URL,
            &format!(
                "[upstream.u]\nurl = {url}\n[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"/a\"\nupstream = \"u\"\n"
            ),
        )
    }

    #[test]
    fn only_the_bad_part_of_a_url_is_underlined() {
        assert_eq!(upstream("'https://a.example/v1?key=1'"), ["?key=1"]);
        assert_eq!(upstream("'https://a.example/{v}/x/{ y}'"), ["{v}", "{ y}"]);
        assert_eq!(upstream("'https://a.example/a b'"), [" "]);
        assert_eq!(upstream(r#""https://a.example/\u00e9""#), [r"\u00e9"]);
        assert_eq!(upstream("'https://a.example:0/'"), ["a.example:0"]);
        assert_eq!(upstream("'/v1'"), ["'/v1'"]);
        assert_eq!(upstream("'https://a.example/v1'"), [""; 0]);
    }
}
