use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::lint::helpers::{insert, placeholders};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::ParameterSpec;
use mcp_diagnostics::{Applicability, Diagnostic, Edit};

rule! {
    /// ## What it does
    /// Finds path parameters that may be omitted: they are not `required` and have neither
    /// `default` nor `value`. Arguments that a template puts into the path outside of conditions
    /// and loops count too.
    ///
    /// ## Why is this bad
    /// Without a value, part of the path is missing: `/orders/{id}` would become `/orders/`, which
    /// is another request.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{orderId}"
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// position = "path"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{{ .orderId }}"
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{orderId}"
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// position = "path"
    /// required = true
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{orderId}"
    /// input_schema = { type = "object", properties = { orderId = { type = "string", default = "latest" } } }
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// position = "path"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// description = "One order of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{{ if .orderId }}{{ .orderId }}{{ else }}latest{{ end }}"
    ///
    /// [[tool.parameters]]
    /// name = "orderId"
    /// ```
    pub OPTIONAL_PATH_PARAMETER = "MCP0305", "optional-path-parameter", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    by_template(context, findings);
    let (sources, tool) = (context.sources, context.tool);
    for parameter in placeholders::path_parameters(tool) {
        let name = &parameter.name.value;
        if is_filled(tool, parameter) {
            continue;
        }
        let span = parameter.required.as_ref().map_or(parameter.name.span, |required| required.span);
        let diagnostic =
            Diagnostic::new(&OPTIONAL_PATH_PARAMETER, span, format!("path parameter `{name}` is optional"))
                .note("without a value, a part of the path would be missing");
        findings.report(if let Some(schema) = &tool.input_schema {
            diagnostic
                .related(schema.span, "this schema does not require it")
                .help(format!("add `{name}` to `required` of `input_schema`, or give it a `default` there"))
        } else if let Some(required) = &parameter.required {
            diagnostic
                .help("write `required = true`, or give it a `default`")
                .fix(Applicability::DisplayOnly, vec![Edit { span: required.span, text: "true".into() }])
        } else {
            let edit = insert::key(sources, parameter.span, parameter.name.span, "required", "true");
            // The key is there but could not be read, and that is reported.
            let Some(edit) = edit else {
                continue;
            };
            diagnostic
                .help("add `required = true`, or give it a `default`")
                .fix(Applicability::Safe, vec![edit])
        });
    }
}

/// What the endpoint's template always puts into the path.
fn by_template(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let Some((template, compiled)) =
        tool.endpoint_template.as_ref().and_then(|template| Some((template, template.compiled()?)))
    else {
        return;
    };
    for (name, span) in compiled.path_keys() {
        // What is not an argument is `unknown-template-argument`.
        let Some(parameter) = tool.parameter(name).filter(|parameter| !is_filled(tool, parameter)) else {
            continue;
        };
        let help = match tool.input_schema {
            None => "add `required = true` or a `default` to the parameter, or put this into a condition",
            Some(_) => "have `input_schema` require it or give it a `default`, or put this into a condition",
        };
        let span = template.locate(context.sources, span);
        let message = format!("argument `{name}` is part of the path, but it is optional");
        findings.report(
            Diagnostic::new(&OPTIONAL_PATH_PARAMETER, span, message)
                .related(parameter.name.span, "the parameter")
                .note("a call without it is refused, because a part of the path would be missing")
                .help(help),
        );
    }
}

fn is_filled(tool: &CheckedTool, parameter: &ParameterSpec) -> bool {
    parameter.is_required()
        || parameter.default.is_some()
        || parameter.is_hidden()
        || is_filled_by_schema(tool, &parameter.name.value)
}

