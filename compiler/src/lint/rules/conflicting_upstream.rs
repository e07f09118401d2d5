use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds tools that have both an absolute endpoint and an `upstream`.
    ///
    /// ## Why is this bad
    /// Both say where the request goes, so it is unclear which headers, credentials and limits
    /// apply.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com/v1"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "https://api.example.com/v1/orders"
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
    /// endpoint = "/orders"
    /// ```
    pub CONFLICTING_UPSTREAM = "MCP0208", "conflicting-upstream", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let (Some(upstream), Some(endpoint)) = (&context.tool.upstream, &context.tool.endpoint) else {
        return;
    };
    if !endpoint.value.is_absolute() {
        return;
    }
    let message = format!("`{}` has an `upstream`, but its endpoint is absolute", context.tool.label());
    let diagnostic = Diagnostic::new(&CONFLICTING_UPSTREAM, endpoint.span, message)
        .related(upstream.span, "the upstream is named here");
    let base = context
        .upstream
        .and_then(|upstream| upstream.url.as_ref())
        .map(|url| url.value.text.trim_end_matches('/'));
    let path =
        base.and_then(|base| endpoint.value.text.strip_prefix(base)).filter(|path| path.starts_with('/'));
    findings.report(match path {
        Some(path) => {
            let inside = context.sources.inside(endpoint.span, 0..endpoint.value.text.len());
            diagnostic
                .help(format!("write the path below the upstream's URL: `{path}`"))
                .replace(inside, path)
        }
        None => diagnostic.help("remove `upstream`, or write only the path below the upstream's URL"),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn a_path_below_the_upstream_is_offered_and_any_other_is_not() {
        for (endpoint, fixed) in [
            ("https://a.example/v1/x", Some("/x")),
            ("https://a.example/v10/x", None),
            ("https://b.example/x", None),
        ] {
            let spec = format!(
                "[upstream.u]\nurl = \"https://a.example/v1/\"\n[[tool]]\nname = \"a\"\nmethod = \"GET\"\n\
                 endpoint = \"{endpoint}\"\nupstream = \"u\"\n"
            );
            let report = check_files(&MemoryFiles::one("spec.toml", &spec));
            let found = report.diagnostics.iter().find(|d| d.is(&CONFLICTING_UPSTREAM)).unwrap();
            assert_eq!(found.fix.as_ref().map(|fix| fix.edits[0].text.as_str()), fixed, "{endpoint}");
        }
    }
}
