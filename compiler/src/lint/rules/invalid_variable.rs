use crate::language::variables::split_variables;
use crate::lint::helpers::{headers, nested};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::AuthText;
use mcp_diagnostics::{Diagnostic, Span, suggest};

rule! {
    /// ## What it does
    /// Finds `${…}` that is not a variable in headers, constants and request templates.
    ///
    /// A variable is `${NAME}` with letters, digits and `_`, or `${tenant.id}` or
    /// `${principal.sub}`. A literal `${` is written `$${`.
    ///
    /// ## Why is this bad
    /// The upstream would get the text itself instead of the secret.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { authorization = "Bearer ${SHOP-TOKEN}" }
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "search_orders"
    /// description = "Searches the orders of the shop."
    /// method = "POST"
    /// endpoint = "https://api.example.com/search"
    /// body_template = '{"key": "${SHOP-KEY}", "text": {{ .text }}}'
    ///
    /// [[tool.parameters]]
    /// name = "text"
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
    pub INVALID_VARIABLE = "MCP0214", "invalid-variable", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    // Those in the text of a template are found when it is compiled.
    for header in headers::fixed(context.toolset).filter(|header| header.template.is_none()) {
        check_text(context, &header.value.value, header.value.span, findings);
    }
    for auth in context.toolset.upstreams.iter().filter_map(|upstream| upstream.auth.as_ref()) {
        // That of a header is looked at above.
        let key = auth.header.as_ref().map(|header| header.value.span);
        for text in auth.texts() {
            if Some(text.text.span) != key {
                check_text(context, &text.text.value, text.text.span, findings);
            }
            check_caller(context, text, findings);
        }
    }
    for tool in &context.toolset.tools {
        for value in tool.parameters.iter().filter_map(|parameter| parameter.value.as_ref()) {
            for nested in nested::texts(value).iter().filter(|nested| nested.text.contains("${")) {
                let span = nested.span(context.sources, context.toolset, tool, value.span);
                check_text(context, nested.text, span, findings);
            }
        }
    }
}

/// A credential is that of the edge, for every caller.
fn check_caller(context: &ToolsetContext<'_>, text: AuthText<'_>, findings: &mut Findings<'_>) {
    for variable in ["${tenant.id}", "${principal.sub}"] {
        if let Some(start) = text.text.value.find(variable) {
            let span = context.sources.inside(text.text.span, start..start + variable.len());
            let message = format!("`{variable}` cannot be part of `{}`", text.key);
            let note = "a credential is that of the edge; tenants can have values of their own for `${NAME}`";
            findings.report(Diagnostic::new(&INVALID_VARIABLE, span, message).note(note));
        }
    }
}

fn check_text(context: &ToolsetContext<'_>, text: &str, span: Span, findings: &mut Findings<'_>) {
    for problem in split_variables(text).1 {
        let name = text.get(problem.range.clone()).unwrap_or_default();
        let name = name.trim_start_matches("${").trim_end_matches('}');
        let span = context.sources.inside(span, problem.range);
        let mut diagnostic = Diagnostic::new(&INVALID_VARIABLE, span, problem.message)
            .help(problem.help)
            .maybe_help(better(name));
        // Only blanks are too many, and the literal is written without escapes.
        let trimmed = format!("${{{}}}", name.trim());
        let is_plain = context.sources.text(span) == format!("${{{name}}}");
        if is_plain && split_variables(&trimmed).1.is_empty() {
            diagnostic = diagnostic.help(format!("write `{trimmed}`")).replace(span, trimmed);
        }
        findings.report(diagnostic);
    }
}

/// What the author of a bad name probably meant.
fn better(name: &str) -> Option<String> {
    let name = name.trim();
    let of_environment = ["env.", "env:", "ENV:", "ENV."].iter().find_map(|prefix| name.strip_prefix(prefix));
    let plain =
        of_environment.unwrap_or(name).split(":-").next().unwrap_or_default().replace(['-', '.', ' '], "_");
    let is_name = plain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && plain.bytes().next().is_some_and(|b| !b.is_ascii_digit());
    let built_in =
        suggest::nearest(name, ["tenant.id", "principal.sub"]).filter(|_| of_environment.is_none());
    match built_in {
        Some(built_in) => Some(format!("did you mean `${{{built_in}}}`?")),
        None if is_name => Some(format!("write `${{{plain}}}`")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{parameter_with, underlined};

    #[test]
    fn the_variable_alone_is_underlined() {
        let spec = parameter_with("value = \"a ${1} $${ok} ${B} ${open\"");
        assert_eq!(underlined(&INVALID_VARIABLE, &spec), ["${1}", "${open"]);
        let spec = parameter_with("type = 'object'\nvalue = { a = ['${A}', \"\\u0041${1}\"] }");
        assert_eq!(underlined(&INVALID_VARIABLE, &spec), ["${1}"]);
    }

    #[test]
    fn a_credential_has_variables_of_the_edge_alone() {
        let spec =
            |auth: &str| format!("[upstream.u]\nurl = \"https://a.example\"\n[upstream.u.auth]\n{auth}\n");
        let basic = spec("kind = \"basic\"\nusername = \"${tenant.id}\"\npassword = \"${A} ${1}\"");
        assert_eq!(underlined(&INVALID_VARIABLE, &basic), ["${tenant.id}", "${1}"]);
        let key = spec("kind = \"api_key\"\nname = \"x-key\"\nvalue = \"${1}\"");
        assert_eq!(underlined(&INVALID_VARIABLE, &key), ["${1}"]);
    }

    #[test]
    fn blanks_inside_the_braces_are_removed() {
        let spec = parameter_with("value = \"a ${ TOKEN } ${1 }\"");
        let report = crate::check::check_files(&crate::check::MemoryFiles::one("spec.toml", &spec));
        let [file] = crate::fix::apply(&report).try_into().unwrap();
        assert!(file.text.contains("\"a ${TOKEN} ${1 }\""), "{}", file.text);
    }

    #[test]
    fn habits_from_other_tools_are_recognised() {
        let help = |name: &str| better(name).unwrap_or_default();
        assert_eq!(help("env.TOKEN"), "write `${TOKEN}`");
        assert_eq!(help("MY-TOKEN"), "write `${MY_TOKEN}`");
        assert_eq!(help("TOKEN:-none"), "write `${TOKEN}`");
        assert_eq!(help("tenant_id."), "did you mean `${tenant.id}`?");
        assert_eq!(help("1"), "");
    }
}
