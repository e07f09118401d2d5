use crate::lint::helpers::{insert, placeholders};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::{ParameterSpec, Placeholder};
use mcp_diagnostics::{Applicability, Diagnostic, Edit, Span};

rule! {
    /// ## What it does
    /// Finds placeholders of an endpoint that no path parameter fills.
    ///
    /// ## Why is this bad
    /// The request could not be built: nothing says what stands in the place of `{name}`.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{ordreId}"
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// position = "path"
    /// required = true
    /// ```
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
    pub UNBOUND_PLACEHOLDER = "MCP0301", "unbound-placeholder", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let Some(endpoint) = &context.tool.endpoint else {
        return;
    };
    let all = &endpoint.value.placeholders;
    for (index, placeholder) in all.iter().enumerate() {
        let again = all.iter().take(index).any(|earlier| earlier.name == placeholder.name);
        if again || placeholders::bound(context.tool, placeholder).is_some() {
            continue;
        }
        let span = context.sources.inside(endpoint.span, placeholder.range.clone());
        if let Some(parameter) = context.tool.parameter(&placeholder.name) {
            elsewhere(context, parameter, span, findings);
        } else {
            unknown(context, placeholder, span, findings);
        }
    }
}

/// There is such a parameter, but it goes to another place.
fn elsewhere(context: &ToolContext<'_>, parameter: &ParameterSpec, span: Span, findings: &mut Findings<'_>) {
    let name = &parameter.name.value;
    let message = match context.tool.position(parameter) {
        Some(position) => format!("parameter `{name}` exists, but its position is `{position}`"),
        None => format!("parameter `{name}` exists, but only templates say where it goes"),
    };
    let diagnostic = Diagnostic::new(&UNBOUND_PLACEHOLDER, span, message)
        .note("only a parameter with `position = \"path\"` fills a placeholder");
    findings.report(match &parameter.position {
        Some(position) => diagnostic
            .related(position.span, "its position is set here")
            .help("set `position = \"path\"`, or remove the placeholder")
            .fix(Applicability::DisplayOnly, vec![Edit { span: position.span, text: "\"path\"".into() }]),
        None => {
            let after = parameter.name.span;
            let edit = insert::key(context.sources, parameter.span, after, "position", "\"path\"");
            // It is written, but not understood: that is reported already.
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

fn unknown(context: &ToolContext<'_>, placeholder: &Placeholder, span: Span, findings: &mut Findings<'_>) {
    let name = &placeholder.name;
    let message = format!("no path parameter is named `{name}`");
    let diagnostic = Diagnostic::new(&UNBOUND_PLACEHOLDER, span, message);
    let Some(meant) = placeholders::meant(context.tool, placeholder) else {
        // `{id:int}`: types stand in the parameter.
        let plain = name.split(':').next().filter(|plain| !plain.is_empty()).unwrap_or(name);
        let write = if plain == name { String::new() } else { format!("write `{{{plain}}}`, and ") };
        let declare = format!("declare a parameter with `name = \"{plain}\"`");
        let help = match context.tool.input_schema {
            None => format!("{write}{declare}, `position = \"path\"` and `required = true`"),
            Some(_) => format!(
                "{write}{declare} and `position = \"path\"`, and a property that `input_schema` requires"
            ),
        };
        findings.report(diagnostic.help(help));
        return;
    };
    let right = &meant.name.value;
    let mut diagnostic = diagnostic.related(meant.name.span, "this path parameter has no placeholder");
    if meant.wire_name().value == *name {
        diagnostic = diagnostic.note("a placeholder is the `name` of a parameter, not its `wire_name`");
    }
    findings.report(
        diagnostic
            .help(format!("did you mean `{{{right}}}`?"))
            .fix(Applicability::DisplayOnly, vec![Edit { span, text: format!("{{{right}}}") }]),
    );
}

#[cfg(test)]
mod tests {
    use super::UNBOUND_PLACEHOLDER;
    use crate::check::{MemoryFiles, check_files};

    fn help(rest: &str) -> String {
        let spec = format!("[[tool]]\nname = \"a\"\nmethod = \"GET\"\n{rest}\n");
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        report.diagnostics.into_iter().find(|d| d.is(&UNBOUND_PLACEHOLDER)).unwrap().help.unwrap()
    }

    #[test]
    fn a_type_in_a_placeholder_is_taken_out() {
        let typed = "endpoint = \"https://a.example/{id:int}\"";
        assert!(help(typed).starts_with("write `{id}`, and declare a parameter with `name = \"id\"`"));
        let parameter = "parameters = [{ name = \"id\", position = \"path\", required = true }]";
        assert_eq!(help(&format!("{typed}\n{parameter}")), "did you mean `{id}`?");
    }

    #[test]
    fn beside_an_input_schema_the_schema_says_what_is_required() {
        let help = help("endpoint = \"https://a.example/{id}\"\ninput_schema = { type = \"object\" }");
        assert!(!help.contains("required = true") && help.contains("`input_schema` requires"), "{help}");
    }

    #[test]
    fn a_parameter_without_position_gets_one() {
        let spec = "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example/{id}\"\n\
                    parameters = [{ name = \"id\", required = true }]\n";
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let errors: Vec<_> =
            report.diagnostics.iter().filter(|d| d.severity == mcp_diagnostics::Severity::Error).collect();
        assert_eq!(errors.iter().map(|d| d.name()).collect::<Vec<_>>(), ["unbound-placeholder"]);
        let edit = &errors[0].fix.as_ref().unwrap().edits[0];
        let mut fixed = spec.to_owned();
        fixed.replace_range(edit.span.range(), &edit.text);
        assert_eq!(check_files(&MemoryFiles::one("spec.toml", &fixed)).errors(), 0, "{fixed}");
    }
}
