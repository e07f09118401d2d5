use crate::lint::{Check, Findings, SetContext, rule};
use mcp_diagnostics::Diagnostic;
use std::collections::BTreeMap;

rule! {
    /// ## What it does
    /// Finds two files whose toolsets have the same name.
    ///
    /// ## Why is this bad
    /// A toolset is served at `/mcp/NAME`. With two of the same name, it is unclear which one a
    /// client gets.
    ///
    /// ## Fails
    /// ```toml first.toml
    /// [toolset]
    /// name = "clock"
    ///
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// respond = "noon"
    /// ```
    /// ```toml second.toml
    /// [toolset]
    /// name = "clock"
    ///
    /// [[tool]]
    /// name = "get_date"
    /// description = "The current date in UTC."
    /// respond = "today"
    /// ```
    ///
    /// ## Passes
    /// ```toml first.toml
    /// [toolset]
    /// name = "clock"
    ///
    /// [[tool]]
    /// name = "get_time"
    /// description = "The current time in UTC."
    /// respond = "noon"
    /// ```
    /// ```toml second.toml
    /// [toolset]
    /// name = "calendar"
    ///
    /// [[tool]]
    /// name = "get_date"
    /// description = "The current date in UTC."
    /// respond = "today"
    /// ```
    pub DUPLICATE_TOOLSET = "MCP0203", "duplicate-toolset", HardError, Check::Set(check);
}

fn check(context: &SetContext<'_>, findings: &mut Findings<'_>) {
    let mut first = BTreeMap::new();
    for toolset in context.toolsets {
        let name = &toolset.name;
        let Some(other) = first.get(name.value.as_str()).copied() else {
            first.insert(name.value.as_str(), name.span);
            continue;
        };
        let message = format!("there are two toolsets named `{}`", name.value);
        let from_file = name.span.range().is_empty();
        findings.report(
            Diagnostic::new(&DUPLICATE_TOOLSET, name.span, message).related(other, "the first is here").help(
                if from_file {
                    "the name comes from the file name: set another `name` in `[toolset]`"
                } else {
                    "give one of them another name, or put their tools into one file"
                },
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn files_of_the_same_name_in_two_folders_collide() {
        let mut files = MemoryFiles::default();
        for (file, tool) in [("a/shop.toml", "one"), ("b/shop.toml", "two"), ("c/other.toml", "three")] {
            files.add(file, &format!("[[tool]]\nname = \"{tool}\"\nrespond = \"b\"\n"));
        }
        let report = check_files(&files);
        let found: Vec<_> = report.diagnostics.iter().filter(|d| d.is(&DUPLICATE_TOOLSET)).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(report.sources.file(found[0].span.file).name, "b/shop.toml");
        assert_eq!(report.sources.file(found[0].related[0].0.file).name, "a/shop.toml");
    }
}
