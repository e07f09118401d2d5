use crate::lint::helpers::placeholders;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::EndpointProblem;
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds braces in an endpoint that are not a placeholder.
    ///
    /// A placeholder is `{name}`, with exactly the name of a path parameter. Queries have no
    /// placeholders: declare a query parameter with `position = "query"`.
    ///
    /// ## Why is this bad
    /// The upstream would get the braces themselves.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{ orderId }"
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// position = "path"
    /// required = true
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{orderId}"
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// position = "path"
    /// required = true
    /// ```
    pub MALFORMED_PLACEHOLDER = "MCP0304", "malformed-placeholder", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(endpoint) = &context.tool.endpoint else {
        return;
    };
    let text = &endpoint.value.text;
    let query_start = text.find('?').unwrap_or(text.len());
    for problem in &endpoint.value.problems {
        let EndpointProblem::Placeholder { range, message, help } = problem else {
            continue;
        };
        let span = context.sources.inside(endpoint.span, range.clone());
        let diagnostic = Diagnostic::new(&MALFORMED_PLACEHOLDER, span, message.as_str());
        // `{ id }` and `${id}` mean `{id}` if there is such a path parameter.
        let written = text.get(range.clone()).unwrap_or_default();
        let braced = written.strip_prefix('$').unwrap_or(written);
        let name = braced.trim_matches(|c: char| c.is_whitespace() || "{}.".contains(c));
        // One without a position may be meant for the path. It is reported once the placeholder is
        // valid.
        let unplaced = context.tool.parameters.iter().filter(|parameter| parameter.position.is_none());
        let mut path = placeholders::path_parameters(context.tool).chain(unplaced);
        let is_meant = braced.starts_with('{') && braced.ends_with('}') && range.end <= query_start;
        findings.report(if is_meant && path.any(|parameter| parameter.name.value == name) {
            diagnostic.help(format!("write `{{{name}}}`")).replace(span, format!("{{{name}}}"))
        } else {
            diagnostic.maybe_help(help.clone())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn a_parameter_without_a_position_is_meant_too() {
        let spec = "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example/{ id }\"\n\
                    [[tool.parameters]]\nname = \"id\"\nrequired = true\n";
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let errors = report.diagnostics.iter().filter(|d| d.severity == mcp_diagnostics::Severity::Error);
        let helps: Vec<_> = errors.map(|d| (d.name(), d.help.as_deref())).collect();
        assert_eq!(helps, [("malformed-placeholder", Some("write `{id}`"))]);
    }

    #[test]
    fn what_clearly_means_a_path_parameter_is_fixed() {
        for (endpoint, edit) in [
            ("/a/{ id }", Some(("{ id }", "{id}"))),
            ("/a/{ other }", None),
            ("/a/${id}", Some(("${id}", "{id}"))),
            ("/a/${ID}", None),
            ("/a?q={id}", None),
        ] {
            let spec = format!(
                "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example{endpoint}\"\n\
                 [[tool.parameters]]\nname = \"id\"\nposition = \"path\"\nrequired = true\n"
            );
            let report = check_files(&MemoryFiles::one("spec.toml", &spec));
            let found = report.diagnostics.iter().find(|d| d.is(&MALFORMED_PLACEHOLDER)).unwrap();
            let fix = found.fix.as_ref().map(|fix| &fix.edits[0]);
            assert_eq!(fix.map(|e| (report.sources.text(e.span), e.text.as_str())), edit, "{endpoint}");
        }
    }
}
