use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::lint::helpers::{headers, insert, placeholders};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::ParameterSpec;
use mcp_bundle::wire_enums::{Method, Position};
use mcp_diagnostics::{Applicability, Diagnostic, Edit, Spanned};

rule! {
    /// ## What it does
    /// Finds `GET` and `HEAD` requests with a body.
    ///
    /// A parameter without a `position` goes into the body, and so does a property of an
    /// `input_schema` that no parameter places. Most often, `position = "query"` is missing.
    ///
    /// ## Why is this bad
    /// HTTP gives such a body no meaning. Many servers ignore or refuse it, and caches do not see
    /// it, so two different requests look the same to them. The body is sent all the same: for the
    /// few APIs that read one, allow the rule with a reason.
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
    /// description = "The most orders to return."
    /// type = "integer"
    ///
    /// [[tool.examples]]
    /// arguments = { limit = 3 }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// input_schema = { type = "object", properties = { limit = { type = "integer", description = "The most." } } }
    ///
    /// [[tool.examples]]
    /// arguments = { limit = 3 }
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
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// input_schema = { type = "object", properties = { limit = { type = "integer" } } }
    ///
    /// [[tool.parameters]]
    /// name = "limit"
    /// position = "query"
    /// ```
    pub BODY_ON_GET = "MCP0605", "body-on-get", Warning, Check::Tool(check);
}

const NOTE: &str = "HTTP gives such a body no meaning, and many servers ignore or refuse it";

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let method = tool.method.as_ref().filter(|method| matches!(method.value, Method::Get | Method::Head));
    let Some(method) = method else {
        return;
    };
    for parameter in headers::at(tool, Position::Body) {
        if !is_settled_elsewhere(tool, parameter) {
            in_body(context, method, parameter, findings);
        }
    }
    unplaced(tool, method, findings);
    let body = tool.body.as_ref().map(|body| ("body", body.span));
    let template = tool.body_template.as_ref().map(|template| ("body_template", template.span));
    for (key, span) in body.into_iter().chain(template) {
        let message = format!("`{key}` gives a `{}` request a body", method.value);
        findings.report(
            Diagnostic::new(&BODY_ON_GET, span, message)
                .related(method.span, "the method is set here")
                .note(NOTE)
                .help(format!("remove `{key}`, or use another method")),
        );
    }
}

/// Another finding says more about it.
fn is_settled_elsewhere(tool: &CheckedTool, parameter: &ParameterSpec) -> bool {
    let name = &parameter.name.value;
    // Then `body` itself is reported.
    if tool.is_whole_body(name) {
        return true;
    }
    match parameter.position {
        Some(_) => placeholders::is_placed(tool, name),
        // Its position may be what could not be read.
        None => !parameter.complete || placeholders::may_be_placed(tool, name),
    }
}

/// What an `input_schema` lets through and no parameter places.
fn unplaced(tool: &CheckedTool, method: &Spanned<Method>, findings: &mut Findings<'_>) {
    let Some(schema) = &tool.input_schema else {
        return;
    };
    let mut report = |message: String, help: String| {
        findings.report(
            Diagnostic::new(&BODY_ON_GET, schema.span, message)
                .related(method.span, "the method is set here")
                .note(NOTE)
                .help(help),
        );
    };
    let declared = schema_walk::declared_properties(&schema.value);
    // A parameter with a misspelt name may be meant for any of them, and it is reported.
    let all_known = |parameter: &ParameterSpec| {
        parameter.is_hidden() || declared.contains_key(parameter.name.value.as_str())
    };
    if !tool.parameters.iter().all(all_known) {
        return;
    }
    let names: Vec<&str> = declared
        .keys()
        .copied()
        .filter(|name| tool.parameter(name).is_none() && !tool.is_whole_body(name))
        .filter(|name| !tool.is_templated(name))
        .filter(|name| !placeholders::may_be_placed(tool, name))
        .collect();
    if let Some(first) = names.first() {
        let (what, go) = if names.len() == 1 { ("property", "goes") } else { ("properties", "go") };
        let message = format!("{what} {} {go} into the body of a `{}` request", listed(&names), method.value);
        let each = if names.len() == 1 { "a parameter" } else { "a parameter for each" };
        report(message, format!("add {each}: `name = \"{first}\"` with `position = \"query\"`"));
    }
    let is_open = |value: &Json| *value != Json::Bool(false);
    let open = [
        ("patternProperties", schema.value.get("patternProperties")),
        ("additionalProperties", schema.value.get("additionalProperties").filter(|value| is_open(value))),
    ];
    if let Some((keyword, _)) = open.into_iter().find(|(_, value)| value.is_some()) {
        let message = format!(
            "arguments that `{keyword}` lets through go into the body of a `{}` request",
            method.value
        );
        let help = format!("declare the properties one by one instead of `{keyword}`, or use another method");
        report(message, help);
    }
}

