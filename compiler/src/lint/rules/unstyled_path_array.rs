use crate::lint::helpers::{insert, placeholders, schemas};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::Type;
use mcp_diagnostics::{Applicability, Diagnostic};

rule! {
    /// ## What it does
    /// Finds arrays and objects in a path without a `style`.
    ///
    /// ## Why is this bad
    /// A path is text, and a list can be written as text in several ways: `1,2`, `1|2` or `[1,2]`.
    /// Only the upstream's documentation says which one it accepts.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_orders"
    /// description = "Some orders of the shop by their numbers."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{ids}"
    ///
    /// [[tool.parameters]]
    /// name = "ids"
    /// type = "array"
    /// items = { type = "integer" }
    /// position = "path"
    /// required = true
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_orders"
    /// description = "Some orders of the shop by their numbers."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders/{ids}"
    ///
    /// [[tool.parameters]]
    /// name = "ids"
    /// type = "array"
    /// items = { type = "integer" }
    /// position = "path"
    /// required = true
    /// style = "comma"
    /// ```
    pub UNSTYLED_PATH_ARRAY = "MCP0306", "unstyled-path-array", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    for parameter in placeholders::path_parameters(context.tool) {
        let kind = schemas::type_of(context.tool, parameter).filter(|kind| kind.is_composite());
        let Some(kind) = kind.filter(|_| parameter.style.is_none()) else {
            continue;
        };
        let is_object = kind == Type::Object;
        let style = if is_object { "\"json\"" } else { "\"comma\"" };
        let edit = insert::key(context.sources, parameter.span, parameter.name.span, "style", style);
        // The key is there but could not be read, and that is reported.
        let Some(edit) = edit else {
            continue;
        };
        let message =
            format!("path parameter `{}` is an {} and needs a `style`", parameter.name.value, kind.as_str());
        findings.report(
            Diagnostic::new(&UNSTYLED_PATH_ARRAY, parameter.kind.span, message)
                .note("a path is text, and upstreams differ in how they parse a list in it")
                .help(if is_object {
                    "add `style = \"json\"`, the only one that can write an object there"
                } else {
                    "add `style = \"comma\"` for `1,2`, or the style that the upstream documents"
                })
                .fix(Applicability::DisplayOnly, vec![edit]),
        );
    }
}
