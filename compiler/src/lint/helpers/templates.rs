//! Checks the templates of a tool, each once, for all rules about templates.

use crate::checked::{CheckedTemplate, Flaw};
use crate::lint::context::ToolContext;
use crate::lint::findings::Findings;
use crate::lint::rules::{
    AMBIGUOUS_DIALECT, CONSTANT_TEMPLATE, INVALID_VARIABLE, TEMPLATE_SYNTAX, UNKNOWN_TEMPLATE_FUNCTION,
    UNSUPPORTED_TEMPLATE_FEATURE,
};
use crate::spec::TemplateSource;
use crate::template::{Dialect, ErrorKind, TemplateError};
use mcp_bundle::template::Destination;
use mcp_diagnostics::{Applicability, Diagnostic, Edit};

/// Reports all that is wrong with a tool's templates, each under its own rule.
pub fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if let Some(template) = &context.tool.response_template
        && check_template(context, template, findings) == Some(false)
    {
        let message = "the template never reads the answer, so every call gives the same text";
        findings.report(
            Diagnostic::new(&CONSTANT_TEMPLATE, template.span, message)
                .note("a model cannot tell from it what the upstream said")
                .help("put in what matters of the answer, or write `respond` for a tool without upstream"),
        );
    }
    // An error may well be worded without its details.
    if let Some(template) = &context.tool.error_template {
        check_template(context, template, findings);
    }
    for (_, template) in context.tool.request_templates() {
        check_template(context, template, findings);
    }
}

/// Whether a sound template reads its data; `None` if it is not sound or could mean two things.
fn check_template(
    context: &ToolContext<'_>,
    spec: &CheckedTemplate,
    findings: &mut Findings<'_>,
) -> Option<bool> {
    match spec.outcome() {
        Ok(compiled) => return Some(compiled.reads_data),
        Err(Flaw::Ambiguous(_)) => findings.report(ambiguous(context, spec)),
        Err(Flaw::Errors { dialect, guessed, errors }) => {
            report_errors(context, spec, *dialect, *guessed, errors, findings);
        }
    }
    None
}

fn report_errors(
    context: &ToolContext<'_>,
    spec: &CheckedTemplate,
    dialect: Dialect,
    guessed: bool,
    errors: &[TemplateError],
    findings: &mut Findings<'_>,
) {
    let (name, other) = match dialect {
        Dialect::Go => ("a Go template", "handlebars"),
        Dialect::Handlebars => ("a Handlebars template", "go"),
    };
    for error in errors {
        let rule = match error.kind {
            ErrorKind::Syntax => &TEMPLATE_SYNTAX,
            ErrorKind::UnknownFunction => &UNKNOWN_TEMPLATE_FUNCTION,
            ErrorKind::Unsupported | ErrorKind::TooComplex => &UNSUPPORTED_TEMPLATE_FEATURE,
            ErrorKind::Variable => &INVALID_VARIABLE,
        };
        let span = spec.locate(context.sources, error.span.clone());
        let mut diagnostic =
            Diagnostic::new(rule, span, error.message.clone()).maybe_help(error.help.clone());
        if guessed && is_string(spec) {
            diagnostic = diagnostic.note(format!("it was read as {name}"));
        } else if guessed {
            diagnostic = diagnostic.note(format!(
                "it was read as {name}; to have it read otherwise, write `{{ {other} = \"…\" }}`"
            ));
        }
        if let TemplateSource::File { .. } = spec.source {
            diagnostic =
                diagnostic.related(spec.span, format!("the template of tool `{}`", context.tool.label()));
        }
        findings.report(diagnostic);
    }
}

/// An endpoint and a header are plain strings, in which nothing can say the dialect.
fn is_string(spec: &CheckedTemplate) -> bool {
    matches!(spec.place, Destination::Target | Destination::Header)
}

fn ambiguous(context: &ToolContext<'_>, spec: &CheckedTemplate) -> Diagnostic {
    let message = "both dialects accept this template and read it differently";
    let diagnostic = Diagnostic::new(&AMBIGUOUS_DIALECT, spec.span, message);
    match &spec.source {
        TemplateSource::Inline(_) if is_string(spec) => diagnostic
            .help("write it so that only one can be meant: `{{ .name }}` is Go, `{{name}}` is Handlebars"),
        TemplateSource::Inline(text) => {
            let literal = context.sources.text(text.span);
            let edit = Edit { span: text.span, text: format!("{{ go = {literal} }}") };
            diagnostic
                .help("say which one is meant: `{ go = \"…\" }` or `{ handlebars = \"…\" }`")
                .fix(Applicability::DisplayOnly, vec![edit])
        }
        TemplateSource::File { .. } => {
            diagnostic.help("let the file's name end in `.tmpl` for Go or in `.hbs` for Handlebars")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::{found, tool_with, underlined};

    #[test]
    fn the_place_inside_the_template_is_underlined() {
        let spec = tool_with("response_template = \"\"\"\n\\u00e9 {{ .a | shout }}\n\"\"\"");
        assert_eq!(underlined(&UNKNOWN_TEMPLATE_FUNCTION, &spec), ["shout"]);
        let spec = tool_with("error_template = { handlebars = '{{a}} {{> part}}' }");
        assert_eq!(underlined(&UNSUPPORTED_TEMPLATE_FEATURE, &spec).len(), 1);
    }

    #[test]
    fn findings_in_a_template_file_stand_in_that_file() {
        let mut files =
            MemoryFiles::one("spec.toml", &tool_with("response_template = { file = \"t.tmpl\" }"));
        files.add("t.tmpl", "{{ .a }}\n{{ .b | shout }}");
        let report = check_files(&files);
        let finding = report.diagnostics.iter().find(|d| d.is(&UNKNOWN_TEMPLATE_FUNCTION)).unwrap();
        assert_eq!(report.sources.file(finding.span.file).name, "t.tmpl");
        assert_eq!(report.sources.text(finding.span), "shout");
    }

    #[test]
    fn only_an_answer_has_to_be_read() {
        assert_eq!(found(&CONSTANT_TEMPLATE, &tool_with("error_template = \"It failed.\"")), []);
        assert_eq!(found(&CONSTANT_TEMPLATE, &tool_with("response_template = \"Done.\"")).len(), 1);
        assert_eq!(found(&CONSTANT_TEMPLATE, &tool_with("response_template = \"{{ now }} {{ .a }}\"")), []);
        let said = tool_with("response_template = { go = \"{{ now }}\" }");
        assert_eq!(found(&CONSTANT_TEMPLATE, &said).len(), 1);
    }
}
