use crate::lint::helpers::names;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_diagnostics::{Applicability, Diagnostic, Edit};

rule! {
    /// ## What it does
    /// Finds names of toolsets that are not 1 to 64 letters, digits, `_` and `-`.
    ///
    /// ## Why is this bad
    /// The edge serves a toolset at `/mcp/NAME`, so the name must be valid in a URL.
    ///
    /// ## Fails
    /// ```toml
    /// [toolset]
    /// name = "world clock"
    ///
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [toolset]
    /// name = "world-clock"
    /// title = "World clock"
    ///
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// ```
    pub INVALID_TOOLSET_NAME = "MCP0202", "invalid-toolset-name", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let name = &context.toolset.name;
    let Some(problem) = names::problem(&name.value) else {
        return;
    };
    let from_file = name.span.range().is_empty();
    let span = if from_file { name.span } else { problem.span(context.sources, name.span) };
    let mut diagnostic =
        Diagnostic::new(&INVALID_TOOLSET_NAME, span, format!("a toolset's name {}", problem.message))
            .note("the name is part of the URL `/mcp/NAME`: 1 to 64 letters, digits, `_` and `-`");
    if from_file {
        diagnostic = diagnostic
            .help("the name comes from the file name: rename the file, or set `name` in `[toolset]`");
    } else if let Some(better) = names::better(&name.value) {
        let edit = Edit { span: name.span, text: format!("\"{better}\"") };
        diagnostic = diagnostic
            .help(format!("write `{better}`, and use `title` for the display name"))
            .fix(Applicability::DisplayOnly, vec![edit]);
    }
    findings.report(diagnostic);
}
