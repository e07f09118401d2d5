use crate::checked::CheckedTool;
use crate::lint::helpers::{headers, nested, secrets, urls};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::ParameterSpec;
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds credentials in a spec.
    ///
    /// It recognises common token formats, and looks at headers, queries and parameters whose name
    /// suggests a secret.
    ///
    /// ## Why is this bad
    /// A spec is committed, reviewed and copied, and its values are plain text in the bundle.
    /// `${NAME}` is resolved at the edge and never appears in a bundle, a log or an error.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { authorization = "Bearer 0123456789abcdef0123" }
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { authorization = "Bearer ${SHOP_TOKEN}" }
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub SECRET_IN_SPEC = "MCP0213", "secret-in-spec", Warning, Check::Toolset(check);
}

const NOTE: &str = "specs are committed and copied; rotate any secret that was ever committed";

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for header in headers::fixed(context.toolset) {
        if let Some(found) = secrets::find(&header.name.value, &header.value.value) {
            let span = context.sources.inside(header.value.span, found.range);
            let what = format!("header `{}`", header.name.value);
            let help = "use a variable such as `${NAME}`, and set it at the edge";
            findings.report(diagnostic(span, &what, found.kind).help(help));
        }
    }
    for url in urls::all(context.toolset) {
        in_query(context, &url, findings);
    }
    for tool in &context.toolset.tools {
        // Headers are looked at above.
        for (key, template) in tool.request_templates().filter(|(key, _)| *key != "headers") {
            if let Some(found) = secrets::find("", template.text()) {
                let span = template.locate(context.sources, found.range);
                let help = "use a variable such as `${NAME}`, and set it at the edge";
                findings.report(diagnostic(span, &format!("`{key}`"), found.kind).help(help));
            }
        }
        for parameter in &tool.parameters {
            in_parameter(context, tool, parameter, findings);
        }
    }
}

fn diagnostic(span: Span, what: &str, kind: &str) -> Diagnostic {
    Diagnostic::new(&SECRET_IN_SPEC, span, format!("{what} contains what looks like {kind}")).note(NOTE)
}

fn in_query(context: &ToolsetContext<'_>, url: &urls::SpecUrl<'_>, findings: &mut Findings<'_>) {
    let Some(query) = &url.endpoint.query else {
        return;
    };
    let mut at = url.endpoint.text.find('?').map_or(0, |mark| mark + 1);
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if let Some(found) = secrets::find(name, value) {
            let start = at + name.len() + 1;
            let span = context.sources.inside(url.span, start + found.range.start..start + found.range.end);
            let help = format!(
                "declare a parameter `{name}` with `position = \"query\"` and `value = \"${{NAME}}\"` instead"
            );
            findings.report(diagnostic(span, &format!("`{name}` in the query"), found.kind).help(help));
        }
        at += pair.len() + 1;
    }
}

fn in_parameter(
    context: &ToolsetContext<'_>,
    tool: &CheckedTool,
    parameter: &ParameterSpec,
    findings: &mut Findings<'_>,
) {
    // A value from a published list is not a secret, even under such a name.
    let name = match &parameter.enumeration {
        Some(_) => "",
        None if parameter.sensitive => "secret",
        None => &parameter.wire_name().value,
    };
    let value = (&parameter.value, "use `value = \"${NAME}\"`, and set the variable at the edge");
    let default = (&parameter.default, "every caller sees a default: use `value = \"${NAME}\"` instead");
    for (json, help) in [value, default] {
        for nested in json.iter().flat_map(nested::texts) {
            let Some(found) = secrets::find(nested.member().unwrap_or(name), nested.text) else {
                continue;
            };
            let whole = json.as_ref().map_or(parameter.span, |json| json.span);
            let literal = nested.span(context.sources, context.toolset, tool, whole);
            let span = context.sources.inside(literal, found.range);
            let what = format!("parameter `{}`", parameter.name.value);
            findings.report(diagnostic(span, &what, found.kind).help(help));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with, tool_with, underlined};

    #[test]
    fn only_the_secret_is_underlined_and_no_message_repeats_it() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        for spec in [
            tool_with(&format!("headers = {{ authorization = \"token {secret}\" }}")),
            tool_with("").replace("/notes", &format!("/notes?a=b&key={secret}&c=d")),
            parameter_with(&format!("value = \"{secret}\"")),
            parameter_with(&format!("default = \"{secret}\"")),
            parameter_with(&format!("type = \"object\"\nvalue = {{ a = [\"{secret}\"] }}")),
        ] {
            let found = found(&SECRET_IN_SPEC, &spec);
            assert_eq!(found.len(), 1, "{spec}");
            assert_eq!(found[0].1, secret);
            assert!(!found[0].0.contains(secret));
        }
    }

    #[test]
    fn a_variable_or_a_listed_value_is_not_a_secret() {
        for keys in [
            "wire_name = \"api_key\"\nvalue = \"prefix-${API_KEY}-long\"",
            "wire_name = \"token\"\nenum = [\"authorization_code\"]\ndefault = \"authorization_code\"",
        ] {
            assert_eq!(underlined(&SECRET_IN_SPEC, &parameter_with(keys)), [""; 0], "{keys}");
        }
    }
}
