use crate::checked::CheckedTemplate;
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::lint::helpers::answer::locate;
use crate::lint::helpers::values::with_article;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::template::{Compiled, Dialect, Read, Segment};
use mcp_diagnostics::{Diagnostic, Span, suggest};
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds what a request template reads but no argument can provide: an unknown name, a member
    /// of a string or number, or a parameter with a constant `value`.
    ///
    /// Request templates are `body_template`, and an `endpoint` or a tool's `headers` with `{{`.
    /// Their data is the arguments of the call. With an `input_schema` that accepts undeclared
    /// arguments, any name is possible.
    ///
    /// ## Why is this bad
    /// There is never a value, so a part of the request is always missing.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "search_orders"
    /// method = "POST"
    /// endpoint = "https://api.example.com/search"
    /// body_template = '{"filter": {"status": {{ .statsu }}}}'
    /// [[tool.parameters]]
    /// name = "status"
    /// position = "query"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_order"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{{ .order.id }}"
    /// [[tool.parameters]]
    /// name = "order"
    /// required = true
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { x-shop = "shop {{ .shop }}" }
    /// [[tool.parameters]]
    /// name = "shop"
    /// position = "query"
    /// value = "${SHOP}"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "search_orders"
    /// method = "POST"
    /// endpoint = "https://api.example.com/search"
    /// body_template = '{"filter": {"status": {{ .status }}}, "shop": "${SHOP}"}'
    /// [[tool.parameters]]
    /// name = "status"
    /// ```
    pub UNKNOWN_TEMPLATE_ARGUMENT = "MCP0709", "unknown-template-argument", Error, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if context.tool.request_templates().next().is_none() {
        return;
    }
    let schema = context.tool.published_schema();
    let declared = schema_walk::declared_properties(schema);
    let is_open = schema_walk::admits_others(schema);
    for (_, template) in context.tool.request_templates() {
        let Some(compiled) = template.compiled() else {
            continue;
        };
        // There can be several reads at one place.
        let mut last = None;
        for read in &compiled.reads {
            let Some(Segment::Key(name)) = read.path.first() else {
                continue;
            };
            let found = match declared.get(name.as_str()) {
                None if is_open => None,
                None => Some(unknown(context, template, compiled, read, name, &declared)),
                Some(schema) => within_scalar(context, template, compiled.dialect, read, name, schema),
            };
            if let Some(diagnostic) = found.filter(|found| last != Some(found.span)) {
                last = Some(diagnostic.span);
                findings.report(diagnostic);
            }
        }
    }
}

/// The place of a key of the path, or of the last key if it was not written with it.
fn place(context: &ToolContext<'_>, template: &CheckedTemplate, read: &Read, at: usize) -> Span {
    let range = locate::key(template.text(), read, at).unwrap_or_else(|| read.span.clone());
    template.locate(context.sources, range)
}

fn unknown(
    context: &ToolContext<'_>,
    template: &CheckedTemplate,
    compiled: &Compiled,
    read: &Read,
    name: &str,
    declared: &BTreeMap<&str, &Json>,
) -> Diagnostic {
    let span = place(context, template, read, 0);
    if let Some(parameter) = context.tool.parameter(name).filter(|parameter| parameter.is_hidden()) {
        let message = format!("parameter `{name}` has a constant `value`, which templates do not see");
        return Diagnostic::new(&UNKNOWN_TEMPLATE_ARGUMENT, span, message)
            .related(parameter.name.span, "the parameter")
            .note("the data of a request template is the arguments of the call")
            .help("write the constant, or `${NAME}`, into the text of the template");
    }
    let message = format!("the tool has no argument `{name}`");
    let note = if declared.is_empty() {
        "it has no arguments at all".to_owned()
    } else {
        format!("its arguments are {}", suggest::one_of(declared.keys().copied()).replace(" or ", " and "))
    };
    Diagnostic::new(&UNKNOWN_TEMPLATE_ARGUMENT, span, message)
        .note(note)
        .help(format!("declare a parameter with `name = \"{name}\"`"))
        .maybe_help(suggest::did_you_mean(name, declared.keys().copied()))
        .maybe_help(of_another_gateway(compiled, read, name, declared))
}

/// What replaces `.args.a` and `.config.a`, the names of template data in other gateways.
fn of_another_gateway(
    compiled: &Compiled,
    read: &Read,
    name: &str,
    declared: &BTreeMap<&str, &Json>,
) -> Option<String> {
    match name {
        "args" => {
            let argument =
                std::iter::once(read).chain(&compiled.reads).find_map(|read| match read.path.as_slice() {
                    [Segment::Key(first), Segment::Key(next), ..] if first == name => {
                        declared.contains_key(next.as_str()).then_some(next)
                    }
                    _ => None,
                })?;
            let dot = if compiled.dialect == Dialect::Go { "." } else { "" };
            Some(format!("arguments are read by their names: `{dot}{argument}`"))
        }
        "config" => Some("write `${NAME}` in the text for values that are set at the edge".to_owned()),
        _ => None,
    }
}

