use crate::lint::helpers::placeholders;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds path parameters whose placeholder is not in the endpoint.
    ///
    /// ## Why is this bad
    /// The caller passes a value that is never sent, so the request is not the one that the caller
    /// expects.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
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
    pub UNUSED_PATH_PARAMETER = "MCP0302", "unused-path-parameter", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let (sources, tool) = (context.sources, context.tool);
    let Some(endpoint) = &tool.endpoint else {
        return;
    };
    // The malformed placeholder is reported. That its parameter has none follows from it.
    if placeholders::has_malformed(tool) {
        return;
    }
    let unbound = endpoint.value.placeholders.iter().filter(|p| placeholders::bound(tool, p).is_none());
    let misspelt: Vec<&str> =
        unbound.filter_map(|p| Some(placeholders::meant(tool, p)?.name.value.as_str())).collect();
    for parameter in placeholders::path_parameters(tool) {
        let name = &parameter.name.value;
        let foreign = placeholders::foreign(tool, name);
        // `<id>` is `invalid-url`.
        if foreign
            .as_ref()
            .is_some_and(|range| endpoint.value.text.get(range.clone()).is_some_and(|s| s.starts_with('<')))
        {
            continue;
        }
        if placeholders::is_placed(tool, name) || misspelt.contains(&name.as_str()) {
            continue;
        }
        let message = format!("path parameter `{name}` has no placeholder in the endpoint");
        let diagnostic = Diagnostic::new(&UNUSED_PATH_PARAMETER, parameter.name.span, message);
        findings.report(match foreign {
            Some(range) => {
                let span = sources.inside(endpoint.span, range);
                diagnostic
                    .related(span, "this is plain text, not a placeholder")
                    .help(format!("write `{{{name}}}`"))
                    .replace(span, format!("{{{name}}}"))
            }
            None => diagnostic.related(endpoint.span, "the endpoint").help(format!(
                "write `{{{name}}}` where it belongs, or give the parameter another `position`"
            )),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn a_colon_segment_becomes_a_placeholder() {
        let spec = "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example/:idx/:id?x=1\"\n\
                    [[tool.parameters]]\nname = \"id\"\nposition = \"path\"\nrequired = true\n";
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let found = report.diagnostics.iter().find(|d| d.is(&UNUSED_PATH_PARAMETER)).unwrap();
        let edit = &found.fix.as_ref().unwrap().edits[0];
        assert_eq!((report.sources.text(edit.span), edit.text.as_str()), (":id", "{id}"));
    }
}