/// An `input_schema` replaces the generated schema, so it decides what is required and what has a
/// default.
fn is_filled_by_schema(tool: &CheckedTool, name: &str) -> bool {
    let Some(schema) = tool.input_schema.as_ref().map(|schema| &schema.value) else {
        return false;
    };
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    let property = schema.get("properties").and_then(|properties| properties.get(name));
    required.iter().any(|required| required.as_str() == Some(name))
        || property.is_some_and(|property| property.get("default").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::underlined;

    fn fix_of(parameters: &str) -> Option<(Applicability, String)> {
        let spec = format!(
            "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example/{{id}}\"\n{parameters}\n"
        );
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        let found = report.diagnostics.iter().find(|d| d.is(&OPTIONAL_PATH_PARAMETER))?;
        let fix = found.fix.as_ref().unwrap();
        let mut fixed = spec;
        fixed.replace_range(fix.edits[0].span.range(), &fix.edits[0].text);
        let report = check_files(&MemoryFiles::one("spec.toml", &fixed));
        assert_eq!(report.errors(), 0, "{fixed}");
        Some((fix.applicability, fixed))
    }

    #[test]
    fn the_fix_works_in_tables_and_in_inline_tables() {
        let table = "[[tool.parameters]] # path\nname     = \"id\" # which\nposition = \"path\"";
        let (applicability, fixed) = fix_of(table).unwrap();
        assert_eq!(applicability, Applicability::Safe);
        assert!(fixed.contains("name     = \"id\" # which\nrequired = true\nposition"), "{fixed}");
        let (_, fixed) = fix_of("parameters = [{ name = \"id\", position = \"path\" }]").unwrap();
        assert!(fixed.contains("{ name = \"id\", required = true, position = \"path\" }"), "{fixed}");
    }

    #[test]
    fn an_explicit_false_is_left_to_a_person() {
        let table = "[[tool.parameters]]\nname = \"id\"\nposition = \"path\"\nrequired = false";
        assert_eq!(fix_of(table).unwrap().0, Applicability::DisplayOnly);
        assert_eq!(fix_of(&table.replace("required = false", "default = \"me\"")), None);
        assert_eq!(fix_of(&table.replace("required = false", "value = \"${ID}\"")), None);
    }

    #[test]
    fn what_a_template_may_leave_out_is_fine() {
        for (endpoint, found) in [
            ("/{{ .id }}", &["{{ .id }}"] as &[&str]),
            ("/a?q={{ .id }}", &[]),
            ("/{{ if .id }}{{ .id }}{{ end }}", &[]),
            ("/{{ if .id }}{{ .id }}/{{ end }}{{ .id }}", &["{{ .id }}"]),
            ("/{{ range .id }}{{ $.id }}{{ end }}", &[]),
            ("/{{#if id}}{{id}}{{else}}x{{/if}}", &[]),
            ("/{{id}}?q={{id}}", &["{{id}}"]),
        ] {
            let spec = |keys: &str| {
                format!(
                    "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example{endpoint}\"\n\
                     [[tool.parameters]]\nname = \"id\"\n{keys}\n"
                )
            };
            let short = |texts: Vec<String>| {
                texts.into_iter().map(|text| text.trim_matches(['{', '}', ' ', '.']).to_owned())
            };
            let expected: Vec<String> =
                short(found.iter().map(|text| (*text).to_owned()).collect()).collect();
            assert_eq!(
                short(underlined(&OPTIONAL_PATH_PARAMETER, &spec(""))).collect::<Vec<_>>(),
                expected,
                "{endpoint}"
            );
            assert_eq!(underlined(&OPTIONAL_PATH_PARAMETER, &spec("required = true")), [""; 0]);
            assert_eq!(underlined(&OPTIONAL_PATH_PARAMETER, &spec("default = \"x\"")), [""; 0]);
        }
    }

    #[test]
    fn a_schema_says_what_is_filled() {
        let found = |members: &str| {
            let spec = format!(
                "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example/{{id}}\"\n\
                 input_schema = {{ type = \"object\", {members} }}\n\
                 [[tool.parameters]]\nname = \"id\"\nposition = \"path\"\n"
            );
            !underlined(&OPTIONAL_PATH_PARAMETER, &spec).is_empty()
        };
        assert!(found("properties = { id = {} }"));
        assert!(!found("properties = { id = {} }, required = [\"id\"]"));
        assert!(!found("properties = { id = { default = \"me\" } }"));
        // What only a branch says holds only there.
        assert!(found("properties = { id = {} }, anyOf = [{ properties = { id = { default = \"me\" } } }]"));
    }
}
