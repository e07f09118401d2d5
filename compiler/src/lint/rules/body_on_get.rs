use crate::diagnostic::{Applicability, Diagnostic, Edit};
use crate::lint::{Check, Findings, ToolContext, headers, insert, placeholders, rule};
use crate::source::Spanned;
use crate::spec::ParameterSpec;
use mcp_bundle::tag::{Method, Position};

rule! {
    /// ## What it does
    /// Finds `GET` and `HEAD` requests with a body.
    ///
    /// A parameter without a `position` goes into the body, so this is most often a missing `position = "query"`.
    ///
    /// ## Why is this bad
    /// HTTP gives such a body no meaning. Servers ignore or refuse it, and caches on the way do not see it: two different
    /// requests would look the same.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    ///
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    ///
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// position = "query"
    /// ```
    pub BODY_ON_GET = "MCP0605", "body-on-get", Error, Check::Tool(check);
}

const NOTE: &str = "HTTP gives such a body no meaning; servers ignore or refuse it";

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let method = tool.method.as_ref().filter(|method| matches!(method.value, Method::Get | Method::Head));
    let Some(method) = method else {
        return;
    };
    for parameter in headers::at(tool, Position::Body) {
        // A placeholder of its name shows where it really belongs, and is reported.
        if !placeholders::is_placed(tool, &parameter.name.value) {
            in_body(context, method, parameter, findings);
        }
    }
    let body = tool.body.as_ref().map(|body| ("body", body.span));
    let template = tool.body_template.as_ref().map(|template| ("body_template", template.span));
    for (key, span) in body.into_iter().chain(template) {
        let message = format!("a `{}` request has no body, but `{key}` describes one", method.value);
        findings.report(
            Diagnostic::new(&BODY_ON_GET, span, message)
                .related(method.span, "the method is set here")
                .note(NOTE)
                .help(format!("remove `{key}`, or use another method")),
        );
    }
}

fn in_body(
    context: &ToolContext<'_>,
    method: &Spanned<Method>,
    parameter: &ParameterSpec,
    findings: &mut Findings<'_>,
) {
    let name = &parameter.name;
    let message = format!(
        "parameter `{}` goes into the body, which a `{}` request does not have",
        name.value, method.value
    );
    let span = parameter.position.as_ref().map_or(name.span, |position| position.span);
    let diagnostic = Diagnostic::new(&BODY_ON_GET, span, message)
        .related(method.span, "the method is set here")
        .note(NOTE);
    findings.report(match &parameter.position {
        Some(position) => diagnostic
            .help("set `position = \"query\"`, or use another method")
            .fix(Applicability::DisplayOnly, vec![Edit { span: position.span, text: "\"query\"".into() }]),
        None => {
            let edit = insert::key(context.sources, parameter.span, name.span, "position", "\"query\"");
            // It is written, but not understood: that is reported already.
            let Some(edit) = edit else {
                return;
            };
            diagnostic
                .note("a parameter without a `position` goes into the body")
                .help("add `position = \"query\"`")
                .fix(Applicability::Safe, vec![edit])
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::{parameter_with, underlined};

    fn get(keys: &str) -> String {
        parameter_with(keys).replace("POST", "GET")
    }

    #[test]
    fn the_fix_gives_the_parameter_a_position() {
        let spec = get("");
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        let found = report.diagnostics.iter().find(|d| *d.rule == BODY_ON_GET).unwrap();
        let edit = &found.fix.as_ref().unwrap().edits[0];
        let mut fixed = spec;
        fixed.replace_range(edit.span.range(), &edit.text);
        assert!(fixed.contains("name = \"p\"\nposition = \"query\"\n"), "{fixed}");
        assert_eq!(check_files(&MemoryFiles::one("spec.toml", &fixed)).errors(), 0);
    }

    #[test]
    fn a_position_that_is_misspelt_is_not_reported_twice() {
        assert_eq!(underlined(&BODY_ON_GET, &get("position = \"qurey\"")), [""; 0]);
        assert_eq!(underlined(&BODY_ON_GET, &get("position = \"body\"")), ["\"body\""]);
    }

    #[test]
    fn a_tool_may_allow_it() {
        let allow =
            "allow = [{ rule = \"body-on-get\", reason = \"the search API wants it\" }]\n[[tool.parameters]]";
        let spec = get("").replace("[[tool.parameters]]", allow);
        assert_eq!(check_files(&MemoryFiles::one("spec.toml", &spec)).errors(), 0);
    }
}
