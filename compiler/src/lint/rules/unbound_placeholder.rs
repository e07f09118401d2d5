use crate::lint::helpers::placeholders;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::Placeholder;
use mcp_diagnostics::{Applicability, Diagnostic, Edit, Span};

rule! {
    /// ## What it does
    /// Finds placeholders of an endpoint that no parameter has the name of.
    ///
    /// ## Why is this bad
    /// The URL cannot be built, because nothing says what goes in the place of `{name}`.
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
    for placeholder in placeholders::unbound(context.tool) {
        // Otherwise it is a `position-mismatch`.
        if context.tool.parameter(&placeholder.name).is_none() {
            let span = context.sources.inside(endpoint.span, placeholder.range.clone());
            unknown(context, placeholder, span, findings);
        }
    }
}

fn unknown(context: &ToolContext<'_>, placeholder: &Placeholder, span: Span, findings: &mut Findings<'_>) {
    let name = &placeholder.name;
    let message = format!("no path parameter is named `{name}`");
    let diagnostic = Diagnostic::new(&UNBOUND_PLACEHOLDER, span, message);
    let Some(meant) = placeholders::meant(context.tool, placeholder) else {
        // `{id:int}`: types belong in the parameter.
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
}
