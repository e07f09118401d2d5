use crate::lint::helpers::nested;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds `{{…}}` in the `value` of a parameter of an MCP server's tool.
    ///
    /// ## Why is this bad
    /// Other tools for MCP resolve `{{name}}` there. Here a `value` is a constant, in which only `${NAME}` is
    /// resolved, so the server would get the braces.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.wiki]
    /// kind = "mcp"
    /// url = "https://mcp.example.com/mcp"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "wiki"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// [[tool.parameters]]
    /// name = "user"
    /// value = "{{user}}"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.wiki]
    /// kind = "mcp"
    /// url = "https://mcp.example.com/mcp"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "wiki"
    /// pin = "sha256:50dd09bcd31fe0c4f593a5c6f966d9c88528a0a4ecc8a6aa5b729205d02bf1ef"
    /// arguments_template = '{"user": "${principal.sub}"}'
    /// [tool.pinned]
    /// input_schema = { type = "object", properties = { user = { type = "string" } } }
    /// ```
    pub TEMPLATE_IN_VALUE = "MCP0419", "template-in-value", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    if tool.mcp.is_none() {
        return;
    }
    for parameter in &tool.parameters {
        let Some(value) = &parameter.value else { continue };
        for nested in nested::texts(value).iter().filter(|nested| nested.text.contains("{{")) {
            let span = nested.span(context.sources, context.toolset, tool, value.span);
            let message = format!("`value` of parameter `{}` is not a template", parameter.name.value);
            findings.report(
                Diagnostic::new(&TEMPLATE_IN_VALUE, span, message)
                    .note("only `${NAME}` is resolved in a `value`")
                    .help("write the arguments of the server in an `arguments_template`"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{parameter_with, underlined};

    #[test]
    fn tags_are_found_at_any_depth_but_not_for_an_http_api() {
        let spec = "[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n[[tool]]\nname = \"a\"\n\
                    upstream = \"u\"\n[[tool.parameters]]\nname = \"p\"\nvalue = { a = [\"x {{b}}\", \"{c}\"] }\n";
        assert_eq!(underlined(&TEMPLATE_IN_VALUE, spec), ["\"x {{b}}\""]);
        assert_eq!(underlined(&TEMPLATE_IN_VALUE, &parameter_with("value = \"{{b}}\"")), [""; 0]);
    }
}
