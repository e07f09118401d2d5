use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::language::variables::{TextPart, Variable, split_variables};
use crate::lint::helpers::schemas::{self, Written};
use crate::lint::helpers::values::show_text;
use crate::lint::helpers::{headers, nested, urls};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::{BodySpec, ParameterSpec};
use mcp_bundle::format::MAX_NAME_LENGTH;
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::{Diagnostic, Span, Spanned};
use std::collections::BTreeSet;

rule! {
    /// ## What it does
    /// Finds names of more than 512 bytes, names of more than 1024 bytes when encoded for their
    /// place, and constants of more than 64 KiB.
    ///
    /// Names are those of parameters, headers, query parameters, cookies, fields, variables,
    /// scopes, and properties in schemas.
    ///
    /// ## Why is this bad
    /// A bundle cannot hold longer ones, and most upstreams refuse them. Such a name is usually a
    /// value in the wrong place.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// scopes = ["orders.read.and.write.0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"]
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// scopes = ["orders.read"]
    /// ```
    pub OVERSIZED_NAME = "MCP0418", "oversized-name", HardError, Check::Toolset(check);
}

/// Longest name as written, in bytes.
const MAX_WRITTEN: usize = 512;
/// Longest constant, in bytes of JSON.
const MAX_CONSTANT: usize = 64 * 1024;

/// How a place encodes a name.
#[derive(Clone, Copy)]
enum Encoding {
    None,
    Percent,
    /// With quotes and a colon.
    Json,
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for header in headers::fixed(context.toolset) {
        judge("a header name", &header.name.value, Encoding::None, header.name.span, findings);
        if header.template.is_none() {
            variables(&header.value.value, header.value.span, findings);
        }
    }
    for tool in &context.toolset.tools {
        of_tool(context, tool, findings);
        for parameter in &tool.parameters {
            of_parameter(context, tool, parameter, findings);
        }
        for written in schemas::written(tool) {
            of_schema(&written, findings);
        }
        unplaced(tool, findings);
    }
}

fn of_tool(context: &ToolsetContext<'_>, tool: &CheckedTool, findings: &mut Findings<'_>) {
    for (_, template) in tool.request_templates() {
        for name in template.compiled().iter().flat_map(|compiled| &compiled.variables) {
            judge("the name of a variable", name, Encoding::None, template.span, findings);
        }
    }
    for scope in &tool.scopes {
        judge("a scope", &scope.value, Encoding::None, scope.span, findings);
    }
    if let Some(endpoint) = &tool.endpoint {
        for name in urls::fixed_names(&endpoint.value) {
            // The bundle holds it as it is written here.
            let written = endpoint.value.text.get(name.range.clone()).unwrap_or_default();
            if written.len() > MAX_WRITTEN {
                let span = context.sources.inside(endpoint.span, name.range);
                judge("the name of a query parameter", written, Encoding::None, span, findings);
            }
        }
    }
}

fn of_parameter(
    context: &ToolsetContext<'_>,
    tool: &CheckedTool,
    parameter: &ParameterSpec,
    findings: &mut Findings<'_>,
) {
    let (name, wire) = (&parameter.name, parameter.wire_name());
    let encoding = match tool.position(parameter) {
        None | Some(Position::Path | Position::Header | Position::Cookie) => Encoding::None,
        Some(Position::Query) => Encoding::Percent,
        Some(Position::Body) => body_encoding(tool),
    };
    if parameter.wire_name.is_some() {
        judge("the name of a parameter", &name.value, Encoding::None, name.span, findings);
        judge("a `wire_name`", &wire.value, encoding, wire.span, findings);
    } else {
        judge("the name of a parameter", &name.value, encoding, name.span, findings);
    }
    if let Some(header) = &parameter.mcp_header {
        judge("a header name", &header.value, Encoding::None, header.span, findings);
    }
    let Some(value) = &parameter.value else {
        return;
    };
    let length = value.value.to_text().len();
    if length > MAX_CONSTANT {
        let message = format!(
            "the constant of parameter `{}` has {length} bytes, and the limit is {MAX_CONSTANT}",
            shortened(&name.value)
        );
        findings.report(Diagnostic::new(&OVERSIZED_NAME, value.span, message));
        return;
    }
    for text in nested::texts(value).iter().filter(|text| text.text.len() > MAX_WRITTEN) {
        variables(text.text, text.span(context.sources, context.toolset, tool, value.span), findings);
    }
}

