use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds toolsets named `tools` or `invoke`.
    ///
    /// ## Why is this bad
    /// The edge serves a toolset at `/mcp/NAME`, and `/mcp/tools` and `/mcp/invoke` are paths of
    /// its REST interface.
    ///
    /// ## Fails
    /// ```toml
    /// [toolset]
    /// name = "tools"
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
    /// name = "clock"
    ///
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// method = "GET"
    /// endpoint = "https://api.example.com/time"
    /// ```
    pub RESERVED_TOOLSET_NAME = "MCP0201", "reserved-toolset-name", HardError, Check::Toolset(check);
}

const RESERVED: [&str; 2] = ["tools", "invoke"];

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let name = &context.toolset.name;
    if !RESERVED.contains(&name.value.as_str()) {
        return;
    }
    let message = format!("a toolset cannot be named `{}`", name.value);
    let diagnostic = Diagnostic::new(&RESERVED_TOOLSET_NAME, name.span, message)
        .note(format!("`/mcp/{}` is a path of the REST interface", name.value));
    let from_file = name.span.range().is_empty();
    findings.report(diagnostic.help(if from_file {
        "the name comes from the file name: rename the file, or set `name` in `[toolset]`"
    } else {
        "choose a name that says what the tools are about"
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn a_name_that_comes_from_the_file_counts() {
        let tool = "[[tool]]\nname = \"a\"\nrespond = \"b\"\n";
        let report = check_files(&MemoryFiles::one("specs/tools.toml", tool));
        let found = report.diagnostics.iter().find(|d| d.is(&RESERVED_TOOLSET_NAME)).unwrap();
        assert!(found.help.as_ref().unwrap().contains("rename the file"));
    }
}
