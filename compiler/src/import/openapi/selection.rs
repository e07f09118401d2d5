//! Which operations become tools.

use super::operations::Operation;
use crate::files::glob;
use mcp_diagnostics::suggest;

/// What the command line asks for. Lists that are empty ask for everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    pub tags: Vec<String>,
    /// Globs of paths.
    pub paths: Vec<String>,
    /// Ids, as the document has them.
    pub operations: Vec<String>,
    /// In upper case.
    pub methods: Vec<String>,
    pub read_only: bool,
    pub skip_deprecated: bool,
    /// Also operations with `x-internal`.
    pub internal: bool,
    pub max_tools: Option<usize>,
}

impl Selection {
    /// Why an operation is not asked for.
    pub fn refuses(&self, operation: &Operation<'_>) -> Option<&'static str> {
        let any = |all: &[String], fits: &dyn Fn(&String) -> bool| all.is_empty() || all.iter().any(fits);
        if operation.is_internal && !self.internal {
            return Some("it is internal (`x-internal`); `--internal` takes it");
        }
        if operation.is_deprecated && self.skip_deprecated {
            return Some("it is deprecated");
        }
        if self.read_only && !matches!(operation.method, "GET" | "HEAD") {
            return Some("it does not only read");
        }
        if !any(&self.methods, &|method| method.eq_ignore_ascii_case(operation.method)) {
            return Some("its method was not asked for");
        }
        if !any(&self.tags, &|tag| operation.tags.iter().any(|own| own == tag)) {
            return Some("its tags were not asked for");
        }
        if !any(&self.operations, &|id| operation.id == Some(id.as_str())) {
            return Some("it was not asked for by its id");
        }
        let path = operation.path.trim_start_matches('/');
        if !any(&self.paths, &|pattern| glob::fits(pattern.trim_start_matches('/'), path)) {
            return Some("its path was not asked for");
        }
        None
    }

    /// Words that select nothing, which are surely misspelt.
    pub fn check(&self, operations: &[Operation<'_>]) -> Result<(), String> {
        let missing = |what: &str, word: &str, known: Vec<&str>| {
            let meant = suggest::did_you_mean(word, known);
            Err(match meant {
                Some(meant) => format!("no operation has the {what} `{word}`; {meant}"),
                None => format!("no operation has the {what} `{word}`"),
            })
        };
        for tag in &self.tags {
            let known: Vec<&str> =
                operations.iter().flat_map(|operation| operation.tags.iter().copied()).collect();
            if !known.contains(&tag.as_str()) {
                return missing("tag", tag, known);
            }
        }
        for id in &self.operations {
            let known: Vec<&str> = operations.iter().filter_map(|operation| operation.id).collect();
            if !known.contains(&id.as_str()) {
                return missing("id", id, known);
            }
        }
        for pattern in &self.paths {
            let fits = |path: &str| glob::fits(pattern.trim_start_matches('/'), path.trim_start_matches('/'));
            if !operations.iter().any(|operation| fits(operation.path)) {
                return Err(format!("no path matches `{pattern}`"));
            }
        }
        Ok(())
    }
}
