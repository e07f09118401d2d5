use crate::language::json::Json;
use crate::lint::helpers::locate;
use crate::lint::helpers::schemas::{self, Path, Written};
use crate::lint::helpers::values::show;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::Type;
use mcp_diagnostics::{Diagnostic, Span};
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds arguments that cannot be mirrored in the header that `mcp_header` names.
    ///
    /// The name must be an HTTP token and unique in the tool, ignoring case. The parameter must be
    /// a string, an integer or a boolean, and not `sensitive`. With an `input_schema`,
    /// `x-mcp-header` belongs in the schema of a top-level property.
    ///
    /// ## Why is this bad
    /// MCP requires clients to drop a tool whose schema breaks these rules. Headers are logged by
    /// every proxy, so they must not carry secrets.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "region"
    /// position = "query"
    /// mcp_header = "Shop Region"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "ratio"
    /// type = "number"
    /// position = "query"
    /// mcp_header = "Ratio"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "region"
    /// position = "query"
    /// mcp_header = "Region"
    /// ```
    pub INVALID_MCP_HEADER = "MCP0409", "invalid-mcp-header", HardError, Check::Tool(check);
}

const KEYWORD: &str = "x-mcp-header";
const PREFIX: &str = "mcp-param-";

/// Where each name was first used, in lower case.
type Names = BTreeMap<String, Span>;

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let mut names = Names::new();
    for parameter in &tool.parameters {
        let Some(header) = &parameter.mcp_header else {
            continue;
        };
        let name = &parameter.name.value;
        if tool.input_schema.is_some() {
            findings.report(
                error(header.span, format!("`mcp_header` of parameter `{name}` is not published"))
                    .note("with an `input_schema`, callers see only that schema")
                    .help(format!("write `x-mcp-header` into the schema of property `{name}` instead")),
            );
            continue;
        }
        // One with a constant is `overridden-constant`.
        if parameter.is_hidden() {
            continue;
        }
        check_name(context, &header.value, (header.span, true), &mut names, findings);
        check_type(name, Some(parameter.kind.value), header.span, findings);
        if parameter.sensitive {
            report_sensitive(name, header.span, findings);
        }
    }
    for written in
        schemas::written(tool).filter(|written| !matches!(written.key, "output_schema" | "answer_schema"))
    {
        written.each(&mut |schema, path| {
            if let Some(header) = schema.get(KEYWORD) {
                let steps = Path::Key(path, KEYWORD).steps();
                let span = locate::part(context.sources, context.toolset, tool, written.value.span, &steps);
                check_keyword(context, &written, &steps, (header, schema), span, &mut names, findings);
            }
        });
    }
}

/// An `x-mcp-header` that a schema writes itself.
fn check_keyword(
    context: &ToolContext<'_>,
    written: &Written<'_>,
    steps: &[String],
    (header, schema): (&Json, &Json),
    span: Span,
    names: &mut Names,
    findings: &mut Findings<'_>,
) {
    let property = match steps {
        [properties, property, _] if written.key == "input_schema" && properties == "properties" => property,
        _ => {
            let message = "only a whole argument can be mirrored in a header, not a part of one";
            findings.report(
                error(span, message).note("clients drop a tool with `x-mcp-header` deeper in its schema"),
            );
            return;
        }
    };
    match header.as_str() {
        Some(name) => {
            let is_fixable = locate::is_table(context.sources, context.tool, written.value.span);
            check_name(context, name, (span, is_fixable), names, findings);
        }
        None => {
            findings.report(error(span, format!("`x-mcp-header` must be a string, not {}", show(header))));
        }
    }
    let kind = schema.get("type").and_then(Json::as_str);
    let kind = kind.and_then(|name| Type::ALL.into_iter().find(|kind| kind.as_str() == name));
    check_type(property, kind, span, findings);
    if context.tool.parameter(property).is_some_and(|parameter| parameter.sensitive) {
        report_sensitive(property, span, findings);
    }
}

