use crate::language::schema_walk;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::ParameterSpec;
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds body parameters that a `body_template` or an `arguments_template` never uses.
    ///
    /// With a `body_template`, only the template writes the body. A parameter without a `position`,
    /// or with `position = "body"`, is data for the template.
    ///
    /// ## Why is this bad
    /// The caller passes a value that is never sent, so the request is not the one that the caller
    /// expects.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "search_orders"
    /// description = "Searches the orders of the shop."
    /// method = "POST"
    /// endpoint = "https://api.example.com/search"
    /// body_template = '{"query": {{ .text }}}'
    /// [[tool.parameters]]
    /// name = "text"
    /// description = "What to search for."
    /// [[tool.parameters]]
    /// name = "limit"
    /// description = "The most orders to return."
    /// type = "integer"
    /// [[tool.examples]]
    /// arguments = { text = "late", limit = 3 }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "search_orders"
    /// description = "Searches the orders of the shop."
    /// method = "POST"
    /// endpoint = "https://api.example.com/search"
    /// body_template = '{"query": {{ .text }}{{ if .limit }}, "size": {{ .limit }}{{ end }}}'
    /// [[tool.parameters]]
    /// name = "text"
    /// description = "What to search for."
    /// [[tool.parameters]]
    /// name = "limit"
    /// description = "The most orders to return."
    /// type = "integer"
    /// [[tool.examples]]
    /// arguments = { text = "late", limit = 3 }
    /// ```
    pub UNSENT_PARAMETER = "MCP0710", "unsent-parameter", Warning, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let Some(template) = tool.body_template.as_ref().filter(|_| !tool.has_doubtful_template()) else {
        return;
    };
    let key = tool.body_template_key();
    let is_mcp = tool.mcp.is_some();
    let what = if is_mcp { "what the server gets" } else { "the body" };
    let note = format!("with `{key}`, only the template writes {what}");
    // A tool of an MCP server has no other place for them.
    let or_elsewhere = |other: &str| if is_mcp { String::new() } else { format!(", or {other}") };
    // One with `position = "body"` must be in the body. Another may be in a header.
    let is_sent = |parameter: &ParameterSpec| match &parameter.position {
        Some(_) => template.reads(&parameter.name.value),
        None => tool.is_read(&parameter.name.value),
    };
    for parameter in tool.parameters.iter().filter(|parameter| tool.position(parameter).is_none()) {
        let name = &parameter.name;
        let (message, help) = if parameter.is_hidden() {
            let message = format!("the constant of parameter `{}` is never sent", name.value);
            let elsewhere = or_elsewhere("give the parameter another `position`");
            (message, format!("write it in the `{key}`{elsewhere}"))
        } else if is_sent(parameter) {
            continue;
        } else {
            let message = format!("parameter `{}` is never sent: `{key}` does not read it", name.value);
            (message, format!("use it in the template{}", or_elsewhere("give it another `position`")))
        };
        findings.report(
            Diagnostic::new(&UNSENT_PARAMETER, name.span, message)
                .related(template.span, "the template")
                .note(note.as_str())
                .help(help),
        );
    }
    let Some(schema) = &tool.input_schema else {
        return;
    };
    for name in schema_walk::declared_properties(&schema.value).keys() {
        if tool.parameter(name).is_none() && !tool.is_read(name) {
            let message = format!("property `{name}` is never sent: `{key}` does not read it");
            let elsewhere = or_elsewhere("add a parameter that gives it another `position`");
            findings.report(
                Diagnostic::new(&UNSENT_PARAMETER, schema.span, message)
                    .related(template.span, "the template")
                    .note(note.as_str())
                    .help(format!("use it in the template{elsewhere}")),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    fn unsent(template: &str, rest: &str) -> Vec<String> {
        underlined(&UNSENT_PARAMETER, &tool_with(&format!("body_template = '{template}'\n{rest}")))
    }

    #[test]
    fn what_no_template_reads_is_not_sent() {
        let one = "parameters = [{ name = \"p\" }]";
        assert_eq!(unsent("{}", one), ["\"p\""]);
        assert_eq!(unsent("{{ .p }}", one), [""; 0]);
        assert_eq!(unsent("{{ . }}", one), [""; 0]);
        assert_eq!(unsent("{{this}}", one), [""; 0]);
        assert_eq!(unsent("{}", "parameters = [{ name = \"p\", position = \"query\" }]"), [""; 0]);
        // Errors of the template itself are reported by other rules.
        assert_eq!(unsent("{{ .q", one), [""; 0]);
    }

    #[test]
    fn a_header_may_read_it_unless_it_is_said_to_be_in_the_body() {
        let with = |keys: &str| {
            unsent(
                "{}",
                &format!("headers = {{ x = \"{{{{ .p }}}}\" }}\nparameters = [{{ name = \"p\"{keys} }}]"),
            )
        };
        assert_eq!(with(""), [""; 0]);
        assert_eq!(with(", position = \"body\""), ["\"p\""]);
    }

    #[test]
    fn constants_and_properties_count() {
        assert_eq!(unsent("{}", "parameters = [{ name = \"p\", value = 1 }]"), ["\"p\""]);
        let schema = "input_schema = { type = \"object\", properties = { a = {}, b = {} } }";
        assert_eq!(unsent("{{ .a }}", schema).len(), 1);
    }
}
