use super::MISPLACED_STYLE;
use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::lint::helpers::nested::{self, NestedText};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::{BodySpec, ParameterSpec, Type};
use mcp_bundle::wire_enums::{Position, Style};
use mcp_diagnostics::Diagnostic;
use std::ops::Range;

rule! {
    /// ## What it does
    /// Finds `${…}` inside an array or object that is sent as JSON text outside a JSON body.
    ///
    /// A variable is replaced in a string, in the elements of an array that is written with
    /// `repeat`, `comma`, `space` or `pipe`, and anywhere in a JSON body. Where a constant becomes
    /// JSON text in a path, query, header, cookie or form, nothing in it is replaced, and `$${`
    /// stays as it is.
    ///
    /// ## Why is this bad
    /// The upstream would get the text itself instead of the value.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "filter"
    /// type = "object"
    /// position = "query"
    /// value = { owner = "${tenant.id}" }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "owner"
    /// wire_name = "filter[owner]"
    /// position = "query"
    /// value = "${tenant.id}"
    /// [[tool.parameters]]
    /// name = "groups"
    /// type = "array"
    /// position = "query"
    /// value = ["${tenant.id}", "public"]
    /// ```
    pub VARIABLE_IN_COMPOSITE = "MCP0417", "variable-in-composite", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    for parameter in context.tool.parameters.iter().filter(|p| !is_json_member(context.tool, p)) {
        if let Some(diagnostic) = literal_variable(context, parameter) {
            findings.report(diagnostic);
        }
        if let Some(diagnostic) = style_of_constant(context.tool, parameter) {
            findings.report(diagnostic);
        }
    }
}

/// In a JSON body, a constant keeps its type.
fn is_json_member(tool: &CheckedTool, parameter: &ParameterSpec) -> bool {
    let is_form = matches!(tool.body_kind(), BodySpec::Form | BodySpec::Multipart);
    match tool.position(parameter) {
        Some(position) => position == Position::Body && !is_form,
        None => true,
    }
}

/// The first `${` of a constant that would be sent literally.
fn literal_variable(context: &ToolContext<'_>, parameter: &ParameterSpec) -> Option<Diagnostic> {
    let value = parameter.value.as_ref()?;
    let splits = match &value.value {
        Json::Array(_) => is_list(context.tool, parameter),
        Json::Object(_) => false,
        _ => return None,
    };
    let is_literal = |text: &NestedText<'_>| !(splits && text.depth() == 1);
    let texts = nested::texts(value);
    let (text, range) =
        texts.iter().filter(|text| is_literal(text)).find_map(|text| Some((text, written(text.text)?)))?;
    let span = text.span(context.sources, context.toolset, context.tool, value.span);
    let span = context.sources.inside(span, range.clone());
    let shown = text.text.get(range).unwrap_or_default();
    let message = if shown.starts_with("$$") {
        format!("`$${{` in the constant of parameter `{}` is sent with both dollars", parameter.name.value)
    } else {
        format!("`{shown}` in the constant of parameter `{}` is sent literally", parameter.name.value)
    };
    let help = match &value.value {
        Json::Array(_) => "write it as a separate element, with style `repeat`, `comma`, `space` or `pipe`",
        _ => "make each such member a separate parameter with a string as its `value`",
    };
    Some(
        Diagnostic::new(&VARIABLE_IN_COMPOSITE, span, message)
            .note("outside a JSON body, JSON text is fixed when the bundle is built")
            .help(help),
    )
}

/// Whether the elements of an array are written one by one.
fn is_list(tool: &CheckedTool, parameter: &ParameterSpec) -> bool {
    let is_pairs = matches!(tool.position(parameter), Some(Position::Query | Position::Body));
    match parameter.style.as_ref().map(|style| style.value) {
        Some(Style::Comma | Style::Space | Style::Pipe) => true,
        Some(Style::Repeat) => is_pairs,
        Some(Style::Deep | Style::Json) => false,
        // The type decides the style, which is `deep` or `json` for an object.
        None => parameter.kind.value != Type::Object,
    }
}

/// The first variable in a text, or the first `$${`. A malformed one is `invalid-variable`.
fn written(text: &str) -> Option<Range<usize>> {
    let at = text.find("${")?;
    if text.get(..at).is_some_and(|before| before.ends_with('$')) {
        return Some(at - 1..at + 2);
    }
    let length = text.get(at..)?.find('}')?;
    Some(at..at + length + 1)
}

