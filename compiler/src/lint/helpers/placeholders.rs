//! Which parameter a placeholder names, or was meant to name.

use crate::checked::CheckedTool;
use crate::spec::{EndpointProblem, ParameterSpec, Placeholder};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::suggest;
use std::ops::Range;

/// The path parameter of a placeholder.
pub fn bound<'a>(tool: &'a CheckedTool, placeholder: &Placeholder) -> Option<&'a ParameterSpec> {
    path_parameters(tool).find(|parameter| parameter.name.value == placeholder.name)
}

/// The placeholders without a path parameter, each name once.
pub fn unbound(tool: &CheckedTool) -> impl Iterator<Item = &Placeholder> {
    let all = tool.endpoint.as_ref().map_or(&[][..], |endpoint| &endpoint.value.placeholders);
    all.iter().enumerate().filter_map(|(index, placeholder)| {
        let again = all.iter().take(index).any(|earlier| earlier.name == placeholder.name);
        (!again && bound(tool, placeholder).is_none()).then_some(placeholder)
    })
}

/// The path parameter that an unbound placeholder most likely means: one that no placeholder names.
pub fn meant<'a>(tool: &'a CheckedTool, placeholder: &Placeholder) -> Option<&'a ParameterSpec> {
    let free = || path_parameters(tool).filter(|parameter| !is_placed(tool, &parameter.name.value));
    let by_wire_name = free().find(|parameter| parameter.wire_name().value == placeholder.name);
    let by_word = || free().find(|parameter| holds_word(&placeholder.name, &parameter.name.value));
    by_wire_name.or_else(by_word).or_else(|| {
        let name =
            suggest::nearest(&placeholder.name, free().map(|parameter| parameter.name.value.as_str()))?;
        tool.parameter(name)
    })
}

/// Whether the endpoint has a placeholder with this name.
pub fn is_placed(tool: &CheckedTool, name: &str) -> bool {
    let placeholders = tool.endpoint.iter().flat_map(|endpoint| &endpoint.value.placeholders);
    placeholders.into_iter().any(|placeholder| placeholder.name == name)
}

/// Whether something in the endpoint may mean this parameter, in any notation. Then its place is
/// unknown until that is fixed.
pub fn may_be_placed(tool: &CheckedTool, name: &str) -> bool {
    let Some(endpoint) = tool.endpoint.as_ref().map(|endpoint| &endpoint.value) else {
        return false;
    };
    let is_meant = |placeholder: &Placeholder| {
        holds_word(&placeholder.name, name)
            || (bound(tool, placeholder).is_none() && suggest::nearest(&placeholder.name, [name]).is_some())
    };
    let angled = || foreign(tool, name).and_then(|range| endpoint.text.get(range)?.strip_prefix('<'));
    // `<id>` is reported by `invalid-url`.
    has_malformed(tool) || angled().is_some() || endpoint.placeholders.iter().any(is_meant)
}

/// Whether the endpoint has braces that are not a placeholder.
pub fn has_malformed(tool: &CheckedTool) -> bool {
    let problems = tool.endpoint.iter().flat_map(|endpoint| &endpoint.value.problems);
    problems.into_iter().any(|problem| matches!(problem, EndpointProblem::Placeholder { .. }))
}

/// Where a path segment means this parameter in another notation: `:id` or `<id>`, which is plain
/// text here.
pub fn foreign(tool: &CheckedTool, name: &str) -> Option<Range<usize>> {
    let text = &tool.endpoint.as_ref()?.value.text;
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let mut start = 0;
    for segment in path.split('/') {
        let inner = segment
            .strip_prefix(':')
            .or_else(|| segment.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')));
        // Flask writes `<int:id>`.
        if start > 0 && inner.is_some_and(|inner| inner.rsplit(':').next() == Some(name)) {
            return Some(start..start + segment.len());
        }
        start += segment.len() + 1;
    }
    None
}

/// Whether a text contains a name as a whole word.
fn holds_word(text: &str, name: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) =
            (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        !name.is_empty() && !before.ends_with(joins) && !after.starts_with(joins)
    })
}

pub fn path_parameters(tool: &CheckedTool) -> impl Iterator<Item = &ParameterSpec> {
    tool.parameters.iter().filter(|parameter| tool.position(parameter) == Some(Position::Path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    fn tool(endpoint: &str) -> CheckedTool {
        let spec =
            format!("[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example{endpoint}\"\n");
        check_files(&MemoryFiles::one("spec.toml", &spec)).toolsets.remove(0).tools.remove(0)
    }

    #[test]
    fn a_placeholder_may_mean_a_parameter_in_many_spellings() {
        for endpoint in ["/{id}", "/{ id }", "/${id}", "/{id:int}", "/{int:id}", "/{idd}", "/?q={id}"] {
            assert!(may_be_placed(&tool(endpoint), "id"), "{endpoint}");
        }
        for endpoint in ["/", "/{order}", "/{prepaid}", "/{order_id}", "/id"] {
            assert!(!may_be_placed(&tool(endpoint), "id"), "{endpoint}");
        }
    }

    #[test]
    fn other_notations_are_found() {
        for (endpoint, segment) in [
            ("/o/:id/x", Some(":id")),
            ("/o/<id>", Some("<id>")),
            ("/o/<int:id>?a", Some("<int:id>")),
            ("/o/:idx", None),
            ("/o?x=/:id", None),
            ("/o/id", None),
        ] {
            let tool = tool(endpoint);
            let text = &tool.endpoint.as_ref().unwrap().value.text;
            assert_eq!(foreign(&tool, "id").and_then(|range| text.get(range)), segment, "{endpoint}");
        }
    }
}
