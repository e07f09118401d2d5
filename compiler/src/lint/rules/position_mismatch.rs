use crate::lint::helpers::{insert, placeholders};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::ParameterSpec;
use mcp_diagnostics::{Applicability, Diagnostic, Edit, Span};

rule! {
    /// ## What it does
    /// Finds placeholders of an endpoint whose parameter goes to another position than the path.
    ///
    /// ## Why is this bad
    /// Only a parameter with `position = "path"` fills a placeholder. This one is sent elsewhere,
    /// so the URL cannot be built.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{orderId}"
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// position = "query"
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
    pub POSITION_MISMATCH = "MCP0309", "position-mismatch", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(endpoint) = &context.tool.endpoint else {
        return;
    };
    for placeholder in placeholders::unbound(context.tool) {
        if let Some(parameter) = context.tool.parameter(&placeholder.name) {
            let span = context.sources.inside(endpoint.span, placeholder.range.clone());
            report(context, parameter, span, findings);
        }
    }
}

fn report(context: &ToolContext<'_>, parameter: &ParameterSpec, span: Span, findings: &mut Findings<'_>) {
    let name = &parameter.name.value;
    let message = match context.tool.position(parameter) {
        Some(position) => format!("parameter `{name}` has position `{position}`, but this is the path"),
        None => format!("parameter `{name}` has no position: only templates use it, but this is the path"),
    };
    let diagnostic = Diagnostic::new(&POSITION_MISMATCH, span, message)
        .note("only a parameter with `position = \"path\"` fills a placeholder");
    findings.report(match &parameter.position {
        Some(position) => diagnostic
            .related(position.span, "its position is set here")
            .help("set `position = \"path\"`, or remove the placeholder")
            .fix(Applicability::DisplayOnly, vec![Edit { span: position.span, text: "\"path\"".into() }]),
        None => {
            let after = parameter.name.span;
            let edit = insert::key(context.sources, parameter.span, after, "position", "\"path\"");
            // There is a `position` that could not be read, and that is reported.
            let Some(edit) = edit else {
                return;
            };
            diagnostic
                .related(after, "it has no `position`")
                .help("add `position = \"path\"`")
                .fix(Applicability::Safe, vec![edit])
        }
    });
}

#[cfg(test)]
mod tests {
    use super::POSITION_MISMATCH;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::found;

    const SPEC: &str = "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example/{id}/{id}\"\n\
                        parameters = [{ name = \"id\", required = true, position = \"header\" }]\n";

    #[test]
    fn the_placeholder_is_underlined_once_and_the_position_is_named() {
        let message = "parameter `id` has position `header`, but this is the path".to_owned();
        assert_eq!(found(&POSITION_MISMATCH, SPEC), [(message, "{id}".to_owned())]);
    }

    #[test]
    fn a_parameter_without_position_gets_one() {
        let spec = SPEC.replace(", position = \"header\"", "").replace("/{id}/{id}", "/{id}");
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        let errors: Vec<_> =
            report.diagnostics.iter().filter(|d| d.severity == mcp_diagnostics::Severity::Error).collect();
        assert_eq!(errors.iter().map(|d| d.name()).collect::<Vec<_>>(), ["position-mismatch"]);
        let edit = &errors[0].fix.as_ref().unwrap().edits[0];
        let mut fixed = spec;
        fixed.replace_range(edit.span.range(), &edit.text);
        assert_eq!(check_files(&MemoryFiles::one("spec.toml", &fixed)).errors(), 0, "{fixed}");
    }
}
