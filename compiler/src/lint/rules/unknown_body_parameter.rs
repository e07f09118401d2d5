use crate::checked::CheckedTool;
use crate::language::schema_walk;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::{BodySpec, ParameterSpec};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::{Diagnostic, suggest};

rule! {
    /// ## What it does
    /// Finds `body = "whole:x"` and `body = "bytes:x"` where `x` is not the only parameter of the body.
    ///
    /// ## Why is this bad
    /// The argument is the whole body, so it must exist, and nothing else can go into the body.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "upload_note"
    /// method = "PUT"
    /// endpoint = "https://api.example.com/note"
    /// body = "whole:content"
    /// [[tool.parameters]]
    /// name = "text"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "upload_note"
    /// method = "PUT"
    /// endpoint = "https://api.example.com/note"
    /// body = "whole:text"
    /// [[tool.parameters]]
    /// name = "text"
    /// [[tool.parameters]]
    /// name = "title"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "upload_note"
    /// method = "PUT"
    /// endpoint = "https://api.example.com/note"
    /// body = "whole:text"
    /// [[tool.parameters]]
    /// name = "text"
    /// [[tool.parameters]]
    /// name = "title"
    /// position = "query"
    /// ```
    pub UNKNOWN_BODY_PARAMETER = "MCP0607", "unknown-body-parameter", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let Some(body) = &tool.body else { return };
    // `whole:` and `bytes:` are equally long.
    let (BodySpec::Whole(name) | BodySpec::Bytes(name)) = &body.value else { return };
    let start = "whole:".len();
    let span = context.sources.inside(body.span, start..start + name.len());
    let unplaced = unplaced_properties(tool);
    let in_body: Vec<&ParameterSpec> =
        tool.parameters.iter().filter(|p| tool.position(p) == Some(Position::Body)).collect();
    let is_property = unplaced.iter().any(|property| property == name);
    match tool.parameter(name) {
        None if is_property => {}
        None => {
            let names = in_body.iter().map(|p| p.name.value.as_str()).chain(unplaced.iter().copied());
            let message = format!("no parameter `{name}` for the whole body");
            let mut diagnostic = Diagnostic::new(&UNKNOWN_BODY_PARAMETER, span, message);
            diagnostic = match (in_body.as_slice(), unplaced.as_slice()) {
                ([only], []) => diagnostic.help(format!("did you mean `{}`?", only.name.value)),
                _ => diagnostic.maybe_help(suggest::did_you_mean(name, names)),
            };
            findings.report(diagnostic);
            return;
        }
        Some(parameter) if tool.position(parameter) != Some(Position::Body) => {
            let place = tool.position(parameter).map_or("template", |position| position.as_str());
            let message = format!("parameter `{name}` goes into the {place} and cannot be the whole body");
            let mut diagnostic = Diagnostic::new(&UNKNOWN_BODY_PARAMETER, span, message)
                .help("remove its `position`, or name another parameter");
            if let Some(place) = &parameter.position {
                diagnostic = diagnostic.related(place.span, "its position");
            }
            findings.report(diagnostic);
            return;
        }
        Some(parameter) if parameter.is_hidden() => {
            let message = format!("parameter `{name}` has a constant `value` and cannot be the whole body");
            findings.report(
                Diagnostic::new(&UNKNOWN_BODY_PARAMETER, span, message)
                    .help("remove its `value`, or write `body = \"json\"`"),
            );
            return;
        }
        Some(_) => {}
    }
    for parameter in in_body.into_iter().filter(|p| p.name.value != *name) {
        let other = &parameter.name;
        let message = format!("no place for parameter `{}`: `{name}` is the whole body", other.value);
        findings.report(
            Diagnostic::new(&UNKNOWN_BODY_PARAMETER, other.span, message)
                .related(span, "this one is the body")
                .help("give it another `position`, or write `body = \"json\"`"),
        );
    }
    for property in unplaced.iter().filter(|property| *property != name) {
        let message = format!("no place for property `{property}`: `{name}` is the whole body");
        findings.report(
            Diagnostic::new(&UNKNOWN_BODY_PARAMETER, span, message)
                .note("a property of `input_schema` that no parameter places goes into the body")
                .help("add a parameter that gives it another `position`"),
        );
    }
}

/// Properties of an `input_schema` that no parameter places: they go into the body.
fn unplaced_properties(tool: &CheckedTool) -> Vec<&str> {
    let schema = tool.input_schema.as_ref();
    let declared = schema.map(|schema| schema_walk::declared_properties(&schema.value)).unwrap_or_default();
    let is_unplaced = |name: &&str| tool.parameter(name).is_none() && !tool.is_templated(name);
    declared.into_keys().filter(is_unplaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with, underlined};

    #[test]
    fn the_name_alone_is_underlined() {
        let spec = tool_with("body = \"whole:x\"\n[[tool.parameters]]\nname = \"x\"\nposition = \"query\"");
        assert_eq!(underlined(&UNKNOWN_BODY_PARAMETER, &spec), ["x"]);
    }

    #[test]
    fn a_property_that_nothing_places_may_be_the_body() {
        let schema =
            "input_schema = { type = \"object\", properties = { x = {}, y = {} } }\nbody = \"whole:x\"";
        assert_eq!(found(&UNKNOWN_BODY_PARAMETER, &tool_with(schema)).len(), 1, "`y` has no place");
        let placed = format!("{schema}\n[[tool.parameters]]\nname = \"y\"\nposition = \"query\"");
        assert_eq!(found(&UNKNOWN_BODY_PARAMETER, &tool_with(&placed)), []);
    }
}
