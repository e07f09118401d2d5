use crate::lint::helpers::{insert, names};
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::{Applicability, Diagnostic, suggest};

rule! {
    /// ## What it does
    /// Finds tools whose endpoint is only a path and that do not name an upstream.
    ///
    /// ## Why is this bad
    /// Without a host, the request cannot be sent.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com/v1"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com/v1"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/v1/orders"
    /// ```
    pub MISSING_UPSTREAM = "MCP0209", "missing-upstream", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let (sources, tool) = (context.sources, context.tool);
    let Some(endpoint) = tool.endpoint.as_ref().filter(|_| tool.upstream.is_none()) else {
        return;
    };
    // Anything else that is not absolute is not an endpoint, which is reported elsewhere.
    let is_path = endpoint.value.text.starts_with('/');
    if !is_path || tool.answers_itself() || insert::is_written(sources, tool.span, "upstream") {
        return;
    }
    let message = format!("`{}` has no host: its endpoint is a path, and it has no `upstream`", tool.label());
    let mut diagnostic = Diagnostic::new(&MISSING_UPSTREAM, endpoint.span, message);
    let names = context.toolset.upstreams.iter().map(|upstream| upstream.name.value.as_str());
    match context.toolset.upstreams.as_slice() {
        [] => {
            diagnostic = diagnostic
                .help("write an absolute URL, or declare an `[upstream.NAME]` and set `upstream = \"NAME\"`");
        }
        [only] => {
            let name = &only.name.value;
            diagnostic = diagnostic
                .related(only.name.span, "the only upstream of this file")
                .help(format!("add `upstream = \"{name}\"`"));
            let edit = tool.name.as_ref().filter(|_| names::problem(name).is_none()).and_then(|after| {
                insert::key(sources, tool.span, after.span, "upstream", &format!("\"{name}\""))
            });
            if let Some(edit) = edit {
                diagnostic = diagnostic.fix(Applicability::Safe, vec![edit]);
            }
        }
        _ => {
            diagnostic = diagnostic.help(format!("set `upstream` to {}", suggest::one_of(names)));
        }
    }
    findings.report(diagnostic);
}
