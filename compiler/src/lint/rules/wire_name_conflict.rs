use crate::diagnostic::Diagnostic;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::schema_walk;
use crate::source::Span;
use crate::spec::{BodySpec, ParameterSpec, ToolSpec};
use mcp_bundle::tag::Position;
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds parameters that would be sent under the same name in the same place.
    ///
    /// In a JSON body a dotted `wire_name` nests, so `a` and `a.b` conflict too: one makes `a` a value, the other
    /// an object. A name with nothing between its dots names nothing.
    ///
    /// ## Why is this bad
    /// The upstream would see one of the two, or refuse the request; which one depends on its parser.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "limit"
    /// position = "query"
    /// [[tool.parameters]]
    /// name = "page_size"
    /// wire_name = "limit"
    /// position = "query"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "create_user"
    /// method = "POST"
    /// endpoint = "https://api.example.com/users"
    /// [[tool.parameters]]
    /// name = "address"
    /// [[tool.parameters]]
    /// name = "city"
    /// wire_name = "address.city"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "create_user"
    /// method = "POST"
    /// endpoint = "https://api.example.com/users"
    /// [[tool.parameters]]
    /// name = "street"
    /// wire_name = "address.street"
    /// [[tool.parameters]]
    /// name = "city"
    /// wire_name = "address.city"
    /// ```
    pub WIRE_NAME_CONFLICT = "MCP0410", "wire-name-conflict", HardError, Check::Tool(check);
}

/// Who has a name: its parameter's name and place; no place for a property of `input_schema` alone.
type Holder<'a> = (&'a str, Option<Span>);

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let nests = tool.body.as_ref().is_none_or(|body| body.value == BodySpec::Json);
    let mut taken: BTreeMap<(Position, String), Holder<'_>> = BTreeMap::new();
    let mut body: Vec<&ParameterSpec> = Vec::new();
    for parameter in &tool.parameters {
        let wire = parameter.wire_name();
        let position = parameter.position();
        if wire.value.is_empty() {
            let message =
                format!("parameter `{}` has an empty name towards the upstream", parameter.name.value);
            findings.report(Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message));
            continue;
        }
        if position == Position::Body && nests {
            body.push(parameter);
            continue;
        }
        let key =
            if position == Position::Header { wire.value.to_ascii_lowercase() } else { wire.value.clone() };
        let holder = (parameter.name.value.as_str(), Some(wire.span));
        if let Some(other) = taken.get(&(position, key.clone())) {
            report_same(parameter, *other, findings);
        } else {
            taken.insert((position, key), holder);
        }
    }
    nested(tool, &body, findings);
}

/// The members of a JSON body.
fn nested(tool: &ToolSpec, parameters: &[&ParameterSpec], findings: &mut Findings<'_>) {
    let mut taken: BTreeMap<Vec<&str>, Holder<'_>> = BTreeMap::new();
    // Properties that no parameter places become members under their own names.
    let declared = tool.input_schema.as_ref().filter(|_| !parameters.is_empty());
    let declared = declared.map(|schema| schema_walk::declared_properties(&schema.value)).unwrap_or_default();
    for name in declared.keys().filter(|name| tool.parameter(name).is_none()) {
        taken.insert(vec![name.as_str()], (name.as_str(), None));
    }
    let mut pieces = Vec::new();
    for parameter in parameters {
        let wire = parameter.wire_name();
        let path: Vec<&str> = wire.value.split('.').collect();
        if path.iter().any(|piece| piece.is_empty()) {
            let message = format!("`{}` has nothing between two of its dots, or at an end", wire.value);
            findings.report(
                Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message)
                    .note("in a JSON body a dotted name nests: `a.b` is the member `b` of the object `a`"),
            );
        } else if let Some(other) = taken.get(&path) {
            report_same(parameter, *other, findings);
        } else {
            taken.insert(path.clone(), (parameter.name.value.as_str(), Some(wire.span)));
            pieces.push((*parameter, path));
        }
    }
    for (parameter, path) in pieces {
        let mut outer = path.as_slice();
        while let Some((_, shorter)) = outer.split_last().filter(|(_, shorter)| !shorter.is_empty()) {
            outer = shorter;
            if let Some(other) = taken.get(outer) {
                report_nested(parameter, &outer.join("."), *other, findings);
                break;
            }
        }
    }
}

fn report_same(parameter: &ParameterSpec, (other, place): Holder<'_>, findings: &mut Findings<'_>) {
    // Two of one name are `duplicate-parameter`.
    if other == parameter.name.value {
        return;
    }
    let wire = parameter.wire_name();
    let message = format!(
        "parameters `{other}` and `{}` are both sent as `{}` in the {}",
        parameter.name.value,
        wire.value,
        parameter.position()
    );
    let mut diagnostic = Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message)
        .note("which of the two an upstream reads depends on its parser")
        .help("give one of them another `wire_name` or `position`");
    if let Some(place) = place {
        diagnostic = diagnostic.related(place, "the other one");
    }
    findings.report(diagnostic);
}

fn report_nested(
    parameter: &ParameterSpec,
    outer: &str,
    (other, place): Holder<'_>,
    findings: &mut Findings<'_>,
) {
    let wire = parameter.wire_name();
    let message = format!(
        "`{}` makes `{outer}` an object in the body, but parameter `{other}` is sent as `{outer}` itself",
        wire.value
    );
    let mut diagnostic = Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message)
        .help(format!("give parameter `{other}` a `wire_name` below `{outer}`, or this one another"));
    if let Some(place) = place {
        diagnostic = diagnostic.related(place, format!("sent as `{outer}`"));
    }
    findings.report(diagnostic);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    fn conflicts(parameters: &[&str]) -> Vec<String> {
        let parameters: String = parameters
            .iter()
            .enumerate()
            .map(|(i, keys)| format!("[[tool.parameters]]\nname = \"p{i}\"\n{keys}\n"))
            .collect();
        underlined(&WIRE_NAME_CONFLICT, &tool_with(&parameters))
    }

    #[test]
    fn header_names_have_no_case() {
        let header = |name: &str| format!("position = \"header\"\nwire_name = \"{name}\"");
        assert_eq!(conflicts(&[&header("X-A"), &header("x-a")]), ["\"x-a\""]);
        let query = |name: &str| format!("position = \"query\"\nwire_name = \"{name}\"");
        assert_eq!(conflicts(&[&query("A"), &query("a"), &header("a")]), [""; 0]);
    }

    #[test]
    fn nesting_conflicts_whatever_the_order_and_the_depth() {
        assert_eq!(conflicts(&["wire_name = \"a.b.c\"", "wire_name = \"a\""]), ["\"a.b.c\""]);
        assert_eq!(
            conflicts(&["wire_name = \"a.b\"", "wire_name = \"a.bc\"", "wire_name = \"ab\""]),
            [""; 0]
        );
        assert_eq!(conflicts(&["wire_name = \"a..b\"", "wire_name = \".a\""]), ["\"a..b\"", "\".a\""]);
    }

    #[test]
    fn a_property_that_no_parameter_places_has_its_name_too() {
        let spec = tool_with(
            "input_schema = { type = \"object\", properties = { a = {}, p = {} } }\n\
             [[tool.parameters]]\nname = \"p\"\nwire_name = \"a.b\"",
        );
        assert_eq!(underlined(&WIRE_NAME_CONFLICT, &spec), ["\"a.b\""]);
    }
}
