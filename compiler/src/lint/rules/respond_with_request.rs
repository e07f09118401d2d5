use crate::checked::CheckedTool;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::{Diagnostic, Span, suggest};

rule! {
    /// ## What it does
    /// Finds a tool with a fixed response that also describes a request.
    ///
    /// ## Why is this bad
    /// A tool with `respond` sends no request, so keys about a request or its response have no
    /// effect.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "opening_hours"
    /// respond = "Monday to Friday, 9 to 17."
    /// method = "GET"
    /// endpoint = "https://api.example.com/hours"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "opening_hours"
    /// respond = "Monday to Friday, 9 to 17."
    /// ```
    pub RESPOND_WITH_REQUEST = "MCP0608", "respond-with-request", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let template = tool.response_template.as_ref().filter(|_| tool.answers_with_arguments);
    let Some(span) = tool.respond.as_ref().map(|text| text.span).or(template.map(|template| template.span))
    else {
        return;
    };
    let unused = of_request(context.tool);
    if unused.is_empty() {
        return;
    }
    let names = suggest::one_of(unused.iter().map(|(key, _)| *key));
    let message = format!("a tool with `respond` sends no request and cannot have {names}");
    let mut diagnostic = Diagnostic::new(&RESPOND_WITH_REQUEST, span, message)
        .label("the response")
        .help("remove `respond` to send the request, or remove the rest");
    for (key, span) in unused {
        if let Some(span) = span {
            diagnostic = diagnostic.related(span, format!("`{key}` is never used"));
        }
    }
    findings.report(diagnostic);
}

/// A tool's keys about a request and its response.
fn of_request(tool: &CheckedTool) -> Vec<(&'static str, Option<Span>)> {
    let template = tool.response_template.as_ref().filter(|_| !tool.answers_with_arguments);
    let keys = [
        ("upstream", tool.upstream.as_ref().map(|key| key.span)),
        ("method", tool.method.as_ref().map(|key| key.span)),
        ("endpoint", tool.endpoint.as_ref().map(|key| key.span)),
        ("headers", tool.headers.first().map(|header| header.name.span)),
        ("body", tool.body.as_ref().map(|key| key.span)),
        ("body_template", tool.body_template.as_ref().map(|key| key.span)),
        ("answer_schema", tool.answer_schema.as_ref().map(|key| key.span)),
        ("select", tool.select.first().map(|path| path.span)),
        ("response_template", template.map(|key| key.span)),
        ("error_template", tool.error_template.as_ref().map(|key| key.span)),
        ("retry_count", tool.retry_count.as_ref().map(|key| key.span)),
        ("idempotent", tool.idempotent.as_ref().map(|key| key.span)),
        ("cache_seconds", tool.cache_seconds.as_ref().map(|key| key.span)),
    ];
    let with_place = keys.into_iter().filter(|(_, span)| span.is_some());
    // The spans of these are not kept.
    let numbers = [
        ("timeout_seconds", tool.timeout_ms.is_some()),
        ("max_response_bytes", tool.max_response_bytes.is_some()),
    ];
    let without_place = numbers.into_iter().filter(|(_, written)| *written).map(|(key, _)| (key, None));
    let placed = tool.parameters.iter().find_map(|parameter| parameter.position.as_ref());
    let position = placed.map(|position| ("position", Some(position.span)));
    // A constant is for a request; a template has its own text.
    let hidden =
        tool.parameters.iter().find(|parameter| parameter.is_hidden() && tool.answers_with_arguments);
    let value = hidden.map(|parameter| ("value", Some(parameter.name.span)));
    with_place.chain(without_place).chain(position).chain(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::found;

    #[test]
    fn one_finding_names_all_that_is_unused() {
        let spec = "[[tool]]\nname = \"a\"\nrespond = \"x\"\nmethod = \"GET\"\ntimeout_seconds = 3\n\
                    [[tool.parameters]]\nname = \"p\"\nposition = \"query\"\n";
        let expected = "a tool with `respond` sends no request and cannot have `method`, `timeout_seconds` or `position`";
        assert_eq!(found(&RESPOND_WITH_REQUEST, spec), [(expected.to_owned(), "\"x\"".to_owned())]);
    }
}
