//! Checks each template of a tool once, for all rules about templates.

use crate::checked::{CheckedTemplate, CheckedTool, Flaw};
use crate::language::json::Json;
use crate::lint::context::ToolContext;
use crate::lint::findings::Findings;
use crate::lint::rules::{
    AMBIGUOUS_DIALECT, CONSTANT_TEMPLATE, INVALID_VARIABLE, TEMPLATE_SYNTAX, UNKNOWN_TEMPLATE_FUNCTION,
    UNSUPPORTED_TEMPLATE_FEATURE,
};
use crate::spec::{ExampleResponse, TemplateSource};
use crate::template::{Dialect, ErrorKind, TemplateError};
use mcp_bundle::template::Destination;
use mcp_bundle::wire_enums::Method;
use mcp_diagnostics::{Applicability, Diagnostic, Edit};

/// Reports every problem of a tool's templates, each under its own rule.
pub fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if let Some(template) = &context.tool.response_template
        && check_template(context, template, findings) == Some(false)
        && may_have_a_body(context.tool)
    {
        let message = "the template never reads the response, so every call gives the same text";
        findings.report(
            Diagnostic::new(&CONSTANT_TEMPLATE, template.span, message)
                .note("the model cannot see what the upstream said")
                .help(
                    "add fields of the response, such as `{{ .id }}`; if it has no body, add an example with \
                     `response = { status = 204 }`",
                ),
        );
    }
    // An error message may well leave out the details.
    if let Some(template) = &context.tool.error_template {
        check_template(context, template, findings);
    }
    for (_, template) in context.tool.request_templates() {
        check_template(context, template, findings);
    }
}

/// Whether a successful response may have a body. Examples decide; without them, the method does.
fn may_have_a_body(tool: &CheckedTool) -> bool {
    let is_success = |response: &&ExampleResponse| {
        response.status.as_ref().is_none_or(|status| (200..300).contains(&status.value))
    };
    let responses = tool.examples.iter().filter_map(|example| example.response.as_ref());
    let mut has_body = responses.filter(is_success).map(|response| {
        let is_text = response.body.as_ref().is_some_and(|body| body.value != Json::String(String::new()));
        is_text || response.bytes.as_ref().is_some_and(|bytes| !bytes.is_empty())
    });
    let often_empty = [Method::Delete, Method::Put, Method::Patch, Method::Head, Method::Options];
    match has_body.next() {
        Some(first) => first || has_body.any(|has_body| has_body),
        None => !tool.method.as_ref().is_some_and(|method| often_empty.contains(&method.value)),
    }
}

/// Whether a valid template reads its data; `None` if it is invalid or ambiguous.
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
            diagnostic = diagnostic
                .note(format!("it was read as {name}; for the other dialect, write `{{ {other} = \"…\" }}`"));
        }
        if let TemplateSource::File { .. } = spec.source {
            diagnostic =
                diagnostic.related(spec.span, format!("the template of tool `{}`", context.tool.label()));
        }
        findings.report(diagnostic);
    }
}

/// An endpoint and a header are plain strings and cannot name the dialect.
fn is_string(spec: &CheckedTemplate) -> bool {
    matches!(spec.place, Destination::Target | Destination::Header)
}

fn ambiguous(context: &ToolContext<'_>, spec: &CheckedTemplate) -> Diagnostic {
    let message = "both dialects accept this template and read it differently";
    let diagnostic = Diagnostic::new(&AMBIGUOUS_DIALECT, spec.span, message);
    match &spec.source {
        TemplateSource::Inline(_) if is_string(spec) => {
            diagnostic.help("make the dialect clear: `{{ .name }}` is Go, `{{name}}` is Handlebars")
        }
        TemplateSource::Inline(text) => {
            let literal = context.sources.text(text.span);
            let edit = Edit { span: text.span, text: format!("{{ go = {literal} }}") };
            diagnostic
                .help("name the dialect: `{ go = \"…\" }` or `{ handlebars = \"…\" }`")
                .fix(Applicability::DisplayOnly, vec![edit])
        }
        TemplateSource::File { .. } => {
            diagnostic.help("end the file name in `.tmpl` for Go or in `.hbs` for Handlebars")
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
    fn findings_in_a_template_file_are_in_that_file() {
        let mut files =
            MemoryFiles::one("spec.toml", &tool_with("response_template = { file = \"t.tmpl\" }"));
        files.add("t.tmpl", "{{ .a }}\n{{ .b | shout }}");
        let report = check_files(&files);
        let finding = report.diagnostics.iter().find(|d| d.is(&UNKNOWN_TEMPLATE_FUNCTION)).unwrap();
        assert_eq!(report.sources.file(finding.span.file).name, "t.tmpl");
        assert_eq!(report.sources.text(finding.span), "shout");
    }

    #[test]
    fn only_a_response_has_to_be_read() {
        assert_eq!(found(&CONSTANT_TEMPLATE, &tool_with("error_template = \"It failed.\"")), []);
        assert_eq!(found(&CONSTANT_TEMPLATE, &tool_with("response_template = \"Done.\"")).len(), 1);
        assert_eq!(found(&CONSTANT_TEMPLATE, &tool_with("response_template = \"{{ now }} {{ .a }}\"")), []);
        let said = tool_with("response_template = { go = \"{{ now }}\" }");
        assert_eq!(found(&CONSTANT_TEMPLATE, &said).len(), 1);
    }

    #[test]
    fn a_response_without_a_body_has_nothing_to_read() {
        let count = |method: &str, responses: &[&str]| {
            let examples = responses.iter().map(|r| format!("[[tool.examples]]\nresponse = {r}\n"));
            let rest = format!("response_template = \"Deleted.\"\n{}", examples.collect::<String>());
            found(&CONSTANT_TEMPLATE, &tool_with(&rest).replace("POST", method)).len()
        };
        let (empty, blank) = ("{ status = 204 }", "{ body = '' }");
        let (full, bytes) = ("{ body = '{\"id\":1}' }", "{ body_base64 = 'AAEC' }");
        let failed = "{ status = 404, body = 'no' }";
        assert_eq!(count("DELETE", &[]), 0);
        for method in ["POST", "DELETE", "GET"] {
            assert_eq!(count(method, &[empty]), 0, "{method}");
            assert_eq!(count(method, &[empty, blank, failed]), 0, "{method}");
            assert_eq!(count(method, &[empty, full]), 1, "{method}");
            assert_eq!(count(method, &[bytes]), 1, "{method}");
        }
        assert_eq!(count("POST", &[failed]), 1);
        assert_eq!(count("GET", &[]), 1);
    }

    #[test]
    fn a_constant_text_is_never_answered_with_respond() {
        // It would never send the request.
        let report = check_files(&MemoryFiles::one("spec.toml", &tool_with("response_template = \"Done.\"")));
        let help = report.diagnostics[0].help.as_deref().unwrap();
        assert!(!help.contains("respond`") && help.contains("status = 204"), "{help}");
    }
}
