use super::rule;

rule! {
    /// ## What it does
    /// Finds files that cannot be read: spec files, `mcpc.toml`, and templates that a spec takes from a file.
    ///
    /// ## Why is this bad
    /// Nothing can be said about a file that was not read, so the run as a whole cannot succeed.
    ///
    /// ## Fails
    /// A path that does not exist, a file without permission to read it, or a template beside the spec that is not there:
    /// `response_template = { file = "order.hbs" }` without a file `order.hbs`.
    ///
    /// ## Passes
    /// All files that are named exist and may be read.
    pub UNREADABLE_FILE = "MCP0001", "unreadable-file", HardError;
}
