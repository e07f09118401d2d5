use super::rule;

rule! {
    /// ## What it does
    /// Finds spec files of more than 64 MiB.
    ///
    /// ## Why is this bad
    /// A spec of that size is nearly always something else by mistake, such as an archive or a dump, and reading it would
    /// take memory without a limit.
    ///
    /// ## Fails
    /// A file of 70 MiB with the ending `.toml`.
    ///
    /// ## Passes
    /// The same tools in several files: all specs of a folder are one set.
    pub OVERSIZED_FILE = "MCP0003", "oversized-file", HardError;
}
