use crate::language::json::Json;
use crate::lint::helpers::insert;
use crate::lint::helpers::schemas::{has_type, has_unknown_type};
use crate::lint::helpers::values::{equal, show, type_of, with_article};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::ParameterSpec;
use mcp_diagnostics::{Applicability, Diagnostic, Span, Spanned};

rule! {
    /// ## What it does
    /// Finds an `enum` that is empty, has duplicates, or has values of another type than the
    /// parameter.
    ///
    /// ## Why is this bad
    /// A value of another type is never accepted, and an empty list accepts nothing.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "page_size"
    /// type = "integer"
    /// position = "query"
    /// enum = [10, 50, "all"]
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "status"
    /// position = "query"
    /// enum = []
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "page_size"
    /// type = "integer"
    /// position = "query"
    /// enum = [10, 50, 100]
    /// ```
    pub MIXED_ENUM = "MCP0404", "mixed-enum", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if context.tool.input_schema.is_some() {
        // Then a parameter must not set it at all: `parameter-outside-schema`.
        return;
    }
    for parameter in &context.tool.parameters {
        let Some(allowed) = &parameter.enumeration else {
            continue;
        };
        let name = &parameter.name.value;
        if allowed.value.is_empty() {
            findings.report(
                Diagnostic::new(
                    &MIXED_ENUM,
                    allowed.span,
                    format!("parameter `{name}` allows no value at all"),
                )
                .help("list the allowed values, or remove `enum`"),
            );
        }
        if let Some(diagnostic) = mistyped(context, parameter, allowed.span, &allowed.value) {
            findings.report(diagnostic);
        }
        for (index, item) in allowed.value.iter().enumerate() {
            let mut earlier = allowed.value.iter().take(index);
            if let Some(first) = earlier.find(|first| equal(&first.value, &item.value)) {
                let message = format!("parameter `{name}` allows {} twice", show(&item.value));
                findings.report(
                    Diagnostic::new(&MIXED_ENUM, item.span, message)
                        .related(first.span, "first listed here")
                        .help("remove one of them"),
                );
            }
        }
    }
}

/// One finding for all values that are not of the parameter's type.
fn mistyped(
    context: &ToolContext<'_>,
    parameter: &ParameterSpec,
    whole: Span,
    allowed: &[Spanned<Json>],
) -> Option<Diagnostic> {
    let kind = parameter.kind.value;
    let mut wrong = allowed.iter().filter(|item| !kind.admits(&item.value));
    let first = wrong.next()?;
    if has_unknown_type(context.sources, parameter) {
        return None;
    }
    let name = &parameter.name.value;
    let type_is_written = has_type(parameter);
    let same_type = allowed.iter().all(|item| item.value.type_name() == first.value.type_name());
    if same_type && !type_is_written {
        let actual = first.value.type_name();
        let message = format!(
            "parameter `{name}` is a string, because it has no `type`, but {} of its allowed values is {}",
            if allowed.len() == 1 { "the one" } else { "each" },
            with_article(actual)
        );
        let diagnostic =
            Diagnostic::new(&MIXED_ENUM, whole, message).help(format!("add `type = \"{actual}\"`"));
        let text = format!("\"{actual}\"");
        let edit = insert::key(context.sources, parameter.span, parameter.name.span, "type", &text);
        return Some(match edit {
            Some(edit) => diagnostic.fix(Applicability::Safe, vec![edit]),
            None => diagnostic,
        });
    }
    let message = format!(
        "allowed value {} of parameter `{name}` is {}, not {}",
        show(&first.value),
        type_of(&first.value),
        with_article(kind.as_str())
    );
    let mut diagnostic = Diagnostic::new(&MIXED_ENUM, first.span, message)
        .note("a value of another type than the parameter's is never accepted");
    for other in wrong {
        diagnostic = diagnostic.related(other.span, format!("{}, too", type_of(&other.value)));
    }
    if type_is_written {
        diagnostic = diagnostic.related(parameter.kind.span, "the parameter's type");
    } else {
        diagnostic = diagnostic.note("a parameter without `type` is a string");
    }
    Some(diagnostic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with, underlined};

    #[test]
    fn a_forgotten_type_is_what_to_add() {
        let messages = found(&MIXED_ENUM, &parameter_with("enum = [1, 2]"));
        assert_eq!(messages[0].1, "[1, 2]");
        assert!(messages[0].0.contains("each of its allowed values is an integer"), "{messages:?}");
    }

    #[test]
    fn an_unknown_type_is_the_only_finding() {
        assert_eq!(found(&MIXED_ENUM, &parameter_with("type = \"int\"\nenum = [1, 2]")), []);
    }

    #[test]
    fn repeated_values_are_found_by_value() {
        let spec = parameter_with("type = \"number\"\nenum = [1, 2, 1.0]");
        assert_eq!(underlined(&MIXED_ENUM, &spec), ["1.0"]);
    }

    #[test]
    fn an_integer_is_a_number_but_not_the_reverse() {
        assert_eq!(found(&MIXED_ENUM, &parameter_with("type = \"number\"\nenum = [1, 2.5]")), []);
        let spec = parameter_with("type = \"integer\"\nenum = [1, 2.5]");
        assert_eq!(underlined(&MIXED_ENUM, &spec), ["2.5"]);
    }
}