/// Names of properties, and of headers that a schema publishes.
fn of_schema(written: &Written<'_>, findings: &mut Findings<'_>) {
    // One is enough: they share a span.
    let mut longest: Option<(&'static str, &str)> = None;
    let mut see = |what: &'static str, name| {
        if longest.is_none_or(|(_, other)| other.len() < str::len(name)) {
            longest = Some((what, name));
        }
    };
    let properties = |schema| Json::as_object(schema).unwrap_or_default().iter();
    if written.key == "properties" {
        properties(&written.value.value).for_each(|(name, _)| see("the name of a property", name));
    }
    written.each(&mut |schema, _| {
        let inner = schema.get("properties").into_iter().flat_map(properties);
        inner.for_each(|(name, _)| see("the name of a property", name));
        if let Some(header) = schema.get("x-mcp-header").and_then(Json::as_str) {
            see("a header name", header);
        }
    });
    if let Some((what, name)) = longest {
        judge(&format!("{what} in {}", written.label()), name, Encoding::None, written.value.span, findings);
    }
}

/// Properties of an `input_schema` that no parameter places are names in the body.
fn unplaced(tool: &CheckedTool, findings: &mut Findings<'_>) {
    let Some(Spanned { value, span }) = &tool.input_schema else {
        return;
    };
    let placed: BTreeSet<&str> = tool.parameters.iter().map(|p| p.name.value.as_str()).collect();
    let encoding = body_encoding(tool);
    let names = schema_walk::declared_properties(value).into_keys();
    // Those that are too long as written are found with the schema.
    let mut long = names.filter(|name| !placed.contains(name) && name.len() <= MAX_WRITTEN);
    let is_long = |name: &&str| encoded(name, encoding) > MAX_NAME_LENGTH && !tool.is_templated(name);
    if let Some(name) = long.find(is_long) {
        judge("the name of a property in `input_schema`", name, encoding, *span, findings);
    }
}

fn variables(text: &str, span: Span, findings: &mut Findings<'_>) {
    if text.len() <= MAX_WRITTEN {
        return;
    }
    for part in split_variables(text).0 {
        if let TextPart::Variable(Variable::Named(name)) = part {
            judge("the name of a variable", &name, Encoding::None, span, findings);
        }
    }
}

fn judge(what: &str, name: &str, encoding: Encoding, span: Span, findings: &mut Findings<'_>) {
    let (written, sent) = (name.len(), encoded(name, encoding));
    let limit = if written > MAX_WRITTEN {
        format!("{written} bytes, and the limit is {MAX_WRITTEN}")
    } else if sent > MAX_NAME_LENGTH {
        format!("{sent} bytes when encoded, and the limit is {MAX_NAME_LENGTH}")
    } else {
        return;
    };
    let message = format!("{what}, {}, has {limit}", show_text(name));
    findings.report(Diagnostic::new(&OVERSIZED_NAME, span, message));
}

fn body_encoding(tool: &CheckedTool) -> Encoding {
    match tool.body.as_ref().map(|body| &body.value) {
        None | Some(BodySpec::Json) => Encoding::Json,
        Some(BodySpec::Form) => Encoding::Percent,
        Some(BodySpec::Multipart | BodySpec::Whole(_) | BodySpec::Bytes(_)) => Encoding::None,
    }
}

/// The length of a name in its place.
fn encoded(name: &str, encoding: Encoding) -> usize {
    let is_unreserved = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    match encoding {
        Encoding::None => name.len(),
        Encoding::Percent => name.bytes().map(|b| if is_unreserved(b) { 1 } else { 3 }).sum(),
        Encoding::Json => Json::string(name).to_text().len() + 1,
    }
}

