use crate::lint::{Check, Findings, SetContext, rule};
use mcp_diagnostics::Diagnostic;
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds two tools with the same name, in one file or in two.
    ///
    /// ## Why is this bad
    /// A bundle is one list of tools, and a call selects the tool by name. The second one could
    /// never be called.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// respond = "noon"
    ///
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in Paris."
    /// respond = "one o'clock"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// respond = "noon"
    ///
    /// [[tool]]
    /// name = "get_paris_time"
    /// description = "The current time in Paris."
    /// respond = "one o'clock"
    /// ```
    pub DUPLICATE_TOOL = "MCP0601", "duplicate-tool", HardError, Check::Set(check);
}

fn check(context: &SetContext<'_>, findings: &mut Findings<'_>) {
    let mut first = BTreeMap::new();
    for (_, tool) in context.tools() {
        let Some(name) = &tool.name else {
            continue;
        };
        let Some(other) = first.get(name.value.as_str()).copied() else {
            first.insert(name.value.as_str(), name.span);
            continue;
        };
        let message = format!("there are two tools named `{}`", name.value);
        let diagnostic =
            Diagnostic::new(&DUPLICATE_TOOL, name.span, message).related(other, "the first is here");
        findings.report(if other.file == name.span.file {
            diagnostic.help("give one of them another name")
        } else {
            diagnostic
                .note("all files together become one list of tools")
                .help("give one of them another name, for example with the toolset's name before it")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn tools_of_two_files_collide_and_the_first_is_shown() {
        let tool = "[[tool]]\nname = \"a\"\nrespond = \"b\"\n";
        let mut files = MemoryFiles::one("one.toml", tool);
        files.add("two.toml", tool);
        let report = check_files(&files);
        let found: Vec<_> = report.diagnostics.iter().filter(|d| d.is(&DUPLICATE_TOOL)).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(report.sources.file(found[0].span.file).name, "two.toml");
        assert_eq!(report.sources.file(found[0].related[0].0.file).name, "one.toml");
    }
}
