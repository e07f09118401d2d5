use super::rule;

rule! {
    /// ## What it does
    /// Finds files that cannot be read: specs, `mcpc.toml`, and the template and schema files that specs name.
    ///
    /// ## Why is this bad
    /// A file that cannot be read cannot be checked, so the run fails.
    ///
    /// ## Fails
    /// A path that does not exist, a file that you may not read, or a missing template:
    /// `response_template = { file = "order.hbs" }` without a file `order.hbs`.
    ///
    /// ## Passes
    /// Every file that is named exists and can be read.
    pub UNREADABLE_FILE = "MCP0001", "unreadable-file", HardError;
}
