use crate::checked::CheckedTool;
use crate::lint::helpers::schemas;
use crate::lint::helpers::values::with_article;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::{BodySpec, ParameterSpec, Type};
use mcp_bundle::wire_enums::{Position, Style};
use mcp_diagnostics::{Diagnostic, suggest};

rule! {
    /// ## What it does
    /// Finds a `style` that does not fit its parameter's type or position.
    ///
    /// A style defines how an array or object becomes text. In a path, header or cookie, the styles
    /// are `comma`, `space`, `pipe` and `json` for arrays, and `json` for objects; in a query or
    /// form they are `repeat`, `comma`, `space`, `pipe` and `json` for arrays, and `deep` and
    /// `json` for objects. In a multipart body they are `repeat` and `json` for arrays, and `json` for
    /// objects. Scalars and the members of a JSON body need none.
    ///
    /// ## Why is this bad
    /// The style would have no effect, or the upstream would get text that it cannot read.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "ids"
    /// type = "array"
    /// items = { type = "string" }
    /// position = "header"
    /// style = "repeat"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "create_order"
    /// method = "POST"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "items"
    /// type = "array"
    /// items = { type = "string" }
    /// style = "comma"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "ids"
    /// type = "array"
    /// items = { type = "string" }
    /// position = "query"
    /// style = "comma"
    /// ```
    pub MISPLACED_STYLE = "MCP0408", "misplaced-style", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    for parameter in &context.tool.parameters {
        let Some(style) = &parameter.style else {
            continue;
        };
        if schemas::has_unknown_type(context.sources, parameter) {
            continue;
        }
        let kind = schemas::type_of(context.tool, parameter);
        if let Some(diagnostic) = problem(context.tool, parameter, kind, style.value, style.span) {
            findings.report(diagnostic);
        }
    }
}

fn problem(
    tool: &CheckedTool,
    parameter: &ParameterSpec,
    kind: Option<Type>,
    style: Style,
    span: mcp_diagnostics::Span,
) -> Option<Diagnostic> {
    let name = &parameter.name.value;
    if let Some(scalar) = kind.filter(|kind| !kind.is_composite()) {
        let message = format!(
            "parameter `{name}` is {}, and only arrays and objects have a `style`",
            with_article(scalar.as_str())
        );
        let help = if schemas::has_type(parameter) || tool.input_schema.is_some() {
            "remove `style`"
        } else {
            "remove `style`, or add `type = \"array\"` or `type = \"object\"`"
        };
        return Some(Diagnostic::new(&MISPLACED_STYLE, span, message).help(help));
    }
    let Some(position) = tool.position(parameter) else {
        let message = format!("parameter `{name}` is written by a template, where `style` has no effect");
        return Some(Diagnostic::new(&MISPLACED_STYLE, span, message).help("remove `style`"));
    };
    let Some((place, styles)) = styles(tool, position, kind) else {
        let message = format!("parameter `{name}` goes into a JSON body, where `style` has no effect");
        let help = match parameter.position {
            None => "remove `style`, or set a `position` other than the default `body`",
            Some(_) => "remove `style`, or write `body = \"form\"` for the tool",
        };
        return Some(
            Diagnostic::new(&MISPLACED_STYLE, span, message)
                .note("in a JSON body, arrays and objects are written as they are")
                .help(help),
        );
    };
    if styles.contains(&style) {
        return None;
    }
    let what = kind.map_or("a value", |kind| with_article(kind.as_str()));
    let words = suggest::one_of(styles.iter().map(|style| style.as_str()));
    Some(
        Diagnostic::new(&MISPLACED_STYLE, span, format!("style `{style}` cannot write {what} in a {place}"))
            .help(format!("parameter `{name}` can have {words}")),
    )
}

/// The place and its styles; `None` for a JSON body. An open type may be either composite.
fn styles(tool: &CheckedTool, position: Position, kind: Option<Type>) -> Option<(&'static str, Vec<Style>)> {
    let joined = [Style::Comma, Style::Space, Style::Pipe];
    let (array, object) = (kind != Some(Type::Object), kind != Some(Type::Array));
    let mut styles = Vec::new();
    let place = match position {
        Position::Body if *tool.body_kind() == BodySpec::Multipart => {
            if array {
                styles.push(Style::Repeat);
            }
            "multipart body"
        }
        Position::Body if *tool.body_kind() != BodySpec::Form => return None,
        Position::Body | Position::Query => {
            if array {
                styles.push(Style::Repeat);
                styles.extend(joined);
            }
            if object && !array {
                styles.push(Style::Comma);
            }
            styles.push(Style::Deep);
            if position == Position::Query { "query" } else { "form" }
        }
        Position::Path | Position::Header | Position::Cookie => {
            if array {
                styles.extend(joined);
            } else {
                styles.push(Style::Comma);
            }
            position.as_str()
        }
    };
    styles.push(Style::Json);
    Some((place, styles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with, tool_with};

    fn is_refused(position: &str, kind: &str, style: &str) -> bool {
        let keys = format!("type = \"{kind}\"\nposition = \"{position}\"\nstyle = \"{style}\"");
        !found(&MISPLACED_STYLE, &parameter_with(&keys)).is_empty()
    }

    #[test]
    fn each_place_has_its_styles() {
        for (position, kind, allowed) in [
            ("path", "array", "comma space pipe json"),
            ("path", "object", "comma json"),
            ("query", "array", "repeat comma space pipe deep json"),
            ("query", "object", "comma deep json"),
            ("header", "array", "comma space pipe json"),
            ("cookie", "object", "comma json"),
            ("body", "array", ""),
            ("query", "string", ""),
        ] {
            for style in Style::ALL {
                let expected = !allowed.split(' ').any(|word| word == style.as_str());
                assert_eq!(is_refused(position, kind, style.as_str()), expected, "{position} {kind} {style}");
            }
        }
    }

    #[test]
    fn a_form_knows_the_styles_of_a_query() {
        let keys = "body = \"form\"\n[[tool.parameters]]\nname = \"p\"\ntype = \"object\"\nstyle = ";
        assert_eq!(found(&MISPLACED_STYLE, &tool_with(&format!("{keys}\"deep\""))), []);
        assert_eq!(found(&MISPLACED_STYLE, &tool_with(&format!("{keys}\"space\""))).len(), 1);
    }

    #[test]
    fn an_input_schema_says_the_type() {
        let spec = |kind: &str| {
            tool_with(&format!(
                "input_schema = {{ type = \"object\", properties = {{ p = {{ type = {kind} }} }} }}\n\
                 [[tool.parameters]]\nname = \"p\"\nposition = \"query\"\nstyle = \"comma\""
            ))
        };
        assert_eq!(found(&MISPLACED_STYLE, &spec("[\"array\", \"null\"]")), []);
        assert_eq!(found(&MISPLACED_STYLE, &spec("\"string\"")).len(), 1);
    }
}