fn check_name(
    context: &ToolContext<'_>,
    name: &str,
    (span, is_fixable): (Span, bool),
    names: &mut Names,
    findings: &mut Findings<'_>,
) {
    let lower = name.to_ascii_lowercase();
    if name.is_empty() {
        findings.report(error(span, "the header has no name"));
    } else if let Some(at) = name.find(|c| !is_token_char(c)) {
        let end = at + name.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        let wrong = match name.get(at..end).unwrap_or_default() {
            " " => "a space".to_owned(),
            other => format!("`{}`", other.escape_debug()),
        };
        findings.report(
            error(context.sources.inside(span, at..end), format!("a header name cannot contain {wrong}"))
                .note("it consists of letters, digits and ``!#$%&'*+-.^_`|~``"),
        );
    } else if let Some(rest) = lower.strip_prefix(PREFIX).and_then(|_| name.get(PREFIX.len()..)) {
        let diagnostic = error(span, format!("the header would be called `Mcp-Param-{name}`"))
            .help(format!("write `{rest}`: the prefix is added to it"));
        findings.report(if is_fixable {
            diagnostic.replace(span, Json::string(rest).to_text())
        } else {
            diagnostic
        });
    } else if let Some(first) = names.get(&lower) {
        findings.report(
            error(span, format!("two arguments are mirrored in the header `Mcp-Param-{name}`"))
                .related(*first, "the other one")
                .note("header names ignore case"),
        );
    } else {
        names.insert(lower, span);
    }
}

fn check_type(name: &str, kind: Option<Type>, span: Span, findings: &mut Findings<'_>) {
    if matches!(kind, Some(Type::String | Type::Integer | Type::Boolean)) {
        return;
    }
    let message = match kind {
        Some(kind) => {
            format!("`{name}` is of type `{kind}` and cannot be mirrored in a header", kind = kind.as_str())
        }
        None => format!("`{name}` has no single type and cannot be mirrored in a header"),
    };
    findings
        .report(error(span, message).note("only strings, integers and booleans can; clients drop the tool"));
}

fn report_sensitive(name: &str, span: Span, findings: &mut Findings<'_>) {
    findings.report(
        error(span, format!("`{name}` is sensitive and must not be mirrored in a header"))
            .note("headers end up in the logs of every proxy"),
    );
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&INVALID_MCP_HEADER, span, message)
}

/// RFC 9110 §5.6.2.
fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with, tool_with, underlined};

    #[test]
    fn names_are_unique_whatever_their_case() {
        let spec = tool_with(
            "[[tool.parameters]]\nname = \"a\"\nmcp_header = \"X\"\n[[tool.parameters]]\nname = \"b\"\nmcp_header = \"x\"",
        );
        assert_eq!(underlined(&INVALID_MCP_HEADER, &spec), ["\"x\""]);
    }

    #[test]
    fn secrets_and_prefixed_names_are_refused() {
        let spec = parameter_with("sensitive = true\nmcp_header = \"Key\"");
        assert_eq!(underlined(&INVALID_MCP_HEADER, &spec), ["\"Key\""]);
        let spec = parameter_with("mcp_header = \"Mcp-Param-Key\"");
        assert!(found(&INVALID_MCP_HEADER, &spec)[0].0.contains("Mcp-Param-Mcp-Param-Key"));
        assert_eq!(underlined(&INVALID_MCP_HEADER, &parameter_with("mcp_header = \"Clé\"")), ["é"]);
    }

    #[test]
    fn schemas_may_only_annotate_arguments_themselves() {
        let schema = |members: &str| tool_with(&format!("input_schema = {{ type = \"object\", {members} }}"));
        let leaf = "{ type = \"string\", x-mcp-header = \"H\" }";
        assert_eq!(found(&INVALID_MCP_HEADER, &schema(&format!("properties = {{ a = {leaf} }}"))), []);
        for members in [
            format!("properties = {{ a = {{ properties = {{ b = {leaf} }} }} }}"),
            format!("allOf = [{{ properties = {{ a = {leaf} }} }}]"),
            "properties = { a = { type = [\"string\", \"null\"], x-mcp-header = \"H\" } }".to_owned(),
        ] {
            assert_eq!(underlined(&INVALID_MCP_HEADER, &schema(&members)), ["\"H\""], "{members}");
        }
    }
}
