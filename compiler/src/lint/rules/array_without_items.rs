use crate::language::json::Json;
use crate::lint::helpers::{locate, schemas};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::Type;
use mcp_diagnostics::{Diagnostic, Span};

rule! {
    /// ## What it does
    /// Finds arrays that do not say what their elements are.
    ///
    /// ## Why is this bad
    /// A model has to guess the elements, and some model providers refuse the whole list of tools.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "ids"
    /// type = "array"
    /// description = "Return only these orders."
    /// position = "query"
    /// [[tool.examples]]
    /// arguments = { ids = ["a"] }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "Orders of the shop, newest first."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "ids"
    /// type = "array"
    /// items = { type = "string" }
    /// description = "Return only these orders."
    /// position = "query"
    /// [[tool.examples]]
    /// arguments = { ids = ["a"] }
    /// ```
    pub ARRAY_WITHOUT_ITEMS = "MCP0407", "array-without-items", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    if tool.input_schema.is_none() {
        for parameter in tool.parameters.iter().filter(|p| !p.is_hidden() && p.kind.value == Type::Array) {
            // In an incomplete one, `items` may be the key that could not be read.
            if parameter.keyword("items").is_none() && parameter.complete {
                let message =
                    format!("parameter `{}` does not say what its elements are", parameter.name.value);
                findings.report(diagnostic(parameter.kind.span, message));
            }
        }
    }
    for written in schemas::written(tool) {
        if matches!(written.key, "output_schema" | "answer_schema")
            || written.parameter.is_some_and(|p| p.is_hidden())
        {
            continue;
        }
        written.each(&mut |schema, path| {
            if is_bare_array(schema) {
                let mut steps = path.steps();
                let what = match steps.last() {
                    Some(last) => format!("`{last}`"),
                    None => written.label(),
                };
                steps.push("type".into());
                let span = locate::part(context.sources, context.toolset, tool, written.value.span, &steps);
                findings.report(diagnostic(span, format!("array {what} does not say what its elements are")));
            }
        });
    }
}

fn is_bare_array(schema: &Json) -> bool {
    let is_array = match schema.get("type") {
        Some(Json::String(name)) => name == "array",
        Some(Json::Array(names)) => names.iter().any(|name| name.as_str() == Some("array")),
        _ => false,
    };
    is_array && ["items", "prefixItems", "$ref"].iter().all(|keyword| schema.get(keyword).is_none())
}

fn diagnostic(span: Span, message: String) -> Diagnostic {
    Diagnostic::new(&ARRAY_WITHOUT_ITEMS, span, message)
        .note("a model has to guess, and some model providers refuse such a tool")
        .help("add `items`, such as `items = { type = \"string\" }`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, parameter_with};

    #[test]
    fn arrays_inside_are_seen_too() {
        let spec = parameter_with("type = \"object\"\nproperties = { tags = { type = \"array\" } }");
        let expected = "array `tags` does not say what its elements are";
        assert_eq!(found(&ARRAY_WITHOUT_ITEMS, &spec), [(expected.into(), "\"array\"".into())]);
    }

    #[test]
    fn items_that_could_not_be_read_are_not_missing() {
        let spec = parameter_with("type = \"array\"\nitems = \"string\"");
        assert_eq!(found(&ARRAY_WITHOUT_ITEMS, &spec), []);
    }

    #[test]
    fn what_callers_never_see_needs_no_items() {
        let spec = parameter_with("type = \"array\"\nposition = \"query\"\nvalue = [\"a\"]");
        assert_eq!(found(&ARRAY_WITHOUT_ITEMS, &spec), []);
    }
}