/// A read of a member or element of a value that has none.
fn within_scalar(
    context: &ToolContext<'_>,
    template: &CheckedTemplate,
    dialect: Dialect,
    read: &Read,
    name: &str,
    schema: &Json,
) -> Option<Diagnostic> {
    let kind = schema.get("type").and_then(Json::as_str)?;
    let is_number = matches!(kind, "integer" | "number");
    if !is_number && !matches!(kind, "string" | "boolean") {
        return None;
    }
    // Go loops over a number.
    let counts = is_number && dialect == Dialect::Go;
    let what = match read.path.get(1) {
        Some(Segment::Key(member)) => format!("has no member `{member}`"),
        Some(Segment::Each) | None if read.looped && !counts => "has no elements to loop over".to_owned(),
        _ => return None,
    };
    let message = format!("argument `{name}` is {} and {what}", with_article(kind));
    let at = usize::from(matches!(read.path.get(1), Some(Segment::Key(_))));
    let span = place(context, template, read, at);
    let diagnostic = Diagnostic::new(&UNKNOWN_TEMPLATE_ARGUMENT, span, message);
    Some(match context.tool.parameter(name) {
        Some(parameter) => diagnostic.related(parameter.name.span, "the parameter"),
        None => diagnostic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::{found, tool_with, underlined};

    fn reads(template: &str, parameters: &str) -> Vec<String> {
        let spec = tool_with(&format!("body_template = '''{template}'''\nparameters = [{parameters}]"));
        underlined(&UNKNOWN_TEMPLATE_ARGUMENT, &spec)
    }

    #[test]
    fn the_name_alone_is_underlined_in_every_place() {
        let spec = tool_with("headers = { x = \"a {{ .nme }}\" }\nparameters = [{ name = \"name\" }]")
            .replace("/notes\"", "/notes/{{nome}}?é=%20\"");
        let report = check_files(&MemoryFiles::one("spec.toml", &spec.replace("é", "e")));
        let found: Vec<_> = report
            .diagnostics
            .iter()
            .filter(|d| d.is(&UNKNOWN_TEMPLATE_ARGUMENT))
            .map(|d| (report.sources.text(d.span), d.help.as_deref()))
            .collect();
        let help = Some("did you mean `name`?");
        assert_eq!(found, [("nome", help), ("nme", help)]);
    }

    #[test]
    fn both_dialects_are_read() {
        assert_eq!(reads("[{{#each list}}{{this}}{{/each}}]", "{ name = 'l' }"), ["list"]);
        assert_eq!(reads("[{{ range .list }}{{ . }}{{ end }}]", "{ name = 'l' }"), ["list"]);
        assert_eq!(reads("{{ .o.x }}", "{ name = 'o', type = 'object' }"), [""; 0]);
        assert_eq!(reads("{{ . }}", ""), [""; 0]);
    }

    #[test]
    fn texts_and_numbers_have_no_members() {
        for (template, kind, text) in [
            ("{{ .p.x }}", "string", Some("x")),
            ("{{ .p.x.y }}", "integer", Some("x")),
            ("{{p.x}}", "boolean", Some("x")),
            ("{{ .p }}", "string", None),
            ("{{ .p.x }}", "object", None),
            ("[{{ range .p }}1{{ end }}]", "string", Some("p")),
            ("[{{ range .p }}1{{ end }}]", "integer", None),
            ("[{{#each p}}1{{/each}}]", "integer", Some("p")),
            ("[{{ range .p }}{{ .x }}{{ end }}]", "array", None),
        ] {
            let found = reads(template, &format!("{{ name = 'p', type = '{kind}', items = {{}} }}"));
            assert_eq!(found.first().map(String::as_str), text, "{template} {kind}");
        }
    }

    #[test]
    fn what_other_gateways_call_arguments_is_explained() {
        let by_name = |name: &str| format!("arguments are read by their names: `{name}`");
        let variable = "write `${NAME}` in the text for values that are set at the edge".to_owned();
        for (template, text, help) in [
            ("{{ .args.a }}", "args", by_name(".a")),
            ("{{ .args.a.b.c }}", "args", by_name(".a")),
            ("{{args.a}}", "args", by_name("a")),
            ("{{ with .args }}{{ .a }}{{ end }}", "args", by_name(".a")),
            ("{{ .args.z }}", "args", "declare a parameter with `name = \"args\"`".to_owned()),
            ("{{ .config.key }}", "config", variable),
        ] {
            let spec = tool_with(&format!(
                "body_template = '''{template}'''\nparameters = [{{ name = 'a', type = 'object' }}]"
            ));
            let report = check_files(&MemoryFiles::one("spec.toml", &spec));
            let found = report.diagnostics.iter().find(|d| d.is(&UNKNOWN_TEMPLATE_ARGUMENT)).unwrap();
            assert_eq!(report.sources.text(found.span), text, "{template}");
            assert_eq!(found.help.as_deref(), Some(help.as_str()), "{template}");
        }
    }

    #[test]
    fn an_open_schema_makes_any_name_possible() {
        let schema = |rest: &str| {
            let schema = format!("input_schema = {{ type = 'object', properties = {{ a = {{}} }}, {rest} }}");
            found(
                &UNKNOWN_TEMPLATE_ARGUMENT,
                &tool_with(&format!("{schema}\nbody_template = '{{{{ .b }}}}'")),
            )
            .len()
        };
        assert_eq!(schema("additionalProperties = true"), 0);
        assert_eq!(schema("patternProperties = { b = true }"), 0);
        assert_eq!(schema("additionalProperties = false"), 1);
        assert_eq!(schema("required = []"), 1);
    }
}
