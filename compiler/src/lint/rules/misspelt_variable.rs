use crate::checked::CheckedTool;
use crate::lint::helpers::misspelt::{self, Misspelt};
use crate::lint::helpers::{headers, nested, urls};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::EndpointProblem;
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds variables in the notation of another tool: `$NAME`, `{NAME}` or `%NAME%`.
    ///
    /// It looks at headers, at constant values of parameters and, for `$NAME`, at URLs. Only
    /// `${NAME}` is a variable.
    ///
    /// ## Why is this bad
    /// The upstream gets the text itself instead of the variable's value. A token written this way
    /// makes every call fail.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { authorization = "Bearer $SHOP_TOKEN" }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    ///
    /// [[tool.parameters]]
    /// name = "api_key"
    /// position = "query"
    /// value = "%SHOP_KEY%"
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
    /// ```
    pub MISSPELT_VARIABLE = "MCP0215", "misspelt-variable", Error, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for header in headers::fixed(context.toolset) {
        in_text(context, &header.value.value, header.value.span, findings);
    }
    for auth in context.toolset.upstreams.iter().filter_map(|upstream| upstream.auth.as_ref()) {
        // That of a header is looked at above.
        let key = auth.header.as_ref().map(|header| header.value.span);
        for text in auth.texts().map(|text| text.text).filter(|text| Some(text.span) != key) {
            in_text(context, &text.value, text.span, findings);
        }
    }
    for tool in &context.toolset.tools {
        in_values(context, tool, findings);
    }
    for url in urls::all(context.toolset) {
        in_url(context, &url, findings);
    }
}

fn in_values(context: &ToolsetContext<'_>, tool: &CheckedTool, findings: &mut Findings<'_>) {
    for value in tool.parameters.iter().filter_map(|parameter| parameter.value.as_ref()) {
        for nested in nested::texts(value) {
            if !misspelt::variables(nested.text).is_empty() {
                let span = nested.span(context.sources, context.toolset, tool, value.span);
                in_text(context, nested.text, span, findings);
            }
        }
    }
}

fn in_text(context: &ToolsetContext<'_>, text: &str, span: Span, findings: &mut Findings<'_>) {
    for variable in misspelt::variables(text) {
        let right = format!("${{{}}}", variable.name);
        let span = context.sources.inside(span, variable.range.clone());
        let diagnostic = diagnostic(span, text, &variable).help(format!("write `{right}`"));
        findings.report(diagnostic.replace(span, right));
    }
}

fn diagnostic(span: Span, text: &str, variable: &Misspelt<'_>) -> Diagnostic {
    let written = text.get(variable.range.clone()).unwrap_or_default();
    let message = format!("`{written}` is not a variable and is sent as it is written");
    Diagnostic::new(&MISSPELT_VARIABLE, span, message)
        .note("only `${NAME}` is replaced by the value that is set at the edge")
}

/// `{NAME}` is a placeholder here, and `%` begins an encoded byte.
fn in_url(context: &ToolsetContext<'_>, url: &urls::SpecUrl<'_>, findings: &mut Findings<'_>) {
    let text = &url.endpoint.text;
    // Then the URL itself is reported.
    let is_reported = |variable: &Misspelt<'_>| {
        url.endpoint.problems.iter().any(|problem| {
            matches!(problem, EndpointProblem::Url { range, .. } if range.contains(&variable.range.start))
        }) || (url.is_upstream && !url.endpoint.is_absolute())
    };
    for variable in misspelt::variables(text) {
        let is_shell = text.get(variable.range.clone()).is_some_and(|written| written.starts_with('$'));
        if !is_shell || is_reported(&variable) {
            continue;
        }
        let name = variable.name;
        let span = context.sources.inside(url.span, variable.range.clone());
        let diagnostic = diagnostic(span, text, &variable);
        if url.is_upstream {
            let right = format!("${{{name}}}");
            findings.report(diagnostic.help(format!("write `{right}`")).replace(span, right));
            continue;
        }
        let before = text.get(..variable.range.start).unwrap_or_default();
        let help = match before.split_once('?') {
            Some((_, query)) => {
                let pair = query.rsplit('&').next().unwrap_or_default();
                let key = pair.split('=').next().filter(|key| !key.is_empty()).unwrap_or(name);
                format!(
                    "declare a parameter `{key}` with `position = \"query\"` and `value = \"${{{name}}}\"`"
                )
            }
            None => format!(
                "declare a parameter `{name}` with `position = \"path\"` and `value = \"${{{name}}}\"`, and \
                 write `{{{name}}}` here"
            ),
        };
        findings.report(diagnostic.help(help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::rules::{INVALID_URL, SECRET_IN_SPEC};
    use crate::lint::testing::{parameter_with, tool_with, underlined};

    #[test]
    fn variables_of_other_tools_get_a_fix_and_are_not_taken_for_secrets() {
        for written in ["$SHOP_ACCESS_TOKEN", "{SHOP_ACCESS_TOKEN}", "%SHOP_ACCESS_TOKEN%"] {
            let header = tool_with(&format!("headers = {{ authorization = \"Bearer {written}\" }}"));
            let value = parameter_with(&format!("wire_name = \"api_key\"\nvalue = \"{written}\""));
            let nested = parameter_with(&format!("type = \"object\"\nvalue = {{ token = [\"{written}\"] }}"));
            for spec in [header, value, nested] {
                let report = check_files(&MemoryFiles::one("spec.toml", &spec));
                let names: Vec<_> = report.diagnostics.iter().map(|d| d.name()).collect();
                assert_eq!(names, ["misspelt-variable"], "{spec}");
                let edit = &report.diagnostics[0].fix.as_ref().unwrap().edits[0];
                let mut fixed = spec.clone();
                fixed.replace_range(edit.span.range(), &edit.text);
                assert_eq!(fixed, spec.replace(written, "${SHOP_ACCESS_TOKEN}"));
            }
        }
    }

    #[test]
    fn a_dollar_in_a_url_is_explained() {
        let help = |endpoint: &str| {
            let spec = tool_with("").replace("/notes", endpoint);
            let report = check_files(&MemoryFiles::one("spec.toml", &spec));
            let found = report.diagnostics.into_iter().find(|d| d.is(&MISSPELT_VARIABLE));
            found.and_then(|d| d.help).unwrap_or_default()
        };
        let query = "declare a parameter `key` with `position = \"query\"` and `value = \"${SHOP_KEY}\"`";
        assert_eq!(help("/notes?a=b&key=$SHOP_KEY"), query);
        assert!(help("/$SHOP/notes").ends_with("write `{SHOP}` here"));
        assert_eq!(help("/notes?$filter=x&$top=5"), "");
        assert_eq!(help("/notes?x=%41%42%43"), "");
    }

    #[test]
    fn a_host_is_reported_once() {
        let upstream = |url: &str| {
            format!("[upstream.u]\nurl = \"{url}\"\n{}", tool_with("").replace("https://api.example.com", ""))
                .replace("method", "upstream = \"u\"\nmethod")
        };
        assert_eq!(underlined(&MISSPELT_VARIABLE, &upstream("https://a.example/$BASE")), ["$BASE"]);
        for url in ["https://$SHOP_HOST/v1", "$SHOP_URL"] {
            let spec = upstream(url);
            assert_eq!(underlined(&MISSPELT_VARIABLE, &spec), [""; 0], "{url}");
            assert_eq!(underlined(&INVALID_URL, &spec).len(), 1, "{url}");
            assert_eq!(underlined(&SECRET_IN_SPEC, &spec), [""; 0], "{url}");
        }
    }
}