/// A constant object is always written as JSON, and no constant is written in pairs. A style that fits no value is
/// `misplaced-style`.
fn style_of_constant(tool: &CheckedTool, parameter: &ParameterSpec) -> Option<Diagnostic> {
    let (style, value) = (parameter.style.as_ref()?, parameter.value.as_ref()?);
    // In a path, header or cookie, nothing can be deep.
    let is_pairs = matches!(tool.position(parameter), Some(Position::Query | Position::Body));
    let what = match (&value.value, parameter.kind.value, style.value) {
        (Json::Object(_), Type::Object, Style::Comma) => "object",
        (Json::Object(_), Type::Object, Style::Deep) if is_pairs => "object",
        (Json::Array(_), Type::Array, Style::Deep) if is_pairs => "array",
        _ => return None,
    };
    let message = format!(
        "style `{}` cannot write the constant {what} of parameter `{}`",
        style.value, parameter.name.value
    );
    Some(
        Diagnostic::new(&MISPLACED_STYLE, style.span, message)
            .related(value.span, "the constant")
            .note("outside a JSON body, a constant object is written as JSON, and no constant is `deep`")
            .help("write `json`, or make each member a separate parameter"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with, tool_with, underlined};

    fn in_place(position: &str, keys: &str) -> Vec<String> {
        let spec = parameter_with(&format!("position = \"{position}\"\n{keys}"));
        underlined(&VARIABLE_IN_COMPOSITE, &spec)
    }

    #[test]
    fn the_variable_alone_is_underlined_wherever_it_lies() {
        let object = "type = \"object\"\nvalue = { a = 1, b = [{ c = \"x ${TOKEN} ${B}\" }] }";
        for position in ["path", "query", "header", "cookie"] {
            assert_eq!(in_place(position, object), ["${TOKEN}"], "{position}");
        }
        assert_eq!(in_place("body", object), [""; 0]);
        let form = tool_with(&format!("body = \"form\"\n[[tool.parameters]]\nname = \"p\"\n{object}"));
        assert_eq!(underlined(&VARIABLE_IN_COMPOSITE, &form), ["${TOKEN}"]);
    }

    #[test]
    fn elements_of_a_list_have_their_variables() {
        let list = "type = \"array\"\nvalue = [\"a\", \"${A}\"]";
        for position in ["path", "query", "header", "cookie"] {
            assert_eq!(in_place(position, list), [""; 0], "{position}");
            for style in ["comma", "space", "pipe"] {
                assert_eq!(in_place(position, &format!("{list}\nstyle = \"{style}\"")), [""; 0]);
            }
            assert_eq!(in_place(position, &format!("{list}\nstyle = \"json\"")), ["${A}"], "{position}");
        }
        assert_eq!(in_place("query", &format!("{list}\nstyle = \"repeat\"")), [""; 0]);
        assert_eq!(
            in_place("query", "type = \"array\"\nvalue = [\"${A}\", [\"${B}\"], { c = \"${C}\" }]"),
            ["${B}"]
        );
    }

    #[test]
    fn texts_and_other_dollars_are_left_alone() {
        assert_eq!(in_place("query", "value = \"${A}\""), [""; 0]);
        assert_eq!(in_place("query", "type = \"object\"\nvalue = { a = \"$5 {x}\" }"), [""; 0]);
        assert_eq!(in_place("query", "type = \"object\"\nvalue = { a = \"cost $${x}\" }"), ["$${"]);
    }

    #[test]
    fn a_constant_object_has_no_style_but_json() {
        let styles = |position: &str, value: &str| {
            ["repeat", "comma", "space", "pipe", "deep", "json"]
                .into_iter()
                .filter(move |style| {
                    let keys = format!("position = \"{position}\"\nstyle = \"{style}\"\n{value}");
                    found(&MISPLACED_STYLE, &parameter_with(&keys)).is_empty()
                })
                .collect::<Vec<_>>()
        };
        let object = "type = \"object\"\nvalue = { a = 1 }";
        for position in ["path", "query", "header", "cookie"] {
            assert_eq!(styles(position, object), ["json"], "{position}");
        }
        assert_eq!(styles("query", "type = \"object\""), ["comma", "deep", "json"]);
        let array = "type = \"array\"\nitems = { type = \"integer\" }";
        assert_eq!(
            styles("query", &format!("{array}\nvalue = [1]")),
            ["repeat", "comma", "space", "pipe", "json"]
        );
        assert_eq!(styles("query", array), ["repeat", "comma", "space", "pipe", "deep", "json"]);
        let once = parameter_with(&format!("position = \"header\"\nstyle = \"deep\"\n{object}"));
        assert_eq!(found(&MISPLACED_STYLE, &once).len(), 1);
    }
}
