use crate::checked::{CheckedTool, CheckedToolset};
use crate::lint::helpers::names;
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
    for (toolset, tool) in context.tools() {
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
        let diagnostic = match other.file == name.span.file {
            true => diagnostic,
            false => diagnostic.note("all files together become one list of tools"),
        };
        let prefixed = prefixed(context, toolset, tool, &name.value);
        findings.report(diagnostic.help(match (prefixed, tool.mcp.is_some()) {
            // Its server is to get the name that it knows.
            (Some(free), true) => format!("name this one `{free}`, with `mcp_tool = \"{}\"`", name.value),
            (Some(free), false) => format!("give one of them another name, for example `{free}` to this one"),
            (None, _) => "give one of them another name".to_owned(),
        }));
    }
}

/// The name with that of the server or of the toolset before it, if it can be one and is free.
fn prefixed(
    context: &SetContext<'_>,
    toolset: &CheckedToolset,
    tool: &CheckedTool,
    name: &str,
) -> Option<String> {
    let server = tool.mcp.as_ref().and(tool.upstream.as_ref());
    let prefixes = server.into_iter().chain([&toolset.name]);
    let names = prefixes.map(|prefix| format!("{}_{name}", prefix.value));
    let is_free = |free: &String| {
        names::problem(free).is_none()
            && context.tools().all(|(_, tool)| tool.name.as_ref().is_none_or(|taken| taken.value != *free))
    };
    names.into_iter().find(is_free)
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

    #[test]
    fn a_prefix_that_makes_the_name_free_is_suggested() {
        let server = |name: &str| {
            format!(
                "[upstream.{name}]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n\
                 [[tool]]\nname = \"search\"\nupstream = \"{name}\"\n"
            )
        };
        let help = |second: &str| {
            let mut files = MemoryFiles::one("one.toml", &server("docs"));
            files.add("two.toml", second);
            let report = check_files(&files);
            let found = report.diagnostics.iter().find(|found| found.is(&DUPLICATE_TOOL));
            found.and_then(|found| found.help.clone()).unwrap()
        };
        assert_eq!(help(&server("wiki")), "name this one `wiki_search`, with `mcp_tool = \"search\"`");
        let taken = format!("{}[[tool]]\nname = \"wiki_search\"\nrespond = \"a\"\n", server("wiki"));
        assert_eq!(help(&taken), "name this one `two_search`, with `mcp_tool = \"search\"`");
        let fixed = "[[tool]]\nname = \"search\"\nrespond = \"a\"\n";
        assert_eq!(help(fixed), "give one of them another name, for example `two_search` to this one");
    }
}