fn shortened(name: &str) -> String {
    show_text(name).trim_matches('`').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with, tool_with};

    fn count(spec: &str) -> usize {
        found(&OVERSIZED_NAME, spec).len()
    }

    #[test]
    fn every_name_has_its_limit() {
        for (at, spec) in [
            ("name", "[[tool.parameters]]\nname = \"NAME\""),
            ("wire name", "[[tool.parameters]]\nname = \"p\"\nwire_name = \"NAME\""),
            ("path", "[[tool.parameters]]\nname = \"NAME\"\nposition = \"path\""),
            ("header", "headers = { NAME = \"x\" }"),
            ("cookie", "[[tool.parameters]]\nname = \"p\"\nwire_name = \"NAME\"\nposition = \"cookie\""),
            ("mcp_header", "[[tool.parameters]]\nname = \"p\"\nmcp_header = \"NAME\""),
            ("scope", "scopes = [\"NAME\"]"),
            ("header's variable", "headers = { x = \"a ${NAME}\" }"),
            ("constant's variable", "[[tool.parameters]]\nname = \"p\"\nvalue = { a = [\"${NAME}\"] }"),
            ("property", "[[tool.parameters]]\nname = \"p\"\ntype = \"object\"\nproperties = { NAME = {} }"),
            (
                "deep",
                "[[tool.parameters]]\nname = \"p\"\ntype = \"array\"\nitems = { properties = { NAME = {} } }",
            ),
            ("input", "input_schema = { properties = { NAME = {} } }"),
            ("branch", "input_schema = { anyOf = [{ properties = { NAME = {} } }] }"),
            ("output", "output_schema = { properties = { NAME = {} } }"),
            (
                "published",
                "input_schema = { properties = { a = { type = \"string\", x-mcp-header = \"NAME\" } } }",
            ),
        ] {
            let with = |length: usize| count(&tool_with(&spec.replace("NAME", &"x".repeat(length))));
            assert_eq!((with(MAX_WRITTEN), with(MAX_WRITTEN + 1)), (0, 1), "{at}");
        }
        let query = |length: usize| {
            count(&tool_with("").replace("/notes\"", &format!("/notes?a=1&{}=2\"", "x".repeat(length))))
        };
        assert_eq!((query(MAX_WRITTEN), query(MAX_WRITTEN + 1)), (0, 1));
    }

    #[test]
    fn names_are_measured_as_they_are_sent() {
        let parameter =
            |keys: &str, name: &str| count(&parameter_with(&format!("{keys}\nwire_name = '{name}'")));
        // Each of these is 2 bytes, and 6 when percent-encoded.
        let (short, long) = ("é".repeat(170), "é".repeat(171));
        for keys in ["position = \"query\"", "position = \"query\"\nvalue = \"1\""] {
            assert_eq!((parameter(keys, &short), parameter(keys, &long)), (0, 1), "{keys}");
        }
        assert_eq!(parameter("", &long), 0, "JSON holds it as it is");
        let quotes = |count: usize| "\"".repeat(count);
        assert_eq!((parameter("", &quotes(510)), parameter("", &quotes(511))), (0, 1));
        let property = |body: &str, name: &str| {
            count(&tool_with(&format!(
                "body = \"{body}\"\ninput_schema = {{ properties = {{ '{name}' = {{}} }} }}"
            )))
        };
        assert_eq!((property("form", &short), property("form", &long)), (0, 1));
        assert_eq!((property("json", &quotes(510)), property("json", &quotes(511))), (0, 1));
    }

    #[test]
    fn constants_have_their_limit() {
        let with = |length: usize| count(&parameter_with(&format!("value = \"{}\"", "x".repeat(length))));
        assert_eq!((with(MAX_CONSTANT - 2), with(MAX_CONSTANT - 1)), (0, 1));
    }

    #[test]
    fn the_message_is_short_however_long_the_name_is() {
        let found = found(&OVERSIZED_NAME, &tool_with(&format!("scopes = [\"{}\"]", "x".repeat(100_000))));
        assert!(found[0].0.len() < 150, "{}", found[0].0);
    }
}
