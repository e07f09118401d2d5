use crate::lint::helpers::misspelt;
use crate::lint::helpers::urls::{self, SpecUrl};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::EndpointProblem;
use mcp_diagnostics::{Applicability, Diagnostic, Edit, Sources, Span};
use std::ops::Range;

rule! {
    /// ## What it does
    /// Finds endpoints and upstream URLs that are not valid.
    ///
    /// An endpoint is a path that begins with `/`, or an absolute URL. An upstream's URL is
    /// absolute, and has neither query nor placeholder. Characters that are not allowed in a URL
    /// must be percent-encoded.
    ///
    /// ## Why is this bad
    /// Programs repair an invalid URL in different ways, so it would be unclear where the request
    /// goes.
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
        if let (false, Some(location)) = (url.is_upstream, &url.endpoint.location) {
            let span = sources.inside(url.span, 0..location.len());
            let help = "declare an `[upstream.NAME]` with this `url`, and name it in the tool's `upstream`";
            let message = "only the `url` of an upstream can have a variable in its host";
            findings.report(Diagnostic::new(&INVALID_URL, span, message).help(help));
            continue;
        }
        for problem in &url.endpoint.problems {
            if let EndpointProblem::Url { range, message, help } = problem {
                let angled = angled(&url.endpoint.text, range.start).filter(|_| !url.is_upstream);
                if let Some((segment, name)) = angled {
                    findings.report(in_angles(sources.inside(url.span, segment), name));
                    continue;
                }
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

/// The path segment at a place if it is `<id>` or `<int:id>`, as Flask writes placeholders, and the
/// name in it.
fn angled(text: &str, at: usize) -> Option<(Range<usize>, &str)> {
    let start = text.get(..at)?.rfind('/')? + 1;
    let rest = text.get(start..)?;
    let end = start + rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let inner = text.get(start..end)?.strip_prefix('<')?.strip_suffix('>')?;
    let name = inner.rsplit(':').next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    is_name.then_some((start..end, name))
}

fn in_angles(span: Span, name: &str) -> Diagnostic {
    let placeholder = format!("{{{name}}}");
    Diagnostic::new(&INVALID_URL, span, "placeholders are written in braces, not in `<` and `>`")
        .help(format!("write `{placeholder}`"))
        .fix(Applicability::DisplayOnly, vec![Edit { span, text: placeholder }])
}

/// An upstream's URL without a scheme.
fn relative(sources: &Sources, url: &SpecUrl<'_>) -> Diagnostic {
    let text = &url.endpoint.text;
    let diagnostic = Diagnostic::new(&INVALID_URL, url.span, format!("{} must be absolute", whose(url)));
    if let Some(variable) = misspelt::variables(text).into_iter().find(|variable| variable.range.start == 0) {
        let right = format!("${{{}}}", variable.name);
        let span = sources.inside(url.span, variable.range);
        return diagnostic.help(format!("write `{right}`")).replace(span, right);
    }
    let host = text.split('/').next().unwrap_or_default();
    if !host.contains('.') && !host.starts_with("localhost") {
        return diagnostic.help("write `https://host/base/path`");
    }
    let start = sources.inside(url.span, 0..0);
    diagnostic
        .help(format!("write `https://{text}`"))
        .fix(Applicability::DisplayOnly, vec![Edit { span: start, text: "https://".into() }])
}

fn whose(url: &SpecUrl<'_>) -> &'static str {
    match url {
        SpecUrl { is_token: true, .. } => "a token URL",
        SpecUrl { is_server: true, .. } => "an MCP server's URL",
        _ => "an upstream's URL",
    }
}

/// The endpoints of all its tools are appended to an upstream's URL.
fn base_only(sources: &Sources, url: &SpecUrl<'_>, findings: &mut Findings<'_>) {
    let mut report = |range: Range<usize>, what: &str, help: &str| {
        let message = format!("{what} is not allowed in {}", whose(url));
        let diagnostic = Diagnostic::new(&INVALID_URL, sources.inside(url.span, range), message);
        findings.report(match url.is_token {
            true => diagnostic.help("remove it: tokens are asked for before a call is looked at"),
            false if url.is_server => diagnostic.help("write the URL of the server's endpoint, in full"),
            false => diagnostic.note("the tools' endpoints are appended to it").help(help),
        });
    };
    let endpoint = &url.endpoint;
    if let Some(start) = endpoint.template {
        let help = "write it in the tools' endpoints";
        report(start..endpoint.text.len(), "a template", help);
        return;
    }
    if endpoint.query.is_some() && !url.is_token && !url.is_server {
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
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::underlined;
    use mcp_diagnostics::Severity;

    fn upstream(url: &str) -> Vec<String> {
        underlined(
            &INVALID_URL,
            &format!(
                "[upstream.u]\nurl = {url}\n[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"/a\"\nupstream = \"u\"\n"
            ),
        )
    }

    #[test]
    fn a_placeholder_in_angles_is_shown_its_form() {
        let spec = "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example/o/<int:id>/x\"\n\
                    [[tool.parameters]]\nname = \"id\"\nposition = \"path\"\nrequired = true\n";
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let errors: Vec<_> = report.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        let [found] = errors.as_slice() else { panic!("{errors:#?}") };
        assert_eq!(
            (report.sources.text(found.span), found.help.as_deref()),
            ("<int:id>", Some("write `{id}`"))
        );
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
        assert_eq!(upstream("'https://a.example/v1/x{{ .y }}'"), ["x{{ .y }}"]);
        assert_eq!(upstream("'https://{{ .host }}/v1'"), ["{{ .host }}"]);
    }
}
