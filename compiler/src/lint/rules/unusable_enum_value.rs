use crate::language::json::Json;
use crate::lint::helpers::values::show_text;
use crate::lint::helpers::{allowed, placeholders};
use crate::lint::rules::unusable_path_value;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds values in the `enum` of a path parameter that no path can hold: the empty string,
    /// control characters, and `.` and `..` where they would be a whole segment.
    ///
    /// ## Why is this bad
    /// Every call with such a value is refused, because it would lead to another endpoint. A model
    /// that reads the list will still try it.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_files"
    /// method = "GET"
    /// endpoint = "https://api.example.com/files/{folder}"
    /// [[tool.parameters]]
    /// name = "folder"
    /// position = "path"
    /// required = true
    /// enum = ["..", "inbox"]
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_files"
    /// method = "GET"
    /// endpoint = "https://api.example.com/files/{folder}"
    /// [[tool.parameters]]
    /// name = "folder"
    /// position = "path"
    /// required = true
    /// enum = ["archive", "inbox"]
    /// ```
    pub UNUSABLE_ENUM_VALUE = "MCP0308", "unusable-enum-value", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    for parameter in placeholders::path_parameters(tool) {
        let name = &parameter.name.value;
        let why = |value: &Json| unusable_path_value::problem(tool, name, value.as_str()?);
        let found = allowed::of(tool, parameter).find_map(|value| Some((why(value.value)?, value)));
        if let Some((why, value)) = found {
            let shown = show_text(value.value.as_str().unwrap_or_default());
            let message = format!("path parameter `{name}` can never be {shown}: it {why}");
            findings.report(
                Diagnostic::new(&UNUSABLE_ENUM_VALUE, value.span(context.sources, context.toolset), message)
                    .note("a call with this value is refused")
                    .help("remove it from `enum`"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{parameter_with, tool_with, underlined};

    fn with(endpoint: &str, values: &str) -> Vec<String> {
        let spec = parameter_with(&format!("position = \"path\"\nrequired = true\nenum = [{values}]"));
        underlined(&UNUSABLE_ENUM_VALUE, &spec.replace("/notes\"", &format!("{endpoint}\"")))
    }

    #[test]
    fn what_no_segment_can_be_is_underlined() {
        assert_eq!(with("/{p}", "'a', ''"), ["''"]);
        assert_eq!(with("/{p}/x", "'a', '.'"), ["'.'"]);
        assert_eq!(with("/{p}?a=1", "'..'"), ["'..'"]);
        assert_eq!(with("/{p}", "\"a\\nb\""), ["\"a\\nb\""]);
        assert_eq!(with("/v{p}", "'.', '..'"), [""; 0], "`v..` is a segment like others");
        assert_eq!(with("/{p}", "'...', 'a.b', '-'"), [""; 0]);
    }

    #[test]
    fn a_schema_lists_values_too_and_other_places_hold_more() {
        let spec = |position: &str| {
            tool_with(&format!(
                "input_schema = {{ required = [\"p\"], properties = {{ p = {{ enum = [\"a\", \"..\"] }} }} }}\n\
                 [[tool.parameters]]\nname = \"p\"\nposition = \"{position}\""
            ))
            .replace("/notes\"", "/{p}\"")
        };
        assert_eq!(underlined(&UNUSABLE_ENUM_VALUE, &spec("path")), ["\"..\""]);
        assert_eq!(underlined(&UNUSABLE_ENUM_VALUE, &spec("query")), [""; 0]);
    }
}
