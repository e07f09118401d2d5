use crate::lint::helpers::insert;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_bundle::definition::Pin;
use mcp_diagnostics::{Applicability, Diagnostic};

rule! {
    /// ## What it does
    /// Finds tools of an MCP server without a `pin`.
    ///
    /// A pin is the digest of the tool's definition: its name at the server, its description and its schemas.
    ///
    /// ## Why is this bad
    /// A server can change what it says of a tool at any time, and a model does what descriptions say. The pin
    /// records that somebody read this definition. The edge compares it with the one that the server lists.
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
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// ```
    pub MISSING_PIN = "MCP0221", "missing-pin", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let (sources, tool) = (context.sources, context.tool);
    let is_pinned = |mcp: &crate::spec::McpToolSpec| mcp.pin.is_some();
    if tool.mcp.as_deref().is_none_or(is_pinned) || insert::is_written(sources, tool.span, "pin") {
        return;
    }
    let message = format!("`{}` has no `pin`", tool.label());
    let diagnostic = Diagnostic::new(&MISSING_PIN, tool.label_span(), message)
        .note("the pin says that somebody read what the server says of its tool");
    // It is that of the definition that the spec has now.
    let Some(pin) = tool.definition().map(|definition| Pin::of(definition).to_string()) else {
        findings.report(diagnostic);
        return;
    };
    let edit = tool.name.as_ref().and_then(|name| {
        let after = tool.upstream.as_ref().map_or(name.span, |upstream| upstream.span);
        insert::key(sources, tool.span, after, "pin", &format!("\"{pin}\""))
    });
    let diagnostic = diagnostic.help(format!("once it is read, add `pin = \"{pin}\"`"));
    findings.report(match edit {
        Some(edit) => diagnostic.fix(Applicability::DisplayOnly, vec![edit]),
        None => diagnostic,
    });
}