/// `` `a`, `b` and 3 more ``
fn listed(names: &[&str]) -> String {
    const MOST: usize = 5;
    let mut words: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        words.push(format!("{} more", names.len() - MOST));
    }
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn in_body(
    context: &ToolContext<'_>,
    method: &Spanned<Method>,
    parameter: &ParameterSpec,
    findings: &mut Findings<'_>,
) {
    let name = &parameter.name;
    let message = format!("parameter `{}` goes into the body of a `{}` request", name.value, method.value);
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
            // There is a `position` that could not be read, and that is reported.
            let Some(edit) = edit else {
                return;
            };
            let diagnostic = diagnostic.note("a parameter without a `position` goes into the body");
            if placeholders::foreign(context.tool, &name.value).is_some() {
                let help = "write `{NAME}` in the endpoint and add `position = \"path\"`";
                findings.report(diagnostic.help(help.replace("NAME", &name.value)));
                return;
            }
            diagnostic.help("add `position = \"query\"`").fix(Applicability::Safe, vec![edit])
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::{found, parameter_with, tool_with, underlined};

    fn get(keys: &str) -> String {
        parameter_with(keys).replace("POST", "GET")
    }

    #[test]
    fn the_fix_gives_the_parameter_a_position() {
        let spec = get("");
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        let found = report.diagnostics.iter().find(|d| d.is(&BODY_ON_GET)).unwrap();
        let edit = &found.fix.as_ref().unwrap().edits[0];
        let mut fixed = spec;
        fixed.replace_range(edit.span.range(), &edit.text);
        assert!(fixed.contains("name = \"p\"\nposition = \"query\"\n"), "{fixed}");
        assert_eq!(underlined(&BODY_ON_GET, &fixed), [""; 0]);
    }

    #[test]
    fn a_position_that_is_misspelt_is_not_reported_twice() {
        assert_eq!(underlined(&BODY_ON_GET, &get("position = \"qurey\"")), [""; 0]);
        assert_eq!(underlined(&BODY_ON_GET, &get("position = \"body\"")), ["\"body\""]);
    }

    #[test]
    fn a_parameter_that_an_endpoint_may_mean_is_left_alone() {
        for endpoint in
            ["/notes/<p>", "/notes/{ p }", "/notes/{p:int}", "/notes/{{p}}", "/notes/${p}", "/notes/{other"]
        {
            let spec = get("").replace("/notes", endpoint);
            assert_eq!(underlined(&BODY_ON_GET, &spec), [""; 0], "{endpoint}");
        }
        let spec = get("").replace("/notes", "/notes/:p");
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        let found = report.diagnostics.iter().find(|d| d.is(&BODY_ON_GET)).unwrap();
        assert!(found.fix.is_none() && found.help.as_ref().unwrap().contains("`{p}`"));
    }

    fn schema(rest: &str, parameters: &str) -> Vec<String> {
        let spec = tool_with(&format!("input_schema = {{ type = \"object\", {rest} }}\n{parameters}"));
        found(&BODY_ON_GET, &spec.replace("POST", "GET")).into_iter().map(|(message, _)| message).collect()
    }

    #[test]
    fn properties_that_nothing_places_go_into_the_body() {
        let query = "[[tool.parameters]]\nname = \"a\"\nposition = \"query\"";
        let two = "properties = { a = { type = \"string\" }, b = { type = \"string\" } }";
        assert_eq!(schema(two, query), ["property `b` goes into the body of a `GET` request"]);
        let both = "properties `a` and `b` go into the body of a `GET` request";
        assert_eq!(schema(two, ""), [both]);
        let one = "properties = { a = { type = \"string\" } }, ";
        for open in
            ["additionalProperties = true", "additionalProperties = {}", "patternProperties = { x = true }"]
        {
            assert_eq!(schema(&format!("{one}{open}"), query).len(), 1, "{open}");
        }
        assert_eq!(schema(&format!("{one}additionalProperties = false"), query), [""; 0]);
    }

    #[test]
    fn a_whole_body_is_one_finding() {
        let spec = get("").replace("[[tool.parameters]]", "body = \"whole:p\"\n[[tool.parameters]]");
        assert_eq!(underlined(&BODY_ON_GET, &spec), ["\"whole:p\""]);
    }

    #[test]
    fn it_is_a_warning_that_a_tool_may_allow() {
        let report = check_files(&MemoryFiles::one("spec.toml", &get("")));
        assert_eq!((report.errors(), report.diagnostics.len()), (0, 1));
        assert!(report.contents.is_some(), "the body is sent");
        let allow =
            "allow = [{ rule = \"body-on-get\", reason = \"the search API reads it\" }]\n[[tool.parameters]]";
        let spec = get("").replace("[[tool.parameters]]", allow);
        assert_eq!(check_files(&MemoryFiles::one("spec.toml", &spec)).diagnostics, []);
    }
}
