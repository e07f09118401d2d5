use crate::lint::{Check, Findings, SetContext, rule};
use mcp_diagnostics::Diagnostic;
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds upstreams with different names that are the same program over `stdio`.
    ///
    /// ## Why is this bad
    /// Each name is a server of its own: the edge starts the program twice. What one tool changed in the memory of
    /// its process, the other does not see.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.memory]
    /// kind = "mcp"
    /// transport = "stdio"
    ///
    /// [upstream.notes]
    /// kind = "mcp"
    /// transport = "stdio"
    /// server = "memory"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "memory"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// examples = [{ arguments = {} }]
    ///
    /// [[tool]]
    /// name = "search_notes"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "notes"
    /// mcp_tool = "search"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// examples = [{ arguments = {} }]
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.memory]
    /// kind = "mcp"
    /// transport = "stdio"
    ///
    /// [[tool]]
    /// name = "search"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "memory"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// examples = [{ arguments = {} }]
    ///
    /// [[tool]]
    /// name = "search_notes"
    /// description = "Pages of the wiki that match a query."
    /// upstream = "memory"
    /// mcp_tool = "search"
    /// pin = "sha256:c43517a1d354230e5b769d6d5d3b08186ea3458b37fc5cfe894c94e5b32c7b3e"
    /// examples = [{ arguments = {} }]
    /// ```
    pub SERVER_WITH_TWO_NAMES = "MCP0225", "server-with-two-names", Warning, Check::Set(check);
}

fn check(context: &SetContext<'_>, findings: &mut Findings<'_>) {
    let mut first = BTreeMap::new();
    for upstream in context.toolsets.iter().flat_map(|toolset| &toolset.upstreams) {
        let Some(program) = upstream.server.as_ref().and_then(|server| server.program.as_ref()) else {
            continue;
        };
        let known = *first.entry(program.value.as_str()).or_insert(&upstream.name);
        if known.value == upstream.name.value {
            continue;
        }
        let (name, program) = (&upstream.name.value, &program.value);
        let message = format!("upstreams `{}` and `{name}` are both the program `{program}`", known.value);
        findings.report(
            Diagnostic::new(&SERVER_WITH_TWO_NAMES, upstream.name.span, message)
                .related(known.span, "the first is here")
                .note("each of them gets a process of its own")
                .help("give them one name, or have the edge name the program twice"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn one_name_may_stand_in_many_files() {
        let server = |name: &str| {
            format!("[upstream.{name}]\nkind = \"mcp\"\ntransport = \"stdio\"\nserver = \"memory\"\n")
        };
        let found = |one: &str, two: &str| {
            let mut files = MemoryFiles::one("one.toml", &server(one));
            files.add("two.toml", &server(two));
            let report = check_files(&files);
            report.diagnostics.iter().filter(|found| found.is(&SERVER_WITH_TWO_NAMES)).count()
        };
        assert_eq!((found("memory", "memory"), found("memory", "notes")), (0, 1));
    }
}
